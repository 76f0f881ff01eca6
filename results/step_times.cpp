#include "results/step_times.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace tarry {
namespace {

struct Interval {
  Nanos begin = 0, end = 0;
};

// How much of time they cover together, from `from` to `to`.
Nanos covered(std::vector<Interval>& all, Nanos from, Nanos to) {
  std::ranges::sort(all, {}, &Interval::begin);
  Nanos sum = 0, until = from;
  for (const Interval& i : all) {
    if (i.begin >= to) break;
    const Nanos end = std::min(i.end, to);
    if (end <= until) continue;
    sum += end - std::max(i.begin, until);
    until = end;
  }
  return sum;
}

// The least time that a message took between two tasks, of those that were sent between two changes of latencies by
// faults: its latency.
class Latencies {
 public:
  explicit Latencies(const EventLog& log) {
    for (const LoggedEvent& e : log.events())
      if (const auto* c = std::get_if<ConditionChanged>(&e.event); c != nullptr && log.name(c->kind) == "delay")
        changes_.push_back(e.at);
    for (const LoggedEvent& e : log.events())
      if (const auto* m = std::get_if<MessageDelivered>(&e.event)) {
        Nanos& least = least_.try_emplace(key(*m), e.at - m->sent).first->second;
        least = std::min(least, e.at - m->sent);
      }
  }
  [[nodiscard]] Nanos of(const MessageDelivered& m) const { return least_.at(key(m)); }

 private:
  using Key = std::tuple<TaskId, TaskId, std::ptrdiff_t>;
  [[nodiscard]] Key key(const MessageDelivered& m) const {
    return {m.from, m.to, std::ranges::upper_bound(changes_, m.sent) - changes_.begin()};
  }

  std::vector<Nanos> changes_;
  absl::flat_hash_map<Key, Nanos> least_;  // looked up, never iterated
};

// A training step that has begun.
struct StepSoFar {
  StepId step;
  Nanos began = 0, pushed = -1;
  std::vector<Interval> on_the_way, transfers;
};

struct TaskSoFar {
  bool has_messages = false;
  ServerLoad load;
  std::vector<Interval> sent;
  std::optional<StepSoFar> open;  // the last that it began
};

class LoadReader {
 public:
  explicit LoadReader(const EventLog& log) : log_(log), latencies_(log) {}

  Loads run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      if (!tasks_[i].has_messages) continue;
      ServerLoad& load = out_.tasks[TaskId{i}] = std::move(tasks_[i].load);
      load.transferring = covered(tasks_[i].sent, log_.started_at, log_.ended_at);
    }
    return std::move(out_);
  }

 private:
  TaskSoFar& at(TaskId task) {
    if (task.index() >= tasks_.size()) tasks_.resize(task.index() + 1);
    return tasks_[task.index()];
  }
  StepSoFar* open_step(TaskId task, StepId step) {
    auto& open = at(task).open;
    return open && open->step == step ? &*open : nullptr;
  }

  void on(const StepBegan& e) {
    if (e.purpose != Purpose::train) return;
    at(e.task).open = StepSoFar{e.step, now_};
    worker_of_[e.step] = e.task;
  }
  void on(const GradientPushed& e) {
    const auto worker = worker_of_.find(e.step);
    if (worker == worker_of_.end()) return;
    if (StepSoFar* step = open_step(worker->second, e.step); step != nullptr) step->pushed = now_;
  }
  void on(const StepEnded& e) {
    StepSoFar* step = open_step(e.task, e.step);
    if (step == nullptr) return;
    if (e.code == 0) close(e.task, *step);
    at(e.task).open.reset();
    worker_of_.erase(e.step);
  }

  void close(TaskId task, StepSoFar& step) {
    const Nanos end = step.pushed < 0 ? now_ : step.pushed;
    StepTimes& times = out_.workers[task];
    times.own.push_back(end - step.began);
    times.total += end - step.began;
    times.on_the_way += covered(step.on_the_way, step.began, end);
    times.transferring += covered(step.transfers, step.began, end);
  }

  void on(const MessageDelivered& e) {
    if (now_ < log_.started_at || e.from == e.to) return;
    const Interval transfer{e.sent + latencies_.of(e), now_};
    for (const TaskId task : {e.from, e.to}) {
      TaskSoFar& t = at(task);
      t.has_messages = true;
      if (t.open) add(*t.open, {e.sent, now_}, transfer);
    }
    count(e, transfer);
  }

  static void add(StepSoFar& step, Interval whole, Interval transfer) {
    step.on_the_way.push_back(whole);
    if (transfer.end > transfer.begin) step.transfers.push_back(transfer);
  }

  void count(const MessageDelivered& e, Interval transfer) {
    TaskSoFar& from = at(e.from);
    from.load.bytes += e.bytes;
    ++from.load.messages;
    if (carries_tensor(e.kind)) ++from.load.tensors[e.bytes];
    if (transfer.end > transfer.begin) from.sent.push_back(transfer);
    at(e.to).load.bytes_in += e.bytes;
  }

  bool carries_tensor(NameId kind) {
    if (!tensor_kind_.valid() && log_.name(kind) == "RecvTensor reply") tensor_kind_ = kind;
    return kind == tensor_kind_;
  }

  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const Latencies latencies_;
  Loads out_;
  std::vector<TaskSoFar> tasks_;                   // by TaskId
  absl::flat_hash_map<StepId, TaskId> worker_of_;  // of open steps; looked up, never iterated
  NameId tensor_kind_;                             // none until one was seen
  Nanos now_ = 0;
};

}  // namespace

Nanos StepTimes::median() const {
  std::vector<Nanos> sorted = own;
  std::ranges::sort(sorted);
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

Loads read_loads(const EventLog& log) { return LoadReader(log).run(); }

}  // namespace tarry
