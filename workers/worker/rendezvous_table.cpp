#include "workers/worker/rendezvous_table.hpp"

namespace tarry {
namespace {

constexpr Nanos kAbortDelay = 1'000'000'000;

}  // namespace

std::shared_ptr<StepRendezvous> RendezvousTable::of(StepId step) {
  auto& r = rendezvous_[step];
  if (!r) r = std::make_shared<StepRendezvous>(directory_, task_, step, &transfers_);
  return r;
}

bool RendezvousTable::holds(StepId step, const std::shared_ptr<StepRendezvous>& r) const {
  const auto it = rendezvous_.find(step);
  return it != rendezvous_.end() && it->second == r;
}

void RendezvousTable::release_if_idle(StepId step, const std::shared_ptr<StepRendezvous>& r) {
  if (r->is_idle() && holds(step, r)) rendezvous_.erase(step);
}

void RendezvousTable::abort_later(StepId step) {
  directory_.env.after(task_, kAbortDelay, [r = of(step), step] {
    r->abort(error(Code::kAborted, "Step {} cancelled.  Cancelling rendezvous.", step.value));
  });
}

void RendezvousTable::mark_clean_up(StepId step) const {
  Auditor* a = directory_.auditor;
  if (a == nullptr) return;
  const auto found = rendezvous_.find(step);
  if (found == rendezvous_.end()) return a->mark(Mark::clean_up_of_unknown_step);
  mark_if(found->second->users > 0, a, Mark::clean_up_of_running_step);
  mark_if(found->second->waiting() > 0, a, Mark::clean_up_ends_wait);
}

void RendezvousTable::clean_up(StepId step) {
  const auto kept = rendezvous_.find(step);
  const bool leaves = directory_.planted == PlantedClusterBug::clean_up_leaves_tensor && kept != rendezvous_.end();
  if (leaves && (kept->second->values() > 0 || kept->second->is_aborted())) return;
  mark_clean_up(step);
  if (auto found = rendezvous_.extract(step); !found.empty())
    found.mapped()->abort(error(Code::kAborted, "Cleanup {}", step.value));
}

}  // namespace tarry
