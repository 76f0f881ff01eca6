// Which aggregates are uneven.
#pragma once

#include <vector>

#include "results/evidence.hpp"

namespace tarry {

// Those that lack some worker. With backup workers every one does: there, those that one worker filled alone, twice or
// more.
[[nodiscard]] std::vector<const Aggregate*> uneven_aggregates(const Evidence& e, const AccumulatorStory& a);

// Of all aggregates of the first accumulator; 0 of none.
[[nodiscard]] double share_uneven(const Evidence& e);

}  // namespace tarry
