// A pool of records, kept in one array or deque and named by their slots: no allocation once that has grown.
//
// A slot is valid from `take` to `give_back` or `drop`; after that it may be handed out again. The next `take`
// invalidates references to records, unless Items is a deque.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tarry {

template <class T, class Items = std::vector<T>>
class Pool {
 public:
  std::uint32_t take(T value) {
    const std::uint32_t slot = take();
    items_[slot] = std::move(value);
    return slot;
  }
  // Takes a slot whose record has an unspecified old value.
  std::uint32_t take() {
    if (free_.empty()) {
      items_.emplace_back();
      return static_cast<std::uint32_t>(items_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  T give_back(std::uint64_t slot) {
    drop(slot);
    return std::move(items_[slot]);
  }
  // Frees the slot; its record is kept until the slot is taken again.
  void drop(std::uint64_t slot) { free_.push_back(static_cast<std::uint32_t>(slot)); }
  T& operator[](std::uint64_t slot) { return items_[slot]; }
  const T& operator[](std::uint64_t slot) const { return items_[slot]; }
  [[nodiscard]] auto begin() { return items_.begin(); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin(); }  // slots in use and free ones
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  Items items_;
  std::vector<std::uint32_t> free_;
};

}  // namespace tarry
