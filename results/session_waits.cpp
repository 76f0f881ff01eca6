#include "results/session_waits.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "results/event_reader.hpp"

namespace tarry {
namespace {

constexpr std::string_view kStillWaiting = "CreateSession still waiting for response from worker: ";
constexpr Nanos kPeriod = 10 * kSecond;  // from the beginning of a wait to its first line

class SessionWaitReader {
 public:
  SessionWaitReader(const EventLog& log, const TaskNames& tasks) : log_(log), tasks_(tasks) {}

  std::vector<SessionWait> run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
    }
    now_ = log_.ended_at - log_.started_at;
    for (const auto& [pair, wait] : open_)
      if (is_over(wait)) end(wait);
    std::ranges::stable_sort(out_, {}, [](const SessionWait& w) { return std::tuple(w.from, w.client, w.awaited); });
    return std::move(out_);
  }

  void on(const LogLine& line) {
    const std::string_view text = log_.name(line.text);
    if (!text.starts_with(kStillWaiting)) return;
    const TaskId awaited = tasks_.find(text.substr(kStillWaiting.size()));
    if (!awaited.valid()) return;
    Open& wait = open_[{line.task, awaited}];
    if (wait.last < 0 || is_over(wait)) {
      if (wait.last >= 0) end(wait);
      wait.number = out_.size();
      out_.push_back({line.task, awaited, std::max<Nanos>(0, now_ - kPeriod)});
    }
    wait.last = now_;
  }
  void on(const SessionMoved& e) { end_all(e.task); }
  void on(const ProcessEnded& e) { end_all(e.task); }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  struct Open {
    std::size_t number = 0;  // in out_
    Nanos last = -1;         // when its last line came
  };
  // The next line did not come: the task has answered.
  [[nodiscard]] bool is_over(const Open& wait) const { return now_ > wait.last + kPeriod + kPeriod / 2; }
  void end(const Open& wait) { out_[wait.number].to = std::max<Nanos>(0, std::min(now_, wait.last + kPeriod)); }
  void end_all(TaskId client) {
    const auto first = open_.lower_bound({client, TaskId{0u}});
    auto last = first;
    for (; last != open_.end() && last->first.first == client; ++last) end(last->second);
    open_.erase(first, last);
  }

  const EventLog& log_;
  const TaskNames& tasks_;
  Nanos now_ = 0;
  std::map<std::pair<TaskId, TaskId>, Open> open_;  // by client and awaited
  std::vector<SessionWait> out_;
};

}  // namespace

std::vector<SessionWait> read_session_waits(const EventLog& log, const TaskNames& tasks) {
  return SessionWaitReader(log, tasks).run();
}

}  // namespace tarry
