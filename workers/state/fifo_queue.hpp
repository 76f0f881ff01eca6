// A queue shared by steps and sessions (docs/rules/runtime.md#C.9): first in first out, or by priority, or at random.
//
// Attempts to enqueue and to dequeue wait in strict order with head-of-line blocking: only the front attempt is tried,
// cancelled ones are skipped. Closing refuses new elements; what is inside can still be taken. Texts and codes are
// TensorFlow's. An element is a tuple of components. Outcomes are delivered from inside the call that makes them
// possible.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "placer/core/planted_cluster.hpp"
#include "workers/tensor/cancellation.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

using QueueElement = std::vector<TensorRef>;
using DequeueDone = absl::AnyInvocable<void(StatusOr<QueueElement>) &&>;
using DequeueManyDone = absl::AnyInvocable<void(StatusOr<std::vector<QueueElement>>) &&>;

// How the kinds of queues differ.
struct QueueKind {
  std::string one = "FIFOQueue",
              many = one;    // the kind's name in texts about one element and about several (a padding queue has two)
  bool by_priority = false;  // by the first component, an int64: least first, equals as a heap leaves them
  std::function<std::size_t(std::size_t size)> pick = {};  // which element leaves; empty = the first
  std::int64_t stay = 0;                                   // so many elements stay inside until the queue is closed
};

class FifoQueue {
 public:
  FifoQueue(std::string name, std::int64_t capacity, QueueKind kind = {})
      : name_(std::move(name)), capacity_(capacity), kind_(std::move(kind)) {}  // capacity < 0: unbounded

  void enqueue(QueueElement element, CancellationManager& step, StatusCallback&& done);
  // Enqueues all elements; when cancelled or closed on the way, only the first few.
  void enqueue_many(std::vector<QueueElement> elements, CancellationManager& step, StatusCallback&& done);
  void dequeue(CancellationManager& step, DequeueDone&& done);
  // Takes elements as they arrive, until it has `count`. When it is cancelled, the elements it holds are lost. When the
  // queue is closed with too few left, they go back to the front; with `up_to`, one or more are enough. A queue by
  // priority takes all at once, when there are enough.
  void dequeue_many(std::int64_t count, bool up_to, CancellationManager& step, DequeueManyDone&& done);
  void clear();  // then waiting enqueues are tried
  // A close waits until pending enqueues are done; with `cancel_pending`, these (and pending closes) fail and the queue
  // closes at once. Pending dequeues that cannot be served then fail. Closing twice fails: ABORTED, unless
  // `cancel_pending`.
  void close(bool cancel_pending, StatusCallback done);

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] const QueueKind& kind() const { return kind_; }
  // With those that waiting dequeues of several have taken; and how many were lost with such dequeues.
  [[nodiscard]] std::size_t inside() const;
  [[nodiscard]] std::size_t lost() const { return lost_; }
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] std::size_t waiting_dequeues() const { return dequeues_.size(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }

  // Called when an element enters or leaves, with the `tag` that was set when enqueue or dequeue was called.
  std::function<void(const QueueElement&, std::uint64_t tag)> on_enqueued, on_dequeued;
  // The tag of the calls that follow (the step's id); a plain field, since one thread runs everything.
  std::uint64_t tag = 0;
  PlantedClusterBug planted = PlantedClusterBug::none;
  class Auditor* auditor = nullptr;  // null = nobody audits (workers/auditor.hpp)

 private:
  struct Enqueue {
    std::vector<QueueElement> elements;
    std::size_t entered = 0;  // how many of `elements`
    StatusCallback done;
    CancellationManager::Registration registration;
    std::uint64_t tag = 0, id = 0;
    bool is_close = false;
  };
  struct Dequeue {
    DequeueManyDone done;
    std::vector<QueueElement> taken;
    std::size_t wanted = 1;  // in total
    bool up_to = false, one = false;
    CancellationManager::Registration registration;
    std::uint64_t tag = 0, id = 0;
  };

  void begin(Dequeue attempt, CancellationManager& step);
  void cancel_enqueue(std::uint64_t id);
  void cancel_dequeue(std::uint64_t id);
  void flush();
  bool try_enqueue();
  bool try_dequeue();
  [[nodiscard]] std::size_t available() const;
  QueueElement take_element();
  void put_element(QueueElement element);
  void give_back(Dequeue& attempt);
  bool refuse_front();
  void finish_close();
  void close_and_cancel(StatusCallback done);
  [[nodiscard]] Status closed_enqueue() const;
  [[nodiscard]] Status closed_dequeue(const Dequeue& attempt, std::size_t size) const;

  std::string name_;
  std::int64_t capacity_;
  QueueKind kind_;
  bool closed_ = false, flushing_ = false;
  std::uint64_t last_id_ = 0;
  std::size_t lost_ = 0;
  std::deque<QueueElement> elements_;
  std::deque<Enqueue> enqueues_;
  std::deque<Dequeue> dequeues_;
};

}  // namespace tarry
