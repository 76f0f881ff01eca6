// Where the tensors of one step are handed over on one worker (docs/rules/runtime.md#D.6).
//
// A value sent before its receive waits under its key; so does a receive before its send. Keys are FIFO queues: several
// sends and several receives of one key pair up in order. Aborting fails every waiting receive with the error, drops
// the values, and fails all later calls with the error of the first abort.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <map>
#include <vector>

#include "workers/callbacks.hpp"
#include "workers/events.hpp"
#include "workers/tensor/cancellation.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

struct Received {
  TensorRef tensor;  // null when dead
  bool is_dead = false;
};
using ReceiveDone = absl::AnyInvocable<void(StatusOr<Received>) &&>;

// The key's text is made once, at registration; the loop frame and iteration (0:0 outside loops) are kept beside it, so
// that no text is made per iteration.
struct RendezvousKey {
  NameId text;              // ends ";0:0"
  std::uint64_t frame = 0;  // key.hpp, child_frame_id
  std::int64_t iteration = 0;
  RendezvousKey() = default;
  RendezvousKey(NameId t, std::uint64_t f = 0, std::int64_t i = 0)
      : text(t), frame(f), iteration(i) {}  // NOLINT(google-explicit-constructor)
  friend auto operator<=>(const RendezvousKey&, const RendezvousKey&) = default;
};

// A key as a Send or Recv kernel holds it.
struct TransferKey {
  RendezvousKey key;
  TaskId source;       // the task of the sending device
  bool is_own = true;  // the source device of a send, or the destination device of a receive, belongs to this worker
  [[nodiscard]] TransferKey in(std::uint64_t frame, std::int64_t iteration) const {
    return {{key.text, frame, iteration}, source, is_own};
  }
};

// The interface that executors use.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  [[nodiscard]] virtual Status send(const TransferKey& key, Received value) = 0;
  // Fails when `step` is cancelled: CANCELLED `RecvAsync is cancelled.`, a derived error.
  virtual void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) = 0;
};

// The error that an abort for `why` passes on: CANCELLED and ABORTED follow from another error, so they become derived
// errors.
[[nodiscard]] Status told_by_abort(const Status& why);

// The table of values and waiting receives of one process.
class LocalRendezvous {
 public:
  [[nodiscard]] Status send(const RendezvousKey& key, Received value);
  void receive(const RendezvousKey& key, CancellationManager* step, ReceiveDone&& done);
  void abort(const Status& why);
  [[nodiscard]] bool is_empty() const { return table_.empty(); }
  [[nodiscard]] bool is_aborted() const { return !aborted_.ok(); }
  [[nodiscard]] bool holds(const RendezvousKey& key) const;  // a value
  [[nodiscard]] std::size_t waiting() const;                 // receives not yet served
  [[nodiscard]] std::size_t values() const;                  // not yet received

 private:
  struct Waiter {
    ReceiveDone done;
    CancellationManager::Registration registration;
    std::uint64_t id = 0;
  };
  struct Slot {  // at least one of the two is empty
    absl::InlinedVector<Received, 1> values;
    absl::InlinedVector<Waiter, 1> waiters;
  };
  void cancel(const RendezvousKey& key, std::uint64_t id);
  using Table = std::map<RendezvousKey, Slot>;  // holds few keys at a time; its nodes never move
  void forget_if_empty(Table::iterator at);

  Table table_;
  Status aborted_;
  std::uint64_t last_id_ = 0;
};

}  // namespace tarry
