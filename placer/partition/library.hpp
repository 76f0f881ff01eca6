// What a partition carries beside its nodes: the functions that it reaches, by calling them as ops or by naming them in
// attributes, and its own nodes' stack traces (docs/rules/runtime.md#I.1).
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
