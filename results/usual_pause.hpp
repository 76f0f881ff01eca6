// How long the pauses between two pieces of progress usually are.
#pragma once

#include <cstddef>
#include <vector>

#include "results/standstill.hpp"

namespace tarry {

// What is usual while all is well. Workers whose steps end almost together have a long pause in each round of theirs.
struct Usual {
  Nanos pause = 0, in_a_round = 0;  // medians; 0 where there was no progress

  // `progress`: when there was some, since the start, in order; the time to the first counts as a pause, too.
  Usual(std::vector<Nanos> progress, std::size_t a_round);
  [[nodiscard]] bool is_much_longer(Nanos p) const {
    return p > kManyPauses * pause && p > pause + kShortPause && p > kManyRounds * in_a_round;
  }
  [[nodiscard]] Nanos to_tell() const { return pause > in_a_round ? pause : in_a_round; }
};

}  // namespace tarry
