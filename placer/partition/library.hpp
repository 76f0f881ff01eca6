// What a partition carries besides its nodes: the functions that it uses, directly or indirectly, as ops or in
// attributes, and its nodes' stack traces (docs/rules/runtime.md#I.1).
#pragma once

#include <span>
#include <vector>

#include "placer/graph/spec.hpp"

namespace tarry {

// In the library's order.
[[nodiscard]] std::vector<FunctionSpec> reachable_functions(std::span<const FunctionSpec> library,
                                                            std::span<const NodeSpec> nodes);

[[nodiscard]] StackTraces traces_of(const StackTraces& all, std::span<const NodeSpec> nodes);

}  // namespace tarry
