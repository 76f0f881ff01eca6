// The nodes of a random graph: every input is some node's output of a fitting type.
#pragma once

#include <utility>
#include <vector>

#include "properties/placement/generate.hpp"

namespace tarry {

// About `count` nodes (a loop that was begun is finished), in an order in which only Merge reads later nodes.
[[nodiscard]] std::vector<CaseNode> grow_nodes(const Alphabet& alphabet, std::uint64_t count, Random& random);

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random.below(i)]);
}

}  // namespace tarry
