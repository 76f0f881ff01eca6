// The rendezvous of one step on one worker, local and remote (runtime.md D.6).
//
// A value from a device of the same task comes from the local table; from another task by a RecvTensor call: the receiver pulls. Aborting ends
// the calls in flight too; an answer that arrives later is dropped. Until the first RunGraph of the step initialises it, a RecvTensor of
// another task is deferred, and nothing releases a deferred one but that.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "placer/core/ascending_table.hpp"
#include "workers/rendezvous/rendezvous.hpp"
#include "workers/worker/directory.hpp"
#include "workers/worker/transfer_log.hpp"

namespace tarry {

class StepRendezvous : public Rendezvous, public std::enable_shared_from_this<StepRendezvous> {
 public:
  StepRendezvous(Directory& directory, TaskId own, StepId step, TransferLog* log = nullptr) : directory_(directory), own_(own), step_(step), log_(log) {}

  // A RunGraph of the step is here: deferred receives go on. Again: nothing.
  void initialize();

  // Fails: INVALID_ARGUMENT `Invalid rendezvous key (src): K @ W` for a key of another task's device.
  [[nodiscard]] Status send(const TransferKey& key, Received value) override;
  // Fails: INTERNAL `ValidateDevices called before initialization.`; INVALID_ARGUMENT `Invalid rendezvous key (dst): K @ W`; INTERNAL `No worker known as X`;
  // as the RecvTensor call.
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone done) override;
  // For another task. REQUIRES: the key's source is this task, or unknown.
  void receive_for_peer(const TransferKey& key, ReceiveDone done);
  void abort(const Status& why);

  // Nothing in it and nobody uses it: TensorFlow lets go of it, and a RecvTensor that comes now meets a new one.
  [[nodiscard]] bool is_idle() const { return users == 0 && table_.is_empty() && !table_.is_aborted() && deferred_.empty(); }

  int users = 0;  // RunGraphs in progress

 private:
  struct PendingReceive {
    ReceiveDone done;
    CancellationManager* step = nullptr;
    CancellationManager::Token token = 0;
    CallRef call;
    RendezvousKey key;
    Nanos began = 0;
  };
  void receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone done);
  void answer(std::uint64_t id, StatusOr<Received> value);
  static void end(PendingReceive& r, StatusOr<Received> value);
  void arrived(std::uint64_t id, const Received& value);
  [[nodiscard]] Status not_own(const TransferKey& key, const char* end) const;
  [[nodiscard]] Status unknown_worker(const TransferKey& key) const;

  Directory& directory_;
  TaskId own_;
  StepId step_;
  TransferLog* log_;
  bool initialized_ = false;
  LocalRendezvous table_;
  std::vector<std::pair<TransferKey, ReceiveDone>> deferred_;
  AscendingTable<PendingReceive> calls_;
};

}  // namespace tarry
