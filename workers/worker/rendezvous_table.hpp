// The rendezvous of each step that a worker takes part in (docs/rules/runtime.md#D.6).
#pragma once

#include <absl/container/flat_hash_map.h>

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
  void release_if_idle(StepId step, const std::shared_ptr<StepRendezvous>& r);
  // ABORTED "Step N cancelled.  Cancelling rendezvous.", a second from now, so that the cause travels first
  // (docs/rules/runtime.md#D.4).
  void abort_later(StepId step);
  // The master is done with the step: ABORTED "Cleanup N" for whoever still waits.
  void clean_up(StepId step);
  [[nodiscard]] TransferLog& transfers() { return transfers_; }

 private:
  Directory& directory_;
  TaskId task_;
  TransferLog transfers_;
  absl::flat_hash_map<StepId, std::shared_ptr<StepRendezvous>> rendezvous_;  // looked up, never iterated
};

}  // namespace tarry
