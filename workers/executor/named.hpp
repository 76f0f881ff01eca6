// Errors with the node that they are about: " [[{{node n}}]]" behind the text, on a line of its own.
//
// A text that names a node already (an error that came from another device) gets this one's plain name. A node of a
// function's body has its name there, and its callers' (docs/rules/runtime.md#A.6.6). Where memory is short, advice
// follows.
#pragma once

#include <string_view>

#include "placer/graph/graph.hpp"

namespace tarry {

[[nodiscard]] Status named(const Status& s, const Graph& g, std::string_view node);

}  // namespace tarry
