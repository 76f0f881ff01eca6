// The functions that a graph reaches: by calling them as ops, or by naming them in attributes.
#pragma once

#include <span>
#include <vector>

#include "placer/graph/spec.hpp"

namespace tarry {

// In the library's order.
[[nodiscard]] std::vector<FunctionSpec> reachable_functions(std::span<const FunctionSpec> library, std::span<const NodeSpec> nodes);

}  // namespace tarry
