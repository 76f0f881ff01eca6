#include "workers/rendezvous/rendezvous.hpp"

#include <algorithm>
#include <utility>

namespace tarry {

Status LocalRendezvous::send(const RendezvousKey& key, Received value) {
  if (!aborted_.ok()) return aborted_;
  Slot& slot = table_[key];
  if (slot.waiters.empty()) {
    slot.values.push_back(std::move(value));
    return {};
  }
  Waiter waiter = std::move(slot.waiters.front());
  slot.waiters.pop_front();
  forget_if_empty(key);
  if (waiter.step != nullptr) waiter.step->remove(waiter.token);
  std::move(waiter.done)(std::move(value));
  return {};
}

void LocalRendezvous::receive(const RendezvousKey& key, CancellationManager* step, ReceiveDone done) {
  if (!aborted_.ok()) return std::move(done)(aborted_);
  Slot& slot = table_[key];
  if (!slot.values.empty()) {
    Received value = std::move(slot.values.front());
    slot.values.pop_front();
    forget_if_empty(key);
    return std::move(done)(std::move(value));
  }
  const std::uint64_t id = ++last_id_;
  CancellationManager::Token token = 0;
  if (step != nullptr) {
    token = step->add([this, key, id] { cancel(key, id); });
    if (token == 0) {
      forget_if_empty(key);
      return std::move(done)(as_derived(error(Code::kCancelled, "RecvAsync is cancelled.")));
    }
  }
  slot.waiters.push_back({std::move(done), step, token, id});
}

void LocalRendezvous::cancel(const RendezvousKey& key, std::uint64_t id) {
  Slot& slot = table_[key];
  const auto it = std::ranges::find(slot.waiters, id, &Waiter::id);
  if (it == slot.waiters.end()) return forget_if_empty(key);
  ReceiveDone done = std::move(it->done);
  slot.waiters.erase(it);
  forget_if_empty(key);
  std::move(done)(as_derived(error(Code::kCancelled, "RecvAsync is cancelled.")));
}

void LocalRendezvous::forget_if_empty(const RendezvousKey& key) {
  const auto it = table_.find(key);
  if (it != table_.end() && it->second.values.empty() && it->second.waiters.empty()) table_.erase(it);
}

void LocalRendezvous::abort(const Status& why) {
  aborted_ = why.code() == Code::kCancelled || why.code() == Code::kAborted ? as_derived(why) : why;
  const Status told = aborted_;  // a waiter may abort again, for those who come later
  auto table = std::exchange(table_, {});
  for (auto& [key, slot] : table)
    for (Waiter& waiter : slot.waiters) {
      if (waiter.step != nullptr) waiter.step->remove(waiter.token);
      std::move(waiter.done)(told);
    }
}

std::size_t LocalRendezvous::waiting() const {
  std::size_t n = 0;
  for (const auto& [key, slot] : table_) n += slot.waiters.size();
  return n;
}

}  // namespace tarry
