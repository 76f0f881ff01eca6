// Functions are taken into the graph: calls are inlined, and conditionals and loops become version-1 control flow,
// before the graph is placed (docs/rules/runtime.md#A.6).
//
// A session of TensorFlow does this once, for its whole graph. Nodes are visited by id, and what a rewrite adds is
// visited too, so functions that call functions end up in the graph as well. The node of a call keeps its name: an
// IdentityN of the results (a NoOp when there is none), so it can still be fetched and be a target. Before that, an
// AccumulateNV2 becomes a temporary variable (docs/rules/runtime.md#A.6.7).
#pragma once

#include <functional>
#include <string>

#include "placer/graph/graph.hpp"

namespace tarry {

struct LowerOptions {
  // Whether calls are inlined, as with `optimizer_options.do_function_inlining`. Calls with the attribute
  // `_lower_as_multi_device_function`, and the branches and bodies of conditionals and loops, are inlined in any case.
  bool inlines_calls = true;
  // The full names of devices of nodes that have one already; null = no node has.
  std::function<std::string(DeviceId)> device_name;
  std::size_t most_nodes = 1'000'000;  // that the graph may have meanwhile, those that were taken away included
};

// Calls of functions that are marked `_noinline` or `api_implements`, calls that XLA compiles (`_XlaMustCompile`), and
// conditionals and loops without the attribute `_lower_using_switch_merge` run apart from the graph (apart.hpp).
//
// Left as they are: calls that do not fit their functions, nodes of TPUs or clusters of XLA (`_xla_compile_id`,
// `_tpu_replicate`), and SymbolicGradient; without `inlines_calls` also all calls, and conditionals and loops that lack
// the attribute. They cannot be executed (workers/kernels/kernel.hpp).
//
// Fails: with the errors of check_calls (placer/place/called_function.hpp) and of importing a body; INTERNAL `Can't
// find a function: node=X`; INTERNAL when
// `_lower_using_switch_merge` is on another op; UNIMPLEMENTED for recursion (docs/rules/placer.md#D14), which
// TensorFlow would inline for ever; RESOURCE_EXHAUSTED when the graph gets more than `most_nodes`. INVALID_ARGUMENT
// when a branch, body or condition gives what the node does not. On failure `g` is unspecified.
[[nodiscard]] Status lower_functions(Graph& g, const LowerOptions& options = {});

}  // namespace tarry
