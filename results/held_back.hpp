// Clients that came and will never train.
#pragma once

#include "results/trouble.hpp"

namespace tarry {

struct Evidence;

// What is wrong for good with clients that began no training step, have not left, and do not sleep before they look for
// a model again: where nothing moves any more, or never will, these are what is still to end. Each once, in the order
// of their beginnings; none where the run may go on, and none that began after all who trained had left.
[[nodiscard]] std::vector<Trouble> held_back(const Evidence& e);

}  // namespace tarry
