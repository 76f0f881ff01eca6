#include "workers/state/fifo_queue.hpp"

#include <algorithm>
#include <utility>

#include "workers/auditor.hpp"

namespace tarry {

Status FifoQueue::closed_enqueue() const { return error(Code::kCancelled, "{} '{}' is closed.", kind_.one, name_); }

Status FifoQueue::closed_dequeue(const Dequeue& attempt, std::size_t size) const {
  return error(Code::kOutOfRange, "{} '{}' is closed and has insufficient elements (requested {}, current size {})",
               attempt.one ? kind_.one : kind_.many, name_, attempt.wanted - attempt.taken.size(), size);
}

void FifoQueue::enqueue(QueueElement element, CancellationManager& step, StatusCallback&& done) {
  std::vector<QueueElement> one;
  one.push_back(std::move(element));
  enqueue_many(std::move(one), step, std::move(done));
}

void FifoQueue::enqueue_many(std::vector<QueueElement> elements, CancellationManager& step, StatusCallback&& done) {
  mark_if(closed_, auditor, Mark::enqueue_at_closed_queue);
  if (closed_) return std::move(done)(closed_enqueue());
  const std::uint64_t id = ++last_id_;
  auto registration = step.add([this, id] { cancel_enqueue(id); });
  if (!registration) return std::move(done)(error(Code::kCancelled, "Enqueue operation was cancelled"));
  enqueues_.push_back({.elements = std::move(elements),
                       .done = std::move(done),
                       .registration = std::move(registration),
                       .tag = tag,
                       .id = id});
  flush();
}

void FifoQueue::dequeue(CancellationManager& step, DequeueDone&& done) {
  Dequeue attempt{.done = [done = std::move(done)](StatusOr<std::vector<QueueElement>> e) mutable {
    if (!e.ok()) return std::move(done)(e.status());
    std::move(done)(std::move(e->front()));
  }};
  attempt.one = true;
  begin(std::move(attempt), step);
}

void FifoQueue::dequeue_many(std::int64_t count, bool up_to, CancellationManager& step, DequeueManyDone&& done) {
  begin({.done = std::move(done), .wanted = static_cast<std::size_t>(count), .up_to = up_to}, step);
}

void FifoQueue::begin(Dequeue attempt, CancellationManager& step) {
  mark_if(closed_, auditor, Mark::dequeue_at_closed_queue);
  attempt.tag = tag, attempt.id = ++last_id_;
  attempt.registration = step.add([this, id = attempt.id] { cancel_dequeue(id); });
  if (!attempt.registration) return std::move(attempt.done)(error(Code::kCancelled, "Dequeue operation was cancelled"));
  dequeues_.push_back(std::move(attempt));
  flush();
}

std::size_t FifoQueue::inside() const {
  std::size_t n = elements_.size();
  for (const Dequeue& d : dequeues_) n += d.taken.size();
  return n;
}

void FifoQueue::clear() {
  lost_ += elements_.size();
  elements_.clear();
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
  mark(auditor, Mark::dequeue_cancelled);
  DequeueManyDone done = std::move(it->done);
  lost_ += it->taken.size();
  if (planted == PlantedClusterBug::credit_kept_on_abort)
    it->done = [](const StatusOr<std::vector<QueueElement>>&) {};
  else
    dequeues_.erase(it);
  std::move(done)(error(Code::kCancelled, "Dequeue operation was cancelled"));
  flush();
}

void FifoQueue::close(bool cancel_pending, StatusCallback done) {
  mark_if(!closed_ && !dequeues_.empty(), auditor, Mark::queue_closed_with_waiters);
  if (cancel_pending) return close_and_cancel(std::move(done));
  if (closed_) return std::move(done)(error(Code::kCancelled, "Queue '{}' is already closed.", name_));
  enqueues_.push_back({.done = std::move(done), .id = ++last_id_, .is_close = true});
  flush();
}

// Waits for nothing, and does not mind a queue that is closed already.
void FifoQueue::close_and_cancel(StatusCallback done) {
  closed_ = true;
  std::deque<Enqueue> pending = std::exchange(enqueues_, {});
  for (Enqueue& e : pending) std::move(e.done)(error(Code::kCancelled, "Enqueue operation was cancelled"));
  flush();
  std::move(done)(Status());
}

void FifoQueue::finish_close() {
  StatusCallback done = std::move(enqueues_.front().done);
  enqueues_.pop_front();
  closed_ = true;
  std::deque<Enqueue> refused = std::exchange(enqueues_, {});
  std::move(done)(Status());
  for (Enqueue& e : refused)
    std::move(e.done)(e.is_close ? error(Code::kCancelled, "Queue '{}' is already closed.", name_) : closed_enqueue());
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
  while (front.entered < front.elements.size() && (capacity_ < 0 || std::cmp_less(elements_.size(), capacity_))) {
    QueueElement& next = front.elements[front.entered++];
    if (on_enqueued) on_enqueued(next, front.tag);
    if (planted != PlantedClusterBug::token_lost || !dequeues_.empty() || elements_.empty())
      put_element(std::move(next));
    changed = true;
  }
  if (front.entered < front.elements.size()) return changed;
  Enqueue finished = std::move(front);
  enqueues_.pop_front();
  std::move(finished.done)(Status());
  return true;
}

namespace {

// Of a heap whose top has the least priority, as in TensorFlow: what is equal comes in the order that the heap leaves.
bool is_later(const QueueElement& a, const QueueElement& b) { return integer_or(a[0], 0) > integer_or(b[0], 0); }

}  // namespace

void FifoQueue::put_element(QueueElement element) {
  elements_.push_back(std::move(element));
  if (kind_.by_priority) std::push_heap(elements_.begin(), elements_.end(), is_later);
}

// Where a queue picks one of its elements, the last one comes to its place.
QueueElement FifoQueue::take_element() {
  if (kind_.pick) std::swap(elements_[kind_.pick(elements_.size())], elements_.back());
  if (kind_.by_priority) std::pop_heap(elements_.begin(), elements_.end(), is_later);
  const bool from_back = kind_.pick || kind_.by_priority;
  QueueElement element = std::move(from_back ? elements_.back() : elements_.front());
  from_back ? elements_.pop_back() : elements_.pop_front();
  return element;
}

std::size_t FifoQueue::available() const {
  const auto stay = closed_ ? std::size_t{0} : static_cast<std::size_t>(kind_.stay);
  return elements_.size() > stay ? elements_.size() - stay : 0;
}

void FifoQueue::give_back(Dequeue& attempt) {
  for (auto e = attempt.taken.rbegin(); e != attempt.taken.rend(); ++e)
    elements_.insert(kind_.pick ? elements_.end() : elements_.begin(), std::move(*e));
  attempt.taken.clear();
}

// The queue is closed and the front attempt wants more than there is. True when it ends without elements.
bool FifoQueue::refuse_front() {
  Dequeue& front = dequeues_.front();
  const Status why = closed_dequeue(front, elements_.size());
  give_back(front);
  if (front.up_to && !elements_.empty()) {
    front.wanted = elements_.size();
    return false;
  }
  Dequeue refused = std::move(front);
  dequeues_.pop_front();
  std::move(refused.done)(why);
  return true;
}

bool FifoQueue::try_dequeue() {
  if (dequeues_.empty()) return false;
  if (planted == PlantedClusterBug::close_does_not_wake && closed_) return false;
  if (closed_ && elements_.size() + dequeues_.front().taken.size() < dequeues_.front().wanted && refuse_front())
    return true;
  Dequeue& front = dequeues_.front();
  if (kind_.by_priority && available() < front.wanted) return false;
  bool changed = false;
  while (front.taken.size() < front.wanted && available() > 0) {
    front.taken.push_back(take_element());
    changed = true;
  }
  if (front.taken.size() < front.wanted) return changed;
  Dequeue complete = std::move(front);
  dequeues_.pop_front();
  if (planted == PlantedClusterBug::token_doubled && !dequeues_.empty()) elements_.push_front(complete.taken.back());
  for (const QueueElement& e : complete.taken)
    if (on_dequeued) on_dequeued(e, complete.tag);
  std::move(complete.done)(std::move(complete.taken));
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
