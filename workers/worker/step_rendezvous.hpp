// The rendezvous of one step on one worker, local and remote (docs/rules/runtime.md#D.6).
//
// A value from a device of the same task comes from the local table; a value from another task comes by a RecvTensor
// call, which the receiver makes. Aborting ends the calls in flight too; an answer that arrives later is dropped. A
// RecvTensor call of another task that arrives before the first RunGraph of the step is deferred; only initialize()
// releases it, not even abort().
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

  // Called at each RunGraph of the step. The first call lets deferred receives go on; further calls do nothing.
  void initialize();

  // send and the receives fail with the first abort's error once the step is aborted. send also fails with
  // INVALID_ARGUMENT `Invalid rendezvous key (src): K @ W` for a key of another task's device.
  [[nodiscard]] Status send(const TransferKey& key, Received value) override;
  // Fails: INTERNAL `ValidateDevices called before initialization.`; INVALID_ARGUMENT `Invalid rendezvous key (dst): K
  // @ W`; INTERNAL `No worker known as X`; with the error of the RecvTensor call.
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override;
  // Receives for another task's RecvTensor call. REQUIRES: the key's source is this task, or unknown.
  void receive_for_peer(const TransferKey& key, ReceiveDone&& done);
  // Fails all that wait with the error, and all that comes later with the error of the first abort. Waiters at the
  // local table are told first; one that aborts in turn, as a step does whose Recv fails, counts as the first abort:
  // its error, which names the node, is the one that stays (seen in 2.15.1).
  void abort(const Status& why);

  // Whether it is empty and unused: then TensorFlow drops it, and a RecvTensor that arrives later gets a new one.
  [[nodiscard]] bool is_idle() const {
    return users == 0 && table_.is_empty() && !table_.is_aborted() && deferred_.empty();
  }

  int users = 0;  // RunGraphs in progress

  // What is in it, for an audit.
  [[nodiscard]] std::size_t values() const { return table_.values(); }
  [[nodiscard]] std::size_t waiting() const { return table_.waiting() + pending_.size(); }
  [[nodiscard]] std::size_t deferred() const { return deferred_.size(); }
  [[nodiscard]] bool is_aborted() const { return table_.is_aborted(); }

 private:
  // A RecvTensor call that waits for its answer. It is owned by `pending_` and by the call's callback, and known to the
  // step's CancellationManager. Once it is out of `pending_` it has ended.
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
  // What waits here meets an abort.
  void mark_abort() const;
  [[nodiscard]] bool keeps_receives() const { return directory_.planted == PlantedClusterBug::dead_step_counted; }
  [[nodiscard]] Status not_own(const TransferKey& key, const char* end) const;
  [[nodiscard]] Status unknown_worker(const TransferKey& key) const;

  Directory& directory_;
  TaskId own_;
  std::uint32_t process_;  // how many the task had before
  StepId step_;
  TransferLog* log_;
  bool initialized_ = false;
  Status status_;  // OK, or the error for all that comes after an abort
  LocalRendezvous table_;
  std::vector<std::pair<TransferKey, ReceiveDone>> deferred_;
  Pending pending_;  // in the order of the receives
  std::uint64_t receives_ = 0;
};

}  // namespace tarry
