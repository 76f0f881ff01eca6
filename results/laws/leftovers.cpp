// What stands at the end of a run that should be gone (docs/rules/runtime.md#C.9.1, #D.2, #D.6, #D.8).
//
// TensorFlow leaves some things for ever, and so may a run: the rendezvous of a step whose master is gone or could not
// reach the task, and one that a late RecvTensor made anew after the clean-up (docs/rules/runtime.md#D.7.4).

#include <absl/container/flat_hash_map.h>

#include <set>

#include "results/laws/follow.hpp"

namespace tarry {
namespace {

constexpr Nanos kAbortDelay = 1'000'000'000;  // a cancelled step is aborted so much later (docs/rules/runtime.md#D.4.5)

class LeftoverLaw : public Follower {
 public:
  using Follower::Follower;
  using Follower::on;

  void on(const ProcessEnded& e) {
    lives_.on(e);
    ended_at_[e.task].push_back(now());
  }
  void on(const ProcessBegan& e) { lives_.on(e); }
  void on(const MessageCutOff& e) { under_way_.emplace(e.to, e.step); }
  void on(const KernelCutOff& e) { busy_.emplace(e.task, e.step); }
  void on(const AuditFact& f) {
    using What = AuditFact::What;
    if (f.what == What::clean_up_failed) failed_.emplace(f.task, f.step);
    if (f.what == What::save_waits) waits_for_storage(f);
    if (f.what == What::session_opened) deleted_.erase({f.task, f.text});
    if (f.what == What::session_deleted) deleted_[{f.task, f.text}] = f.process;
    const bool is_of_step = f.what == What::run_began || f.what == What::run_ended || f.what == What::run_cancelled ||
                            f.what == What::cleaned_up;
    if (is_of_step) follow(places_[{f.task, f.step}], f);
  }

  void end() {
    for (const AuditRest& r : run_.audit.rests) {
      if (r.what == AuditRest::What::rendezvous) look_at_rendezvous(r);
      if (r.what == AuditRest::What::session) look_at_session(r);
      if (r.what == AuditRest::What::queue) look_at_queue(r);
    }
    std::ranges::sort(cancelled_);
    for (const Where& where : cancelled_) look_at_run(where.first, where.second, places_.at(where));
  }

 private:
  // A step may have several such kernels.
  void waits_for_storage(const AuditFact& f) {
    const Where where(f.task, f.step);
    if (f.number != 0)
      saving_.insert(where);
    else
      saving_.erase(saving_.find(where));
  }

  struct Place {  // of a step at a process
    std::uint64_t process = 0;
    int open = 0;  // graphs whose executors have not ended
    Nanos cancelled = -1, cleaned_up = -1;
  };
  using Where = std::pair<TaskId, StepId>;

  void follow(Place& place, const AuditFact& f) {
    using What = AuditFact::What;
    if (place.process != f.process) place = {f.process};
    if (f.what == What::run_began) ++place.open;
    if (f.what == What::run_ended) --place.open;
    if (f.what == What::run_cancelled) {
      if (place.cancelled < 0) cancelled_.emplace_back(f.task, f.step);
      place.cancelled = now();
    }
    if (f.what == What::cleaned_up) place.cleaned_up = now();
    if (f.what == What::cleaned_up && f.number != 0)
      broken("{} was cleaned up at {}, and is still there", run_.show(f.step), run_.show(f.task));
  }

  // Whether the master's process lived on after the step's end, to clean up.
  [[nodiscard]] bool lived_on(const StepStory& s) const {
    const auto it = ended_at_.find(s.task);
    return it == ended_at_.end() || std::ranges::none_of(it->second, [&](Nanos at) { return at >= s.ended; });
  }

  void look_at_rendezvous(const AuditRest& r) {
    const Where where(r.task, r.step);
    const StepStory* story = run_.find(r.step);
    const auto place = places_.find(where);
    const bool is_known = place != places_.end() && place->second.process == r.process;
    if (story == nullptr || (is_known && place->second.open > 0)) return;
    if (is_known && place->second.cleaned_up >= 0) {
      if (r.a > 0)
        broken("{} left {} tensors at {}, where it was cleaned up", run_.show(r.step), r.a, run_.show(r.task));
      return;
    }
    const bool is_due = story->ended >= 0 && story->ended < run_.log.ended_at && lived_on(*story);
    if (is_known && is_due && !under_way_.contains(where) && !failed_.contains(where))
      broken("{} ended at {:.3f} s, and was never cleaned up at {}", run_.show(r.step),
             in_seconds(story->ended - run_.log.started_at), run_.show(r.task));
  }

  // A cancelled step ends as soon as its kernels have: nothing in it waits.
  void look_at_run(TaskId task, StepId step, const Place& place) {
    if (place.open == 0 || place.cancelled < 0 || busy_.contains({task, step})) return;
    if (saving_.contains({task, step})) return;
    if (!lives_.is_present(task) || lives_.number(task) != place.process) return;
    if (run_.log.ended_at > place.cancelled + kAbortDelay)
      broken("{} has not ended at {}, where it was cancelled at {:.3f} s", run_.show(step), run_.show(task),
             in_seconds(place.cancelled - run_.log.started_at));
  }

  void look_at_session(const AuditRest& r) {
    if (const auto it = deleted_.find({r.task, r.name}); it != deleted_.end() && it->second == r.process)
      broken("session {} is still at {}, where it was deleted", run_.text(r.name), run_.show(r.task));
    const auto [it, is_first] = masters_.try_emplace({r.task, r.a}, r.b);
    if (!is_first && it->second != r.b)
      broken("{} keeps sessions of two incarnations of {}", run_.show(r.task),
             run_.show(TaskId{static_cast<std::size_t>(r.a)}));
  }

  void look_at_queue(const AuditRest& r) {
    if (r.b > 0 && r.c != 0)
      broken("{} dequeues wait at {} at {}, which is closed", r.b, run_.text(r.name), run_.show(r.task));
    if (r.b > 0 && r.a > 0 && run_.text(r.name).ends_with("sync_token_q"))
      broken("{} dequeues wait at {} at {}, which holds {} elements", r.b, run_.text(r.name), run_.show(r.task), r.a);
  }

  Lives lives_;
  std::map<TaskId, std::vector<Nanos>> ended_at_;
  absl::flat_hash_map<Where, Place> places_;  // looked up, never iterated
  std::vector<Where> cancelled_;              // of them
  std::set<Where> under_way_, busy_, failed_;
  std::multiset<Where> saving_;
  std::map<std::pair<TaskId, std::uint32_t>, std::uint64_t> deleted_;  // sessions, and at which process
  std::map<std::pair<TaskId, std::int64_t>, std::int64_t> masters_;    // of sessions, and their incarnations
};

}  // namespace

std::string breach_of_leftovers(const AuditedRun& run) { return first_breach_of<LeftoverLaw>(run); }

}  // namespace tarry
