#include "results/out_of_data.hpp"

#include <algorithm>
#include <map>

#include "results/client_error.hpp"
#include "results/event_reader.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMuchLess = 10;  // of so many steps of the others more than one came later, or was more

class DataReader {
 public:
  explicit DataReader(const EventLog& log) : log_(log) {}

  std::vector<OutOfData> run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
    }
    std::erase_if(out_, [this](const OutOfData& o) { return !went_on(o) || !(is_synchronous_ || had_less(o)); });
    return std::move(out_);
  }

  void on(const SessionMoved& e) {
    if (e.stage == SessionStage::closed) return;
    std::erase_if(out_, [&](const OutOfData& o) { return o.task == e.task; });
    if (e.stage == SessionStage::left_loop && is_end_of_data(log_.name(e.detail)))
      out_.push_back({e.task, std::max<Nanos>(0, now_), steps_[e.task]});
  }
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train) open_[e.step] = e.task;
  }
  void on(const StepEnded& e) {
    if (open_.erase(e.step) == 0 || e.code != 0) return;
    ended_[e.task].push_back(now_);
    ++steps_[e.task];
  }
  void on(const ProcessBegan& e) { steps_[e.task] = 0; }
  void on(const AggregateTaken&) { is_synchronous_ = true; }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  [[nodiscard]] bool went_on(const OutOfData& o) const {
    std::int64_t all = 0, later = 0;
    for (const auto& [task, ends] : ended_) {
      if (task == o.task) continue;
      all += std::ssize(ends);
      later += ends.end() - std::ranges::upper_bound(ends, o.at);
    }
    return kMuchLess * later > all;
  }

  // Asynchronous workers that have as much data are at its end when their own pace takes them there.
  [[nodiscard]] bool had_less(const OutOfData& o) const {
    return std::ranges::any_of(
        ended_, [&](const auto& other) { return kMuchLess * std::ssize(other.second) > (kMuchLess + 1) * o.steps; });
  }

  const EventLog& log_;
  Nanos now_ = 0;
  bool is_synchronous_ = false;
  std::map<StepId, TaskId> open_;
  std::map<TaskId, std::vector<Nanos>> ended_;  // its training steps
  std::map<TaskId, std::int64_t> steps_;        // of its present process
  std::vector<OutOfData> out_;
};

}  // namespace

std::vector<OutOfData> out_of_data(const EventLog& log) { return DataReader(log).run(); }

}  // namespace tarry
