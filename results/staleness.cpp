#include "results/staleness.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "results/event_reader.hpp"

namespace tarry {
namespace {

constexpr std::string_view kTokens = "stale_token_q_";

// 3 of "stale_done_q_3"; none of another queue.
std::optional<std::size_t> worker_of(std::string_view queue, std::string_view prefix) {
  const auto at = queue.rfind(prefix);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t worker = 0;
  const auto [end, failed] = std::from_chars(queue.data() + at + prefix.size(), queue.data() + queue.size(), worker);
  return failed == std::errc() && end == queue.data() + queue.size() ? std::optional(worker) : std::nullopt;
}

class StaleReader {
 public:
  explicit StaleReader(const EventLog& log) : log_(log) {}

  std::optional<StaleStory> run() {
    find_workers();
    if (worker_of_task_.empty()) return std::nullopt;
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at;
      pass_on(e.event, *this);
    }
    for (const auto& [worker, since] : done_at_) out_.waited += log_.ended_at - since;
    return std::move(out_);
  }

 private:
  void add_worker(std::size_t worker) { out_.done.resize(std::max(out_.done.size(), worker + 1)); }

  // Which task is which worker: by the queue that its steps put something into.
  void find_workers() {
    std::map<StepId, TaskId> steps;
    for (const LoggedEvent& e : log_.events()) {
      if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train)
        steps[began->step] = began->task;
      const auto* put = std::get_if<Enqueued>(&e.event);
      if (put == nullptr) continue;
      // One that never came has a queue of tokens, too.
      if (const auto worker = worker_of(log_.name(put->queue), kTokens)) add_worker(*worker);
      if (!steps.contains(put->step)) continue;
      if (const auto worker = worker_of(log_.name(put->queue), kStaleDoneQueue))
        worker_of_task_[steps[put->step]] = *worker;
    }
    for (const auto& [task, worker] : worker_of_task_) add_worker(worker);
  }

 public:
  void on(const StepBegan& e) {
    if (e.purpose == Purpose::local_init) inits_.insert(e.step);
    const auto it = worker_of_task_.find(e.task);
    if (e.purpose == Purpose::train && it != worker_of_task_.end())
      out_.farthest = std::max(out_.farthest, out_.done[it->second] - *std::ranges::min_element(out_.done));
  }

  void on(const Enqueued& e) {
    if (const auto worker = worker_of(log_.name(e.queue), kStaleDoneQueue)) {
      ++out_.done[*worker];
      done_at_[*worker] = now_;
    }
    if (inits_.contains(e.step) && worker_of(log_.name(e.queue), kTokens) == std::size_t{0}) count_initial(e.step);
  }

  // The first step that puts initial tokens in says how many a queue gets.
  void count_initial(StepId step) {
    filled_.insert(step);
    out_.fills = filled_.size();
    out_.bound += out_.fills == 1;
  }

  void on(const Dequeued& e) {
    const auto worker = worker_of(log_.name(e.queue), kTokens);
    if (!worker || !done_at_.contains(*worker)) return;
    out_.waited += now_ - done_at_[*worker];
    done_at_.erase(*worker);
  }

  // Who is gone, or is done, or whose step was cancelled, waits no longer.
  void on(const SessionMoved& e) {
    if (e.stage == SessionStage::left_loop || e.stage == SessionStage::failed) ends(e.task);
  }
  void on(const StepEnded& e) {
    if (e.code != 0) ends(e.task);
  }
  void on(const ProcessEnded& e) { ends(e.task); }

  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  void ends(TaskId task) {
    if (const auto it = worker_of_task_.find(task); it != worker_of_task_.end()) done_at_.erase(it->second);
  }

  const EventLog& log_;
  StaleStory out_;
  std::map<TaskId, std::size_t> worker_of_task_;
  std::map<std::size_t, Nanos> done_at_;  // of workers that wait for tokens since
  std::set<StepId> filled_;               // the steps that put initial tokens in
  std::set<StepId> inits_;                // steps that run a local_init_op: the chief's puts initial tokens in
  Nanos now_ = 0;
};

}  // namespace

std::optional<StaleStory> read_staleness(const EventLog& log) { return StaleReader(log).run(); }

}  // namespace tarry
