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

void EventHeap::at(Nanos when, Continuation event, Strand strand, const Wait& wait) {
  check(when >= now_, "an event was asked for in the past");
  check(event.run != nullptr, "an event without a function");
  push(when, event, strand, wait);
}

TimerId EventHeap::after(Nanos delay, Callback&& done, LifeGuard guard, Strand strand, const Wait& wait) {
  check(delay >= 0, "a timer with a negative delay");
  check(delay <= std::numeric_limits<Nanos>::max() - now_, "a timer after the end of time");
  const TimerId id = fresh_id();
  const std::uint32_t slot = timers_.take({std::move(done), id, guard});
  push(now_ + delay, {nullptr, nullptr, slot}, strand, wait);
  return id;
}

// Seldom asked for: looked for among all.
std::optional<std::uint32_t> EventHeap::find(TimerId id) const {
  const auto it = std::ranges::find(timers_, id, &Timer::id);
  if (it == timers_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(it - timers_.begin());
}

void EventHeap::cancel(TimerId timer) {
  const auto slot = find(timer);
  if (!timer.valid() || !slot) return;
  if (!take_from_park(*slot)) events_.give_back(take_out(*slot).event);
  const Timer destroyed_last = end_timer(*slot);
}

bool EventHeap::take_from_park(std::uint32_t timer) {
  Park* park = timers_[timer].guard.park;
  return park != nullptr && std::erase_if(park->events, [timer](const Continuation& e) {
                              return e.run == nullptr && e.argument == timer;
                            }) > 0;
}

void EventHeap::park(Park& park, Callback&& done, LifeGuard guard) {
  park.events.push_back({nullptr, nullptr, timers_.take({std::move(done), fresh_id(), guard})});
}

void EventHeap::open(Park& park) {
  park.is_closed = false;
  for (const Continuation& event : std::exchange(park.events, {})) push(now_, event, {}, {});
}

EventHeap::Entry EventHeap::take_out(std::uint32_t timer) {
  const auto is_it = [&](const Entry& e) { return is_timer(e, timer); };
  if (const auto at = std::ranges::find_if(heap_, is_it); at != heap_.end())
    return take_from_heap(static_cast<std::size_t>(at - heap_.begin()));
  const auto at = std::find_if(due_.begin() + static_cast<std::ptrdiff_t>(next_due_), due_.end(), is_it);
  check(at != due_.end(), "a timer without an event");
  const Entry entry = *at;
  due_.erase(at);
  return entry;
}

bool EventHeap::is_timer(const Entry& entry, std::uint32_t slot) const {
  const Continuation& event = events_[entry.event];
  return event.run == nullptr && event.argument == slot;
}

void EventHeap::run_next() {
  check(!empty(), "nothing is left to happen");
  const Entry next = drawn_ ? pop_drawn() : pop();
  now_ = next.at;
  ++executed_;
  if (causes_ != nullptr) [[unlikely]]
    causes_->events.push_back({now_, waits_[next.event]});
  const Continuation event = events_.give_back(next.event);
  if (event.run != nullptr) return event();
  run_timer(event.argument);
}

void EventHeap::pass_time_to(Nanos time) {
  check(time >= now_ && (empty() || next_time() > time), "time cannot pass over an event");
  now_ = time;
}

void EventHeap::keep_wait(std::uint32_t event, const Wait& wait) {
  if (event >= waits_.size()) waits_.resize(event + 1);
  waits_[event] = wait;
  if (wait.cause == Wait::kPresent) waits_[event].cause = present();
}

inline void EventHeap::push(Nanos when, Continuation event, Strand strand, const Wait& wait) {
  const Entry entry{when, sequence_++, events_.take(event), strand};
  if (causes_ != nullptr) [[unlikely]]
    keep_wait(entry.event, wait);
  if (when == now_) return due_.push_back(entry);
  heap_.push_back(entry);
  sift_up(heap_.size() - 1);
}

inline EventHeap::Entry EventHeap::pop() { return next_is_due() ? pop_due() : take_from_heap(0); }

inline EventHeap::Entry EventHeap::pop_due() {
  const Entry next = due_[next_due_++];
  if (next_due_ == due_.size()) {
    due_.clear();
    next_due_ = 0;
  }
  return next;
}

// All events of the next instant are due, in the order in which they were added.
void EventHeap::gather_instant() {
  const Nanos instant = next_time();
  due_.erase(due_.begin(), due_.begin() + static_cast<std::ptrdiff_t>(std::exchange(next_due_, 0)));
  const std::size_t were_due = due_.size();
  while (!heap_.empty() && heap_.front().at == instant) due_.push_back(take_from_heap(0));
  if (due_.size() > were_due) std::ranges::sort(due_, {}, &Entry::sequence);
}

// Of the first event of each strand that is due. REQUIRES: one is.
std::size_t EventHeap::drawn_turn() {
  std::size_t turn = 0;
  bool is_choice = false;
  for (std::size_t i = 1; i < due_.size(); ++i) {
    if (due_[i].strand == due_[turn].strand) continue;
    is_choice = true;
    if (drawn_->is_before(due_[i].strand, due_[turn].strand)) turn = i;
  }
  if (is_choice) drawn_->chosen(due_[turn].strand);
  return turn;
}

EventHeap::Entry EventHeap::pop_drawn() {
  gather_instant();
  const std::size_t turn = drawn_turn();
  const Entry next = due_[turn];
  due_.erase(due_.begin() + static_cast<std::ptrdiff_t>(turn));
  return next;
}

inline EventHeap::Entry EventHeap::take_from_heap(std::size_t i) {
  const Entry taken = heap_[i];
  heap_[i] = heap_.back();
  heap_.pop_back();
  if (i < heap_.size()) sift_down(i);
  return taken;
}

inline void EventHeap::sift_up(std::size_t i) {
  const Entry moved = heap_[i];
  for (; i > 0 && moved.before(heap_[parent(i)]); i = parent(i)) heap_[i] = heap_[parent(i)];
  heap_[i] = moved;
}

inline std::size_t EventHeap::least_child(std::size_t first) const {
  const std::size_t end = std::min(first + kChildren, heap_.size());
  std::size_t least = first;
  for (std::size_t c = first + 1; c < end; ++c) least = heap_[c].before(heap_[least]) ? c : least;
  return least;
}

// What comes from the end belongs near the end: down without asking, and up again as far as it must.
inline void EventHeap::sift_down(std::size_t i) {
  const Entry moved = heap_[i];
  for (std::size_t first = i * kChildren + 1; first < heap_.size(); first = i * kChildren + 1) {
    const std::size_t least = least_child(first);
    heap_[i] = heap_[least];
    i = least;
  }
  heap_[i] = moved;
  sift_up(i);
}

TimerId EventHeap::fresh_id() {
  TimerId id;
  do {
    id = TimerId{++last_id_};
    all_ids_used_ = all_ids_used_ || !id.valid();
  } while (!id.valid() || (all_ids_used_ && find(id)));
  return id;
}

EventHeap::Timer EventHeap::end_timer(std::uint64_t slot) {
  Timer ended = timers_.give_back(slot);
  timers_[slot].id = {};
  return ended;
}

void EventHeap::run_timer(std::uint64_t slot) {
  if (const LifeGuard& guard = timers_[slot].guard; guard.park != nullptr && guard.park->is_closed && guard.holds())
    return guard.park->events.push_back({nullptr, nullptr, slot});
  Timer timer = end_timer(slot);
  if (timer.guard.holds()) std::move(timer.done)();
}

}  // namespace tarry
