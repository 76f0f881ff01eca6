#include "results/moment.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "results/event_reader.hpp"

namespace tarry {
namespace {

class MomentReader {
 public:
  JobState run(const EventLog& log, Nanos at) {
    for (const LoggedEvent& e : log.events()) {
      now_ = e.at - log.started_at;
      if (now_ > at) break;
      pass_on(e.event, *this);
    }
    return std::move(out_);
  }

  void on(const StepBegan& e) {
    if (e.purpose == Purpose::train) {
      out_.steps[e.task] = {.step = e.step, .began = now_};
      began_by_[e.step] = e.task;
    }
    if (e.purpose == Purpose::sync) out_.sync_steps[e.step] = out_.sync_client = e.task;
  }
  void on(const StepEnded& e) {
    if (const auto it = out_.steps.find(e.task); it != out_.steps.end() && it->second.step == e.step)
      out_.steps.erase(it);
    out_.sync_steps.erase(e.step);
  }
  void on(const ProcessEnded& e) {
    out_.steps.erase(e.task);
    std::erase_if(out_.sync_steps, [&](const auto& open) { return open.second == e.task; });
    for (AccumulatorAt& a : out_.accumulators)
      if (a.task == e.task) a.left.clear(), a.take_is_open = false;  // the next process has an empty one
  }
  void on(const GradientPushed& e) {
    AccumulatorAt& a = accumulator(e.accumulator, e.task);
    const auto of = open(e.step);
    if (of != out_.steps.end()) of->second.pushed_to.push_back(e.accumulator);
    if (e.accepted) ++a.left[of == out_.steps.end() ? TaskId::none() : of->first];
  }
  void on(const Dequeued& e) {
    if (const auto of = open(e.step); of != out_.steps.end() && !of->second.pushed_to.empty())
      of->second.has_token = true;
  }
  void on(const TakeIssued& e) {
    AccumulatorAt& a = accumulator(e.accumulator, e.task);
    a.required = e.required;
    a.take_is_open = true;
  }
  void on(const AggregateTaken& e) {
    AccumulatorAt& a = accumulator(e.accumulator, e.task);
    ++a.aggregates;
    a.take_is_open = false;
    a.left.clear();
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  // The training step if it is under way, else the end.
  std::map<TaskId, OpenStep>::iterator open(StepId step) {
    const auto by = began_by_.find(step);
    const auto it = by == began_by_.end() ? out_.steps.end() : out_.steps.find(by->second);
    return it == out_.steps.end() || it->second.step == step ? it : out_.steps.end();
  }

  AccumulatorAt& accumulator(NameId name, TaskId task) {
    const auto it = std::ranges::find(out_.accumulators, name, &AccumulatorAt::name);
    if (it != out_.accumulators.end()) return *it;
    return out_.accumulators.emplace_back(AccumulatorAt{.name = name, .task = task});
  }

  JobState out_;
  absl::flat_hash_map<StepId, TaskId> began_by_;  // training steps; looked up, never iterated
  Nanos now_ = 0;
};

}  // namespace

std::int64_t AccumulatorAt::gradients() const {
  std::int64_t n = 0;
  for (const auto& [worker, count] : left) n += count;
  return n;
}

bool JobState::waits_for_token(TaskId worker, NameId accumulator) const {
  const auto it = steps.find(worker);
  return it != steps.end() && !it->second.has_token && std::ranges::count(it->second.pushed_to, accumulator) > 0;
}

const AccumulatorAt* JobState::next_to_fill() const {
  const AccumulatorAt* next = nullptr;
  const auto comes_before = [](const AccumulatorAt& a, const AccumulatorAt& b) {
    return a.take_is_open != b.take_is_open ? a.take_is_open : a.aggregates < b.aggregates;
  };
  for (const AccumulatorAt& a : accumulators)
    if (a.gradients() < a.required && (next == nullptr || comes_before(a, *next))) next = &a;
  return next != nullptr || accumulators.empty() ? next : &accumulators.front();
}

JobState moment_at(const EventLog& log, Nanos at) { return MomentReader().run(log, at); }

}  // namespace tarry
