#include "workers/rendezvous/rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

namespace {

template <class Queue>
typename Queue::value_type take_first(Queue& queue) {
  auto first = std::move(queue.front());
  queue.erase(queue.begin());
  return first;
}

Status cancelled() { return as_derived(error(Code::kCancelled, "RecvAsync is cancelled.")); }

}  // namespace

Status told_by_abort(const Status& why) {
  return why.code() == Code::kCancelled || why.code() == Code::kAborted ? as_derived(why) : why;
}

Status LocalRendezvous::send(const RendezvousKey& key, Received value) {
  if (!aborted_.ok()) return aborted_;
  const auto at = table_.try_emplace(key).first;
  if (at->second.waiters.empty()) {
    at->second.values.push_back(std::move(value));
    return {};
  }
  Waiter waiter = take_first(at->second.waiters);
  forget_if_empty(at);
  std::move(waiter.done)(std::move(value));
  return {};
}

void LocalRendezvous::receive(const RendezvousKey& key, CancellationManager* step, ReceiveDone&& done) {
  if (!aborted_.ok()) return std::move(done)(aborted_);
  const auto at = table_.try_emplace(key).first;
  if (!at->second.values.empty()) {
    Received value = take_first(at->second.values);
    forget_if_empty(at);
    return std::move(done)(std::move(value));
  }
  const std::uint64_t id = ++last_id_;
  CancellationManager::Registration registration;
  if (step != nullptr) {
    registration = step->add([this, key, id] { cancel(key, id); });
    if (!registration) {
      forget_if_empty(at);
      return std::move(done)(cancelled());
    }
  }
  at->second.waiters.push_back({std::move(done), std::move(registration), id});
}

void LocalRendezvous::cancel(const RendezvousKey& key, std::uint64_t id) {
  const auto at = table_.find(key);
  if (at == table_.end()) return;
  auto& waiters = at->second.waiters;
  const auto it = std::ranges::find(waiters, id, &Waiter::id);
  if (it == waiters.end()) return;
  ReceiveDone done = std::move(it->done);
  waiters.erase(it);
  forget_if_empty(at);
  std::move(done)(cancelled());
}

void LocalRendezvous::forget_if_empty(Table::iterator at) {
  if (at->second.values.empty() && at->second.waiters.empty()) table_.erase(at);
}

void LocalRendezvous::abort(const Status& why) {
  const Status told = told_by_abort(why);
  if (aborted_.ok()) aborted_ = told;
  auto table = std::exchange(table_, {});
  for (auto& [key, slot] : table)
    for (Waiter& waiter : slot.waiters) std::move(waiter.done)(told);
}

bool LocalRendezvous::holds(const RendezvousKey& key) const {
  const auto at = table_.find(key);
  return at != table_.end() && !at->second.values.empty();
}

std::size_t LocalRendezvous::waiting() const {
  std::size_t n = 0;
  for (const auto& [key, slot] : table_) n += slot.waiters.size();
  return n;
}

std::size_t LocalRendezvous::values() const {
  std::size_t n = 0;
  for (const auto& [key, slot] : table_) n += slot.values.size();
  return n;
}

}  // namespace tarry
