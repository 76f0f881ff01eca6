// The rendezvous of each step that a worker takes part in (docs/rules/runtime.md#D.6).
#pragma once

#include <absl/container/btree_map.h>

#include <memory>

#include "workers/worker/step_rendezvous.hpp"
#include "workers/worker/transfer_log.hpp"

namespace tarry {

class RendezvousTable {
 public:
  RendezvousTable(Directory& directory, TaskId task) : directory_(directory), task_(task) {}

  // Made when first asked for, by an executor or by a peer that is early.
  [[nodiscard]] std::shared_ptr<StepRendezvous> of(StepId step);
  [[nodiscard]] bool holds(StepId step, const std::shared_ptr<StepRendezvous>& r) const;
  [[nodiscard]] bool holds(StepId step) const { return rendezvous_.contains(step); }
  void release_if_idle(StepId step, const std::shared_ptr<StepRendezvous>& r);
  // ABORTED "Step N cancelled.  Cancelling rendezvous.", a second from now, so that the cause travels first
  // (docs/rules/runtime.md#D.4).
  void abort_later(StepId step);
  // The master is done with the step: ABORTED "Cleanup N" for whoever still waits.
  void clean_up(StepId step);
  [[nodiscard]] TransferLog& transfers() { return transfers_; }
  // Calls `f(step, rendezvous)` for each, in order.
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [step, r] : rendezvous_) f(step, *r);
  }

 private:
  void mark_clean_up(StepId step) const;

  Directory& directory_;
  TaskId task_;
  TransferLog transfers_;
  absl::btree_map<StepId, std::shared_ptr<StepRendezvous>> rendezvous_;
};

}  // namespace tarry
