// What a client must feed besides shapes, so that a training graph runs at all, as far as its ops tell.
//
// Zeros are enough for most graphs. They are not where a sparse placeholder's indices say how many rows there are, and
// where a predicate depends on the values of a large tensor, of which zeros have only the shape.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/graph/spec.hpp"

namespace tarry {

struct SparseFeed {     // as tf.sparse_placeholder makes it: NAME/values beside NAME/indices
  std::string indices;  // "field0/indices:0"
  std::int64_t rank = 0;
  friend bool operator==(const SparseFeed&, const SparseFeed&) = default;
};

struct FeedHints {
  std::vector<SparseFeed> sparse;     // in the graph's order
  std::vector<std::string> deciding;  // floating-point placeholders whose values some predicate depends on: "x:0"
};

[[nodiscard]] FeedHints guess_feeds(const GraphSpec& graph);

}  // namespace tarry
