#include "sim/heap.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

constexpr std::size_t kChildren = 4;

std::size_t parent(std::size_t i) { return (i - 1) / kChildren; }

}  // namespace

void EventHeap::at(Nanos when, Continuation event) {
  check(when >= now_, "an event was asked for in the past");
  check(event.run != nullptr, "an event without a function");
  push(when, event);
}

TimerId EventHeap::after(Nanos delay, Callback done, LifeGuard guard) {
  check(delay >= 0, "a timer with a negative delay");
  check(delay <= std::numeric_limits<Nanos>::max() - now_, "a timer after the end of time");
  const TimerId id = fresh_id();
  const std::uint32_t slot = timers_.take({std::move(done), id, guard});
  push(now_ + delay, {nullptr, nullptr, slot});
  return id;
}

// Seldom asked for: looked for among all.
EventHeap::Timer* EventHeap::find(TimerId id) {
  const auto it = std::ranges::find_if(timers_, [id](const Timer& t) { return t.id == id && t.done; });
  return it == timers_.end() ? nullptr : &*it;
}

void EventHeap::cancel(TimerId timer) {
  Timer* found = find(timer);
  if (found == nullptr) return;
  const Callback destroyed_last = std::exchange(found->done, nullptr);
  ++cancelled_;
}

bool EventHeap::empty() {
  drop_cancelled();
  return heap_.empty() && next_due_ == due_.size();
}

Nanos EventHeap::next_time() {
  drop_cancelled();
  return peek().at;
}

void EventHeap::run_next() {
  drop_cancelled();
  const Entry next = pop();
  now_ = next.at;
  ++executed_;
  const Continuation event = events_.give_back(next.event);
  if (event.run != nullptr) return event();
  run_timer(event.argument);
}

void EventHeap::pass_time_to(Nanos time) {
  check(time >= now_ && (empty() || next_time() > time), "time cannot pass over an event");
  now_ = time;
}

void EventHeap::push(Nanos when, Continuation event) {
  const Entry entry{when, sequence_++, events_.take(event)};
  if (when == now_) return due_.push_back(entry);
  heap_.push_back(entry);
  sift_up(heap_.size() - 1);
}

// The heap's events of this instant were asked for before it began, those in `due_` since.
bool EventHeap::next_is_due() const { return next_due_ < due_.size() && (heap_.empty() || heap_.front().at > now_); }

const EventHeap::Entry& EventHeap::peek() const {
  check(next_is_due() || !heap_.empty(), "nothing is left to happen");
  return next_is_due() ? due_[next_due_] : heap_.front();
}

EventHeap::Entry EventHeap::pop() {
  check(next_is_due() || !heap_.empty(), "nothing is left to happen");
  return next_is_due() ? pop_due() : pop_heap();
}

EventHeap::Entry EventHeap::pop_due() {
  const Entry next = due_[next_due_++];
  if (next_due_ == due_.size()) {
    due_.clear();
    next_due_ = 0;
  }
  return next;
}

EventHeap::Entry EventHeap::pop_heap() {
  const Entry next = heap_.front();
  heap_.front() = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0);
  return next;
}

void EventHeap::sift_up(std::size_t i) {
  const Entry moved = heap_[i];
  for (; i > 0 && moved.before(heap_[parent(i)]); i = parent(i)) heap_[i] = heap_[parent(i)];
  heap_[i] = moved;
}

std::size_t EventHeap::least_child(std::size_t first) const {
  const std::size_t end = std::min(first + kChildren, heap_.size());
  std::size_t least = first;
  for (std::size_t c = first + 1; c < end; ++c) least = heap_[c].before(heap_[least]) ? c : least;
  return least;
}

// What comes from the end belongs near the end: down without asking, and up again as far as it must.
void EventHeap::sift_down(std::size_t i) {
  const Entry moved = heap_[i];
  for (std::size_t first = i * kChildren + 1; first < heap_.size(); first = i * kChildren + 1) {
    const std::size_t least = least_child(first);
    heap_[i] = heap_[least];
    i = least;
  }
  heap_[i] = moved;
  sift_up(i);
}

void EventHeap::drop_cancelled() {
  while (cancelled_ > 0 && (next_is_due() || !heap_.empty())) {
    const Continuation& event = events_[peek().event];
    if (event.run != nullptr || timers_[event.argument].done) return;
    timers_.give_back(event.argument);
    events_.give_back(pop().event);
    --cancelled_;
  }
}

TimerId EventHeap::fresh_id() {
  TimerId id;
  do {
    id = TimerId{++last_id_};
    all_ids_used_ = all_ids_used_ || !id.valid();
  } while (!id.valid() || (all_ids_used_ && find(id) != nullptr));
  return id;
}

void EventHeap::run_timer(std::uint64_t slot) {
  Timer timer = timers_.give_back(slot);
  if (timer.guard.holds()) std::move(timer.done)();
}

}  // namespace tarry
