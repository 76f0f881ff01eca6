// From a written graph to an indexed one, validated as TensorFlow's importer validates it (2.15 texts).
//
// Node ids follow the importer's order (docs/rules/placer.md#B.2): the next node is the first in the file whose inputs
// are all built. A Merge is ready after its control inputs and one data input; its other edges are added at the end. A
// node's edges are numbered data inputs first, then control inputs by name, each once (releases from 1.15 on).
#pragma once

#include "placer/graph/graph.hpp"

namespace tarry {

struct ImportOptions {
  const OpRegistry* ops = nullptr;  // nullptr = ops_of_tf215()
  bool oldest_order = false;      // the order of releases up to 1.8: a stack of ready nodes (docs/rules/placer.md#B.2)
  bool controls_sorted = true;    // control inputs by name (from 1.15 on), else in the order of the file (1.12)
  bool controls_once = true;      // each control input once (from 1.12 on), else as often as written (0.12)
  bool suggests = true;           // an unknown op's error names the node and suggests an op; false = TensorFlow's text
  bool colocations_known = true;  // a `loc:@` key must name a node; a worker's part of a graph does not promise that
  bool own_names = false;         // names may begin with '_': in parts of graphs and in functions' bodies
  bool shapes_checked = true;     // attributes must be shapes: a client's import infers them, a worker's does not
};

// The options for a graph that TensorFlow made itself: a part, or a function's body.
[[nodiscard]] inline ImportOptions made_by_itself(const OpRegistry* ops = nullptr) {
  return {.ops = ops, .colocations_known = false, .own_names = true, .shapes_checked = false};
}

// Fails (INVALID_ARGUMENT unless said): a name that is not valid, a name given twice, an op that is not registered
// (NOT_FOUND), an op that the graph's version no longer has (UNIMPLEMENTED), attributes that do not fit the op, inputs
// that do not exist or have another type, a cycle that no Merge closes, a colocation with an unknown node, versions
// from the future.
[[nodiscard]] StatusOr<Graph> import_graph(const GraphSpec& spec, const ImportOptions& options = {});

// Adds nodes to an existing graph (Extend, docs/rules/runtime.md#A.2). On failure `g` is unchanged.
[[nodiscard]] Status extend_graph(Graph& g, const GraphSpec& more, const ImportOptions& options = {});

}  // namespace tarry
