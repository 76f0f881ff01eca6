// Accumulators: what counts, and what an aggregate holds (docs/rules/runtime.md#C.9.2, #F.4, #F.7.5).

#include "results/laws/follow.hpp"

namespace tarry {
namespace {

using AccumulatorKey = std::pair<TaskId, NameId>;

template <class State>
void drop_process(std::map<AccumulatorKey, State>& all, TaskId task) {
  std::erase_if(all, [&](const auto& entry) { return entry.first.first == task; });
}

class StalenessLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) { drop_process(steps_, e.task); }
  void on(const GradientPushed& e) {
    const std::int64_t step = steps_[{e.task, e.accumulator}];
    if (e.accumulator_step != step)
      return broken("{} found {} at step {} in place of {}", run_.show(e.step), name(e.task, e.accumulator),
                    e.accumulator_step, step);
    if (e.accepted != (e.local_step >= step))
      broken("a gradient of {} with local step {} was {} by {}, which is at step {}", run_.show(e.step), e.local_step,
             e.accepted ? "accepted" : "dropped", name(e.task, e.accumulator), step);
  }
  void on(const AccumulatorStepSet& e) { steps_[{e.task, e.accumulator}] = e.step; }
  void on(const AggregateTaken& e) {
    const std::int64_t step = ++steps_[{e.task, e.accumulator}];
    if (e.accumulator_step != step)
      broken("an aggregate moved {} to step {} in place of {}", name(e.task, e.accumulator), e.accumulator_step, step);
  }
  void end() {
    for (const AuditRest& r : run_.audit.rests)
      for (const auto& [key, step] : steps_)
        if (r.what == AuditRest::What::accumulator && key.first == r.task &&
            run_.log.name(key.second) == run_.text(r.name) && r.b != step)
          broken("{} is at step {} in place of {}", name(r.task, key.second), r.b, step);
  }

 private:
  [[nodiscard]] std::string name(TaskId task, NameId accumulator) const {
    return fmt::format("{} at {}", run_.log.name(accumulator), run_.show(task));
  }
  std::map<AccumulatorKey, std::int64_t> steps_;
};

class AggregateLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) { drop_process(all_, e.task); }
  void on(const GradientPushed& e) { all_[{e.task, e.accumulator}].accepted += e.accepted ? 1 : 0; }
  void on(const TakeIssued& e) { all_[{e.task, e.accumulator}].takes[e.step] = e.required; }
  void on(const AggregateTaken& e) {
    State& s = all_[{e.task, e.accumulator}];
    const auto take = s.takes.find(e.step);
    if (take == s.takes.end())
      return broken("{} took an aggregate of {} without having asked for one", run_.show(e.step),
                    name(e.task, e.accumulator));
    if (e.averaged != std::exchange(s.accepted, 0))
      return broken("{} took {} gradients from {}, which had not accepted so many since the last aggregate",
                    run_.show(e.step), e.averaged, name(e.task, e.accumulator));
    if (e.averaged < take->second)
      broken("{} took {} gradients from {}, but required {}", run_.show(e.step), e.averaged,
             name(e.task, e.accumulator), take->second);
    s.takes.erase(take);
  }
  void end() {
    for (const AuditRest& r : run_.audit.rests)
      if (r.what == AuditRest::What::accumulator) look_at(r);
  }

 private:
  struct State {
    std::int64_t accepted = 0;  // since the last aggregate
    std::map<StepId, std::int64_t> takes;
  };
  [[nodiscard]] std::string name(TaskId task, NameId accumulator) const {
    return fmt::format("{} at {}", run_.log.name(accumulator), run_.show(task));
  }
  void look_at(const AuditRest& r) {
    if (r.c > 0 && r.a >= r.d)
      broken("{} at {} has {} gradients, and a take that requires {} waits", run_.text(r.name), run_.show(r.task), r.a,
             r.d);
    for (const auto& [key, s] : all_)
      if (key.first == r.task && run_.log.name(key.second) == run_.text(r.name) && s.accepted != r.a)
        broken("{} has {} gradients, but accepted {} since the last aggregate", name(r.task, key.second), r.a,
               s.accepted);
  }

  std::map<AccumulatorKey, State> all_;
};

}  // namespace

std::string breach_of_staleness(const AuditedRun& run) { return first_breach_of<StalenessLaw>(run); }
std::string breach_of_aggregates(const AuditedRun& run) { return first_breach_of<AggregateLaw>(run); }

}  // namespace tarry
