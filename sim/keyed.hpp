// Draws keyed by what they are for: by a name, and by which use of it this is.
//
// A draw depends on the seed, the name and the number alone, and on nothing that was drawn before. So two runs that
// differ in one thing have the same luck in all others (common random numbers), and what differs between them is due to
// that thing.
#pragma once

#include <cstdint>

#include "placer/core/random.hpp"

namespace tarry {

class Keyed {
 public:
  Keyed() = default;
  // `named`: Random::fork with the name of what is drawn for.
  explicit Keyed(Random named) : key_(named.next()) {}
  // What the n-th use draws from.
  [[nodiscard]] Random at(std::uint64_t n) const { return Random(key_ + n); }

 private:
  std::uint64_t key_ = 0;
};

}  // namespace tarry
