// A set of numbers below a bound, from which the lowest can be taken: a hierarchy of bits, where one bit says whether
// any of the 64 bits below it is set, up to a single word.
//
// Both operations take as many steps as the bound has digits to the base 64; the whole set takes little more than one
// bit per number, where a heap of as many members would not fit the processor's caches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tarry {

class ReadySet {
 public:
  explicit ReadySet(std::size_t bound) {
    do {
      bound = std::max<std::size_t>(1, (bound + 63) / 64);
      levels_.emplace_back(bound);
    } while (bound > 1);
  }

  [[nodiscard]] bool empty() const { return levels_.back().front() == 0; }

  // REQUIRES: `i` is below the bound.
  void insert(std::size_t i) {
    for (auto& level : levels_) {
      level[i / 64] |= std::uint64_t{1} << (i % 64);
      i /= 64;
    }
  }

  // REQUIRES: not empty.
  [[nodiscard]] std::size_t take() {
    std::size_t i = 0;
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level)
      i = 64 * i + static_cast<std::size_t>(std::countr_zero((*level)[i]));
    remove(i);
    return i;
  }

 private:
  void remove(std::size_t i) {
    for (auto& level : levels_) {
      level[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      if (level[i / 64] != 0) return;
      i /= 64;
    }
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // level 0 has one bit per number; never empty
};

}  // namespace tarry
