// How the placer names nodes in its errors (docs/rules/placer.md#D.2).
#pragma once

#include <string>

#include "placer/graph/graph.hpp"
#include "placer/place/place.hpp"

namespace tarry {

[[nodiscard]] std::string attrs_text(const Attrs& attrs, const Rules& rules);  // T=DT_FLOAT, axis=0
// {{node n}} = Op[T=DT_FLOAT, _device="/cpu:0"](a, b:1, ^c). An input from a node that isolate_calls added has its
// number also when that is 0.
[[nodiscard]] std::string definition_text(const Graph& g, NodeId n, const Rules& rules, const PlaceOptions& options);
// `s` followed by the node it is about: [[{{node n}}]] and the like.
[[nodiscard]] Status attach_node(const Status& s, const Graph& g, NodeId n, const Rules& rules,
                                 const PlaceOptions& options);

}  // namespace tarry
