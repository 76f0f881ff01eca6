// How the placer names nodes in its errors (placer.md D.2, releases from 1.14 on).
#pragma once

#include <string>

#include "placer/graph/graph.hpp"

namespace tarry {

[[nodiscard]] std::string attrs_text(const Attrs& attrs);             // T=DT_FLOAT, axis=0
[[nodiscard]] std::string node_text(const Graph& g, NodeId n);        // {{node n}} = Op[T=DT_FLOAT, _device="/cpu:0"](a, b:1, ^c)
[[nodiscard]] std::string colocation_text(const Graph& g, NodeId n);  // {{colocation_node n}}
// `s` followed by the node it is about: [[{{node n}}]], or [[n]] when the text names a node already.
[[nodiscard]] Status attach_node(const Status& s, const Graph& g, NodeId n);

}  // namespace tarry
