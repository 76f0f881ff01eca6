// What is open now, by numbers that count upwards: waiting calls, callbacks.
//
// Entries come at the end and leave anywhere, mostly soon. They stand in one array in the order of their numbers; one that left is a hole until half of the
// array is holes, so room stays proportional to what was ever open at once, however many came and went. Adding and taking cost amortized O(1), and O(log n) to
// find an entry that is not the last.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace tarry {

template <class T>
class AscendingTable {
 public:
  using Number = std::uint64_t;  // from 1 on, never given again

  Number add(T value) {
    if (2 * live_ < entries_.size() && entries_.size() == entries_.capacity()) entries_.erase(std::remove_if(entries_.begin(), entries_.end(), [](const Entry& e) { return !e.value; }), entries_.end());
    entries_.push_back({++last_, std::move(value)});
    ++live_;
    return last_;
  }

  [[nodiscard]] T* find(Number n) {
    const auto at = place(n);
    return at == entries_.end() || at->number != n || !at->value ? nullptr : &*at->value;
  }

  // Nothing when it has left already.
  std::optional<T> take(Number n) {
    T* here = find(n);
    if (here == nullptr) return std::nullopt;
    std::optional<T> taken(std::move(*here));
    erase(n);
    return taken;
  }
  void erase(Number n) {
    const auto at = place(n);
    if (at == entries_.end() || at->number != n || !at->value) return;
    at->value.reset();
    --live_;
    while (!entries_.empty() && !entries_.back().value) entries_.pop_back();
  }

  std::optional<T> take_first() {
    const auto at = std::ranges::find_if(entries_, [](const Entry& e) { return e.value.has_value(); });
    return at == entries_.end() ? std::nullopt : take(at->number);
  }

  [[nodiscard]] bool empty() const { return live_ == 0; }
  [[nodiscard]] std::size_t room() const { return entries_.capacity(); }  // entries, holes and free places

 private:
  struct Entry {
    Number number = 0;
    std::optional<T> value;
  };
  using Entries = absl::InlinedVector<Entry, 4>;  // mostly few

  [[nodiscard]] typename Entries::iterator place(Number n) {
    if (!entries_.empty() && entries_.back().number == n) return entries_.end() - 1;
    return std::ranges::lower_bound(entries_, n, {}, &Entry::number);
  }

  Entries entries_;
  std::size_t live_ = 0;
  Number last_ = 0;
};

}  // namespace tarry
