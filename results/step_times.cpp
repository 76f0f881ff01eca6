#include "results/step_times.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

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
    const Nanos end = std::min(i.end, to);
    if (end <= until) continue;
    sum += end - std::max(i.begin, until);
    until = end;
  }
  return sum;
}

using Paths = std::map<std::pair<TaskId, TaskId>, Nanos>;

Paths latencies(const EventLog& log) {
  Paths least;
  for (const LoggedEvent& e : log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event)) {
      const auto [it, is_new] = least.emplace(std::pair(m->from, m->to), e.at - m->sent);
      it->second = std::min(it->second, e.at - m->sent);
    }
  return least;
}

class LoadReader {
 public:
  explicit LoadReader(const EventLog& log) : log_(log), latency_(latencies(log)) {}

  Loads run() {
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at;
      std::visit([this](const auto& event) { on(event); }, e.event);
    }
    for (auto& [task, load] : out_.tasks) load.transferring = covered(sent_[task], log_.started_at, log_.ended_at);
    return std::move(out_);
  }

 private:
  struct OpenStep {
    TaskId task;
    Nanos began = 0, pushed = -1;
    std::vector<Interval> on_the_way, transfers;
  };

  void on(const StepBegan& e) {
    if (e.purpose != Purpose::train) return;
    open_[e.step] = {e.task, now_, -1, {}, {}};
    of_task_[e.task] = e.step;
  }
  void on(const GradientPushed& e) {
    if (const auto it = open_.find(e.step); it != open_.end()) it->second.pushed = now_;
  }
  void on(const StepEnded& e) {
    const auto it = open_.find(e.step);
    if (it == open_.end()) return;
    if (e.code == 0) close(it->second);
    of_task_.erase(it->second.task);
    open_.erase(it);
  }

  void close(OpenStep& step) {
    const Nanos end = step.pushed < 0 ? now_ : step.pushed;
    StepTimes& times = out_.workers[step.task];
    times.own.push_back(end - step.began);
    times.total += end - step.began;
    times.on_the_way += covered(step.on_the_way, step.began, end);
    times.transferring += covered(step.transfers, step.began, end);
  }

  void on(const MessageDelivered& e) {
    if (now_ < log_.started_at || e.from == e.to) return;
    const Interval transfer{e.sent + latency_.at({e.from, e.to}), now_};
    for (const TaskId task : {e.from, e.to})
      if (const auto it = of_task_.find(task); it != of_task_.end())
        add(open_.at(it->second), {e.sent, now_}, transfer);
    count(e, transfer);
  }

  static void add(OpenStep& step, Interval whole, Interval transfer) {
    step.on_the_way.push_back(whole);
    if (transfer.end > transfer.begin) step.transfers.push_back(transfer);
  }

  void count(const MessageDelivered& e, Interval transfer) {
    ServerLoad& load = out_.tasks[e.from];
    load.bytes += e.bytes;
    ++load.messages;
    if (log_.name(e.kind) == "RecvTensor reply") ++load.tensors[e.bytes];
    if (transfer.end > transfer.begin) sent_[e.from].push_back(transfer);
    out_.tasks[e.to].bytes_in += e.bytes;
  }

  template <class E>
  void on(const E&) {}

  const EventLog& log_;
  const Paths latency_;
  Loads out_;
  std::map<StepId, OpenStep> open_;  // training steps
  std::map<TaskId, StepId> of_task_;
  std::map<TaskId, std::vector<Interval>> sent_;
  Nanos now_ = 0;
};

}  // namespace

Nanos StepTimes::median() const {
  std::vector<Nanos> sorted = own;
  std::ranges::sort(sorted);
  return sorted.empty() ? 0 : sorted[sorted.size() / 2];
}

Loads read_loads(const EventLog& log) { return LoadReader(log).run(); }

std::uint64_t busiest_if_greedy(std::vector<std::uint64_t> tensors, std::size_t servers) {
  std::vector<std::uint64_t> load(std::max<std::size_t>(servers, 1), 0);
  std::ranges::sort(tensors, std::greater());
  for (const std::uint64_t bytes : tensors) *std::ranges::min_element(load) += bytes;
  return std::ranges::max(load);
}

}  // namespace tarry
