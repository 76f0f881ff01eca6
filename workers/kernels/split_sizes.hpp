// The sizes into which SplitV splits a dimension.
#pragma once

#include "placer/core/status.hpp"
#include "placer/graph/types.hpp"

namespace tarry {

// One size of several may be -1: what the others leave of `whole`. Other negative sizes count as they are, and are
// refused last. Fails: INVALID_ARGUMENT with the texts of 2.15.1.
[[nodiscard]] Status complete_sizes(Dims& sizes, std::int64_t whole);

}  // namespace tarry
