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

#include "workers/tensor/cancellation.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

using QueueElement = std::vector<TensorRef>;
using DequeueDone = absl::AnyInvocable<void(StatusOr<QueueElement>) &&>;
using DequeueManyDone = absl::AnyInvocable<void(StatusOr<std::vector<QueueElement>>) &&>;

// How the kinds of queues differ.
struct QueueKind {
  std::string one = "FIFOQueue",
              many = one;    // in texts about one element, about several (a padding queue has two names)
  bool by_priority = false;  // the first component, an int64: least first, equals in order of arrival
  std::function<std::size_t(std::size_t size)> pick = {};  // which element leaves; empty = the first
  std::int64_t stay = 0;                                   // that many stay inside until the queue is closed
};

class FifoQueue {
 public:
  FifoQueue(std::string name, std::int64_t capacity, QueueKind kind = {})
      : name_(std::move(name)), capacity_(capacity), kind_(std::move(kind)) {}  // capacity < 0: unbounded

  void enqueue(QueueElement element, CancellationManager& step, StatusCallback&& done);
  // All or, when cancelled or closed on the way, the first few.
  void enqueue_many(std::vector<QueueElement> elements, CancellationManager& step, StatusCallback&& done);
  void dequeue(CancellationManager& step, DequeueDone&& done);
  // Takes elements as they come, until it has them all. What it holds when it is cancelled is lost; when the queue is
  // closed with too few left, it goes back to the front, or, with `up_to`, what is left is enough, if anything is.
  void dequeue_many(std::int64_t count, bool up_to, CancellationManager& step, DequeueManyDone&& done);
  void clear();  // and lets waiting enqueues in
  // A close waits behind the enqueues that are pending; with `cancel_pending` those (and pending closes) fail and it
  // happens at once. Pending dequeues then fail as closed. Closing twice fails: ABORTED, unless `cancel_pending`.
  void close(bool cancel_pending, StatusCallback done);

  [[nodiscard]] std::size_t size() const { return elements_.size(); }
  [[nodiscard]] bool is_closed() const { return closed_; }
  [[nodiscard]] std::size_t waiting_dequeues() const { return dequeues_.size(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }

  // Called as elements come and go, with the step's tag given by the caller of enqueue or dequeue.
  std::function<void(const QueueElement&, std::uint64_t tag)> on_enqueued, on_dequeued;
  // The tag of the calls that follow (the step's id); a plain field, since one thread runs everything.
  std::uint64_t tag = 0;

 private:
  struct Enqueue {
    std::vector<QueueElement> elements;
    std::size_t entered = 0;  // of them
    StatusCallback done;
    CancellationManager::Registration registration;
    std::uint64_t tag = 0, id = 0;
    bool is_close = false;
  };
  struct Dequeue {
    DequeueManyDone done;
    std::vector<QueueElement> taken;
    std::size_t wanted = 1;  // in all
    bool up_to = false, one = false;
    CancellationManager::Registration registration;
    std::uint64_t tag = 0, id = 0;
  };

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
  std::deque<QueueElement> elements_;
  std::deque<Enqueue> enqueues_;
  std::deque<Dequeue> dequeues_;
};

}  // namespace tarry
