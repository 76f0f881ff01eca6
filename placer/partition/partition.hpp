// Cutting a placed graph into one graph per location, joined by Send and Recv (docs/rules/runtime.md#B).
//
// Used twice: the master cuts by task (control_flow_added = false), each worker cuts its part by device (true). A
// partition's location is the task's or the device's full name. Names, keys and attributes are TensorFlow's;
// `tensor_name` is `edge_<edge id in g>_<source>`. An edge between devices of one task stays plain in the master's cut.
//
// REQUIRES: every op node of `g` has an assigned device of `devices`. PROMISES: partitions in order of first appearance
// by node id; nodes within a partition in the order TensorFlow gives them. With control_flow_added = false `g` changes:
// control-flow nodes move to their neighbours' devices, and loops that cross devices get control loops
// (control_loops.hpp). Fails: INVALID_ARGUMENT `Incomplete graph, missing K inputs for NAME`; with the errors of
// add_control_loops; NOT_FOUND `No attr named '_start_time' in NodeDef:` when receives are scheduled and a node has no
// start time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "placer/core/planted.hpp"
#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/partition/part.hpp"
#include "placer/partition/rules.hpp"

namespace tarry {

enum class CutBy : std::uint8_t { task, device };

struct PartitionOptions {
  CutBy by = CutBy::device;
  std::function<std::string(std::string_view)> new_name;  // prefix -> a name not used before
  std::function<std::uint64_t(std::string_view)>
      incarnation;  // of the device with this full name, the same at every call; 0 = unknown
  bool control_flow_added = false;
  bool float_as_bfloat16 = false;     // floats travel between locations in half the bytes, cast at both ends
  bool scheduling_for_recvs = false;  // `_start_time` on sends and receives (docs/rules/runtime.md#B.6)
  std::function<std::int64_t(NodeId)> start_time = {};  // for nodes without one; empty = all nodes must have one
  const KernelRegistry* kernels = nullptr;              // memory types; nullptr = kernels_of_tf215()
  const OpRegistry* ops = nullptr;                      // for the added nodes; nullptr = ops_of_tf215()
  Rules rules = rules_2_15();                           // which kernel serves a node
  PartitionRules cut = {};
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;
};

[[nodiscard]] StatusOr<std::vector<Partition>> partition(Graph& g, const DeviceSet& devices,
                                                         const PartitionOptions& options);

}  // namespace tarry
