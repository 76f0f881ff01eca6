// The names of what computes how flows share bandwidth. A run's hash belongs to one: SimGrid's releases may differ by a
// nanosecond, and so may tarry's own engine.
//
// SimGrid's release is the one that tarry was compiled with: its libraries have it in their names, so no other is
// loaded.
#pragma once

#include <string>

#include "sim/cluster.hpp"

namespace tarry {

[[nodiscard]] std::string flow_engine_name();  // of SimGrid: "simgrid 3.32"
// "shared", or SimGrid's. REQUIRES: not FlowsBy::automatic (flows_by).
[[nodiscard]] std::string flow_engine_name(FlowsBy engine);

}  // namespace tarry
