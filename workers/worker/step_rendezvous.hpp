// The rendezvous of one step on one worker, local and remote (docs/rules/runtime.md#D.6).
//
// A value from a device of the same task comes from the local table; from another task by a RecvTensor call: the
// receiver pulls. Aborting ends the calls in flight too; an answer that arrives later is dropped. Until the first
// RunGraph of the step initialises it, a RecvTensor of another task is deferred, and nothing releases a deferred one
// but that.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "workers/rendezvous/rendezvous.hpp"
#include "workers/worker/directory.hpp"
#include "workers/worker/transfer_log.hpp"

namespace tarry {

class StepRendezvous : public Rendezvous {
 public:
  StepRendezvous(Directory& directory, TaskId own, StepId step, TransferLog* log = nullptr);
  ~StepRendezvous() override;

  // A RunGraph of the step is here: deferred receives go on. Again: nothing.
  void initialize();

  // All fail as it was aborted. Also: INVALID_ARGUMENT `Invalid rendezvous key (src): K @ W` for a key of another
  // task's device.
  [[nodiscard]] Status send(const TransferKey& key, Received value) override;
  // Fails: INTERNAL `ValidateDevices called before initialization.`; INVALID_ARGUMENT `Invalid rendezvous key (dst): K
  // @ W`; INTERNAL `No worker known as X`; as the RecvTensor call.
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override;
  // For another task. REQUIRES: the key's source is this task, or unknown.
  void receive_for_peer(const TransferKey& key, ReceiveDone&& done);
  // Everybody who waits gets the error, and who comes later that of the first abort. A waiter that aborts in turn, as a
  // step does whose Recv fails, is told of first: its error, which names the node, is what the step's rendezvous keeps
  // (seen in 2.15.1).
  void abort(const Status& why);

  // Nothing in it and nobody uses it: TensorFlow lets go of it, and a RecvTensor that comes now meets a new one.
  [[nodiscard]] bool is_idle() const {
    return users == 0 && table_.is_empty() && !table_.is_aborted() && deferred_.empty();
  }

  int users = 0;  // RunGraphs in progress

 private:
  // A RecvTensor call that waits for its answer: owned by the table and the call, and known to the step, which may
  // cancel it. Out of the table it has ended.
  struct PendingReceive;
  using PendingRef = boost::intrusive_ptr<PendingReceive>;
  using InTable = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  struct PendingReceive final : InTable,
                                CancellationManager::Waiter,
                                boost::intrusive_ref_counter<PendingReceive, boost::thread_unsafe_counter> {
    PendingReceive(const StepRendezvous& of, const RendezvousKey& k, ReceiveDone&& d, Nanos now)
        : owner(of), key(k), done(std::move(d)), began(now) {}
    void end(StatusOr<Received> value);
    void cancel() override;
    [[nodiscard]] bool waits() const { return InTable::is_linked(); }
    PendingRef leave();

    const StepRendezvous& owner;
    RendezvousKey key;
    ReceiveDone done;
    Nanos began;
    CallRef call = nullptr;
  };
  using Pending = boost::intrusive::list<PendingReceive, boost::intrusive::base_hook<InTable>,
                                         boost::intrusive::constant_time_size<false>>;

  void receive_remotely(const TransferKey& key, CancellationManager& step, ReceiveDone&& done);
  void arrived(const PendingReceive& r, const Received& value) const;
  [[nodiscard]] Status not_own(const TransferKey& key, const char* end) const;
  [[nodiscard]] Status unknown_worker(const TransferKey& key) const;

  Directory& directory_;
  TaskId own_;
  StepId step_;
  TransferLog* log_;
  bool initialized_ = false;
  Status status_;  // what those hear who come after an abort
  LocalRendezvous table_;
  std::vector<std::pair<TransferKey, ReceiveDone>> deferred_;
  Pending pending_;  // in the order of the receives
  std::uint64_t receives_ = 0;
};

}  // namespace tarry
