// An executor's plan as those hold it who only keep it (exec_graph.hpp has what is in it).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>

namespace tarry {

struct ExecPlan;
using ExecPlanRef = std::shared_ptr<const ExecPlan>;

// Incarnations of devices that are others than when a graph was cut: then -> now.
using Incarnations = absl::flat_hash_map<std::uint64_t, std::uint64_t>;  // looked up, never iterated

}  // namespace tarry
