#include "workers/kernels/fifo_queue.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

Status FifoQueue::closed_enqueue() const { return error(Code::kCancelled, "FIFOQueue '{}' is closed.", name_); }

Status FifoQueue::closed_dequeue() const {
  return error(Code::kOutOfRange, "FIFOQueue '{}' is closed and has insufficient elements (requested 1, current size {})", name_, elements_.size());
}

void FifoQueue::enqueue(QueueElement element, CancellationManager& step, StatusCallback done) {
  std::vector<QueueElement> one;
  one.push_back(std::move(element));
  enqueue_many(std::move(one), step, std::move(done));
}

void FifoQueue::enqueue_many(std::vector<QueueElement> elements, CancellationManager& step, StatusCallback done) {
  if (closed_) return std::move(done)(closed_enqueue());
  const std::uint64_t id = ++last_id_;
  const auto token = step.add([this, id] { cancel_enqueue(id); });
  if (token == 0) return std::move(done)(error(Code::kCancelled, "Enqueue operation was cancelled"));
  Enqueue attempt{.done = std::move(done), .step = &step, .token = token, .tag = tag, .id = id};
  attempt.rest.assign(std::make_move_iterator(elements.begin()), std::make_move_iterator(elements.end()));
  enqueues_.push_back(std::move(attempt));
  flush();
}

void FifoQueue::dequeue(CancellationManager& step, DequeueDone done) {
  const std::uint64_t id = ++last_id_;
  const auto token = step.add([this, id] { cancel_dequeue(id); });
  if (token == 0) return std::move(done)(error(Code::kCancelled, "Dequeue operation was cancelled"));
  dequeues_.push_back({.done = std::move(done), .step = &step, .token = token, .tag = tag, .id = id});
  flush();
}

void FifoQueue::cancel_enqueue(std::uint64_t id) {
  const auto it = std::ranges::find(enqueues_, id, &Enqueue::id);
  if (it == enqueues_.end()) return;
  StatusCallback done = std::move(it->done);
  enqueues_.erase(it);
  std::move(done)(error(Code::kCancelled, "Enqueue operation was cancelled"));
  flush();
}

void FifoQueue::cancel_dequeue(std::uint64_t id) {
  const auto it = std::ranges::find(dequeues_, id, &Dequeue::id);
  if (it == dequeues_.end()) return;
  DequeueDone done = std::move(it->done);
  dequeues_.erase(it);
  std::move(done)(error(Code::kCancelled, "Dequeue operation was cancelled"));
  flush();
}

void FifoQueue::close(bool cancel_pending, StatusCallback done) {
  if (cancel_pending) return close_and_cancel(std::move(done));
  if (closed_) return std::move(done)(error(Code::kAborted, "Queue '{}' is already closed.", name_));
  enqueues_.push_back({.done = std::move(done), .id = ++last_id_, .is_close = true});
  flush();
}

// Waits for nothing, and does not mind a queue that is closed already.
void FifoQueue::close_and_cancel(StatusCallback done) {
  closed_ = true;
  std::deque<Enqueue> pending = std::exchange(enqueues_, {});
  for (Enqueue& e : pending) {
    if (e.step != nullptr) e.step->remove(e.token);
    std::move(e.done)(error(Code::kCancelled, "Enqueue operation was cancelled"));
  }
  flush();
  std::move(done)(Status());
}

void FifoQueue::finish_close() {
  StatusCallback done = std::move(enqueues_.front().done);
  enqueues_.pop_front();
  closed_ = true;
  std::deque<Enqueue> refused = std::exchange(enqueues_, {});
  std::move(done)(Status());
  for (Enqueue& e : refused) {
    if (e.step != nullptr) e.step->remove(e.token);
    std::move(e.done)(e.is_close ? error(Code::kAborted, "Queue '{}' is already closed.", name_) : closed_enqueue());
  }
}

// One step of the front attempt; true when something changed.
bool FifoQueue::try_enqueue() {
  if (enqueues_.empty()) return false;
  if (enqueues_.front().is_close) {
    finish_close();
    return true;
  }
  Enqueue& front = enqueues_.front();
  bool changed = false;
  while (!front.rest.empty() && (capacity_ < 0 || std::cmp_less(elements_.size(), capacity_))) {
    if (on_enqueued) on_enqueued(front.rest.front(), front.tag);
    elements_.push_back(std::move(front.rest.front()));
    front.rest.pop_front();
    changed = true;
  }
  if (!front.rest.empty()) return changed;
  Enqueue finished = std::move(front);
  enqueues_.pop_front();
  finished.step->remove(finished.token);
  std::move(finished.done)(Status());
  return true;
}

bool FifoQueue::try_dequeue() {
  if (dequeues_.empty() || (elements_.empty() && !closed_)) return false;
  Dequeue front = std::move(dequeues_.front());
  dequeues_.pop_front();
  front.step->remove(front.token);
  if (elements_.empty()) {
    std::move(front.done)(closed_dequeue());
    return true;
  }
  QueueElement element = std::move(elements_.front());
  elements_.pop_front();
  if (on_dequeued) on_dequeued(element, front.tag);
  std::move(front.done)(std::move(element));
  return true;
}

// Passes over both lists until nothing changes; a completion may call back into the queue.
void FifoQueue::flush() {
  if (std::exchange(flushing_, true)) return;
  for (bool changed = true; changed;) {
    changed = try_enqueue();
    changed |= try_dequeue();
  }
  flushing_ = false;
}

}  // namespace tarry
