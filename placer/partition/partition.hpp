// Cutting a placed graph into one graph per location, joined by Send and Recv (runtime.md B).
//
// Used twice: the master cuts by task, each worker cuts its part by device. Names, keys and attributes are TensorFlow's; `tensor_name`
// is `edge_<edge id in g>_<source>`.
//
// REQUIRES: every op node of `g` has an assigned device of `devices`. PROMISES: `g` unchanged (but for the colocation tweak of B.5.1 on the
// master's cut); partitions in order of first appearance by node id; nodes within a partition in the order TensorFlow gives them.
// Fails: INVALID_ARGUMENT `Incomplete graph, missing K inputs for NAME`; UNIMPLEMENTED for a loop that crosses locations.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"

namespace tarry {

struct PartitionOptions {
  std::function<std::string(NodeId)> location;             // the task, or the device
  std::function<std::string(std::string_view)> new_name;   // prefix -> a name not used before
  std::function<std::uint64_t(std::string_view)> incarnation;  // of a device by full name; 0 = unknown
  bool control_flow_added = false;
  const KernelRegistry* kernels = nullptr;  // memory types; nullptr = kernels_of_tf215()
};

struct Partition {
  std::string location;
  GraphSpec graph;
};

[[nodiscard]] StatusOr<std::vector<Partition>> partition(Graph& g, const DeviceSet& devices, const PartitionOptions& options);

}  // namespace tarry
