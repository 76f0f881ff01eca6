// Steps: the global step, beginnings and ends, and what an ended step may still do (docs/rules/runtime.md#C.6, #D.4,
// #D.8, #E.3, #F.7.1).

#include "results/laws/follow.hpp"

namespace tarry {
namespace {

class GlobalStepLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) { values_.erase(e.task); }
  void on(const ScalarAssigned& e) {
    if (run_.log.name(e.variable) != "global_step") return;
    const StepStory* story = run_.find(e.step);
    const bool may_jump = story != nullptr && (story->purpose == Purpose::init || story->purpose == Purpose::restore);
    const auto before = values_.find(e.task);
    if (!may_jump && before == values_.end())
      return broken("{} moved the global step to {} before it was initialised", run_.show(e.step), e.value);
    if (!may_jump && e.value != before->second + 1)
      return broken("{} moved the global step from {} to {}", run_.show(e.step), before->second, e.value);
    values_[e.task] = e.value;
  }

 private:
  std::map<TaskId, std::int64_t> values_;
};

class StepLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) { lives_.on(e); }
  void on(const ProcessBegan& e) { lives_.on(e); }
  void on(const StepBegan& e) {
    if (!open_.try_emplace(e.step, lives_.number(e.task)).second)
      return broken("{} began a second time", run_.show(e.step));
    if (!lives_.is_present(e.task)) broken("{} began, though it has no process", run_.show(e.step));
  }
  void on(const StepEnded& e) {
    const auto it = open_.find(e.step);
    if (it == open_.end()) return broken("{} ended, though it had not begun", run_.show(e.step));
    if (it->second == kEnded) return broken("{} ended a second time", run_.show(e.step));
    if (std::exchange(it->second, kEnded) != lives_.number(e.task))
      broken("{} ended, though the process that began it is gone", run_.show(e.step));
  }

 private:
  static constexpr std::uint64_t kEnded = ~std::uint64_t{0};
  Lives lives_;
  absl::flat_hash_map<StepId, std::uint64_t> open_;  // the process that began it; looked up, never iterated
};

// Where a step's graph runs: at one process of a task.
class RestLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (!is_of_run(f.what)) return;
    State& s = states_[{f.task, f.step}];
    if (f.what == What::run_began && s.process == f.process && s.is_cleaned_up)
      return broken("{} began at {}, where it was cleaned up", run_.show(f.step), run_.show(f.task));
    if (f.what == What::run_began) s = {f.process, s.open + 1};
    if (s.process != f.process) return;
    if (f.what == What::run_ended) --s.open, s.has_ended = true;
    s.is_cancelled |= f.what == What::run_cancelled;
    s.is_cleaned_up |= f.what == What::cleaned_up;
    if (f.what == What::value_arrived && (s.is_cancelled || s.is_cleaned_up || is_over(s)))
      broken("{} took {} at {}, where it was {}", run_.show(f.step), run_.text(f.text), run_.show(f.task), why(s));
  }
  void on(const GradientPushed& e) { happens(e, "pushed a gradient"); }
  void on(const Enqueued& e) { blocks(e, "put an element into a queue"); }
  void on(const Dequeued& e) { blocks(e, "took an element from a queue"); }
  void on(const AggregateTaken& e) { blocks(e, "took an aggregate"); }
  void on(const ScalarAssigned& e) { happens(e, "assigned a variable"); }
  void on(const KernelRan& e) { happens(e, "ran a kernel"); }

 private:
  struct State {
    std::uint64_t process = 0;
    int open = 0;
    bool has_ended = false, is_cancelled = false, is_cleaned_up = false;
  };
  static bool is_of_run(AuditFact::What what) {
    using What = AuditFact::What;
    return what == What::run_began || what == What::run_ended || what == What::run_cancelled ||
           what == What::cleaned_up || what == What::value_arrived;
  }
  static bool is_over(const State& s) { return s.has_ended && s.open == 0; }
  static const char* why(const State& s) {
    return s.is_cleaned_up ? "cleaned up" : s.is_cancelled ? "cancelled" : "over";
  }
  template <class E>
  [[nodiscard]] const State* state(const E& e) const {
    const auto it = states_.find({e.task, e.step});
    return it == states_.end() ? nullptr : &it->second;
  }
  // What is in progress goes on after a cancellation.
  template <class E>
  void happens(const E& e, const char* what) {
    if (const State* s = state(e); s != nullptr && is_over(*s))
      broken("{} {} at {}, where it had ended", run_.show(e.step), what, run_.show(e.task));
  }
  // What waits does not.
  template <class E>
  void blocks(const E& e, const char* what) {
    happens(e, what);
    if (const State* s = state(e); s != nullptr && s->is_cancelled)
      broken("{} {} at {}, where it was cancelled", run_.show(e.step), what, run_.show(e.task));
  }

  absl::flat_hash_map<std::pair<TaskId, StepId>, State> states_;  // looked up, never iterated
};

}  // namespace

std::string breach_of_global_step(const AuditedRun& run) { return first_breach_of<GlobalStepLaw>(run); }
std::string breach_of_steps(const AuditedRun& run) { return first_breach_of<StepLaw>(run); }
std::string breach_of_rest(const AuditedRun& run) { return first_breach_of<RestLaw>(run); }

}  // namespace tarry
