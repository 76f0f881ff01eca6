// The rendezvous of one step on one worker, local and remote (runtime.md D.6).
//
// A value from a device of the same task comes from the local table; from another task by a RecvTensor call: the receiver pulls. Aborting ends
// the calls in flight too; an answer that arrives later is dropped.
#pragma once

#include <map>

#include "workers/rendezvous/rendezvous.hpp"
#include "workers/worker/directory.hpp"

namespace tarry {

class StepRendezvous : public Rendezvous {
 public:
  StepRendezvous(Directory& directory, TaskId own, StepId step) : directory_(directory), own_(own), step_(step) {}

  [[nodiscard]] Status send(const TransferKey& key, Received value) override { return table.send(key.key, std::move(value)); }
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone done) override;
  void abort(const Status& why);

  LocalRendezvous table;

 private:
  struct Call {
    ReceiveDone done;
    CancellationManager* step = nullptr;
    CancellationManager::Token token = 0;
  };
  void receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone done);
  void answer(std::uint64_t id, StatusOr<Received> value);

  Directory& directory_;
  TaskId own_;
  StepId step_;
  std::map<std::uint64_t, Call> calls_;
  std::uint64_t last_call_ = 0;
  Status aborted_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);

 public:
  ~StepRendezvous() override { *alive_ = false; }
};

}  // namespace tarry
