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

TimerId EventHeap::after(Nanos delay, Callback done) {
  check(delay >= 0, "a timer with a negative delay");
  check(delay <= std::numeric_limits<Nanos>::max() - now_, "a timer after the end of time");
  const TimerId id = fresh_id();
  const std::uint32_t slot = timers_.take({std::move(done), id});
  slot_of_[id] = slot;
  push(now_ + delay, {nullptr, nullptr, slot});
  return id;
}

void EventHeap::cancel(TimerId timer) {
  const auto found = slot_of_.find(timer);
  if (found == slot_of_.end()) return;
  const Callback destroyed_last = std::exchange(timers_[found->second].done, nullptr);
  slot_of_.erase(found);
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
  if (next.event.run != nullptr) return next.event();
  run_timer(next.event.argument);
}

void EventHeap::pass_time_to(Nanos time) {
  check(time >= now_ && (empty() || next_time() > time), "time cannot pass over an event");
  now_ = time;
}

void EventHeap::push(Nanos when, Continuation event) {
  if (when == now_) {
    due_.push_back({when, sequence_++, event});
    return;
  }
  heap_.push_back({when, sequence_++, event});
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

void EventHeap::sift_down(std::size_t i) {
  const Entry moved = heap_[i];
  for (;;) {
    const std::size_t first = i * kChildren + 1;
    if (first >= heap_.size()) break;
    std::size_t least = first;
    for (std::size_t c = first + 1; c < std::min(first + kChildren, heap_.size()); ++c)
      if (heap_[c].before(heap_[least])) least = c;
    if (!heap_[least].before(moved)) break;
    heap_[i] = heap_[least];
    i = least;
  }
  heap_[i] = moved;
}

void EventHeap::drop_cancelled() {
  while (cancelled_ > 0 && (next_is_due() || !heap_.empty())) {
    const Continuation& event = peek().event;
    if (event.run != nullptr || timers_[event.argument].done) return;
    timers_.give_back(pop().event.argument);
    --cancelled_;
  }
}

TimerId EventHeap::fresh_id() {
  TimerId id;
  do id = TimerId{++last_id_};
  while (!id.valid() || slot_of_.contains(id));
  return id;
}

void EventHeap::run_timer(std::uint64_t slot) {
  Timer timer = timers_.give_back(slot);
  slot_of_.erase(timer.id);
  std::move(timer.done)();
}

}  // namespace tarry
