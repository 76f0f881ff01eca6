// A device's graph as the executor runs it: flat arrays, without look-ups by name.
//
// The plan depends on the graph alone and may serve many registrations, in many runs of a job. Kernels that depend on
// more than their node, and the costs of all kernels, belong to one registration. Nodes are numbered densely in id
// order, without source and sink (a root is a node without predecessors).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/core/planted.hpp"
#include "placer/graph/graph.hpp"
#include "workers/executor/frame_kinds.hpp"
#include "workers/executor/plan_ref.hpp"
#include "workers/kernels/kernel.hpp"
#include "workers/roofline/work.hpp"

namespace tarry {

inline constexpr std::uint32_t kNoWork = 0xffffffff;

enum class Flow : std::uint8_t { plain, enter, exit, next_iteration };

// One cache line: a cluster has more nodes than a core's cache holds, and each is visited once per step.
struct alignas(64) ExecNode {
  Kernel* kernel = nullptr;       // null in a plan
  const Value* always = nullptr;  // the kernel's constant output; when set, the kernel need not run (null otherwise)
  CostId cost;                    // none = takes no time
  std::uint32_t work = kNoWork;   // into ExecGraph::works
  std::uint32_t device_outputs =
      0;  // index of the first of output_count entries in ExecGraph::on_device; unused when memory is not counted
  std::uint32_t first_input = 0, input_count = 0;  // into the iteration's inputs
  std::uint32_t first_flag = 0;                    // into ExecPlan::inputs
  std::uint32_t output_count = 0;
  std::uint32_t first_edge = 0, edge_count = 0;
  DataType received_type = DataType::kInvalid;  // of a Recv or StackPop: the type that what it gets must have
  DataType referred_type = DataType::kInvalid;  // the type that a reference in the first output must refer to
  Flow flow = Flow::plain;
  CostSource cost_source = CostSource::otherwise;
  bool pays_on_arrival : 1 = false;  // a Recv: its time passes after the tensor has arrived
  bool has_references : 1 = false;   // some input is a reference, reads one, or must have an object behind it
  bool is_constant : 1 = false;      // an Enter whose value goes to every iteration (a loop invariant)
  bool is_merge : 1 = false;
  bool is_transfer : 1 = false;  // Send or Recv: runs even when its input is dead
  bool is_async : 1 = false;
  bool is_control_trigger : 1 = false;  // never dead
  bool allows_uninitialized : 1 = false;
  bool may_lack_outputs : 1 = false;  // Switch and Recv
};
static_assert(sizeof(ExecNode) == 64);

struct ExecNodeInfo {             // the rarely read data of a node
  std::string_view name;          // points into the graph
  std::uint32_t frame = 0;        // its frame's kind
  std::uint32_t child_frame = 0;  // of an Enter
  std::uint32_t slot = 0;         // in its frame's state
};

struct ExecEdge {
  std::uint32_t dst = 0;
  std::int32_t src_slot = kControlSlot;
  std::uint32_t dst_state = 0;  // the consumer's slot; kMergeState for a Merge, whose count differs (propagation.cpp)
  std::uint32_t dst_input : 31 = 0;  // index into Iteration::inputs; unused for control edges
  bool takes : 1 = false;  // this is the value's last consumer: the value is moved there. Never set for a loop
                           // invariant, which every iteration gets
};
inline constexpr std::uint32_t kMergeState = 0xffffffff;

struct ExecInput {
  bool dereference = false;  // a reference feeds a value: read the variable when the node starts
  bool expects_reference = false;
  ResourceKind needs = ResourceKind::none;  // the kind of object that must be behind the input
};

struct ExecOp {  // the table rows of a node's op; null = there is none
  const KernelRow* kernel = nullptr;
  const WorkRow* work = nullptr;
};

struct ExecPlan {
  Graph graph;
  std::vector<ExecNode> nodes;      // without kernels
  std::vector<ExecNodeInfo> infos;  // of the nodes
  std::vector<ExecOp> ops;          // of the nodes
  std::vector<ExecEdge> edges;
  std::vector<ExecInput> inputs;
  std::vector<FrameKind> frames;  // 0 = the root
  std::vector<std::uint32_t> roots;
  std::uint32_t most_outputs = 0;  // the largest output_count
  Status
      fault;  // INVALID_ARGUMENT `{{node X}} has inputs from different frames. ...` (a loop cut without control loops)
};

[[nodiscard]] ExecPlanRef plan_exec_graph(Graph g);

// Kernels of stateful nodes, shared by all graphs of a session on a device, by node name (docs/rules/runtime.md#D.3).
using SharedKernels = std::map<std::string, std::shared_ptr<Kernel>, std::less<>>;

// By node of a plan: the kernel that an earlier registration made and others may use (Kernel::is_of_node_alone), or
// null. Kept kernels may remember their outputs. REQUIRES: all hosts that share them have the same values_up_to.
using KeptKernels = std::vector<std::shared_ptr<Kernel>>;

struct ExecGraph {
  ExecPlanRef plan;
  std::string device;  // full name
  std::vector<ExecNode> nodes;
  std::vector<std::shared_ptr<Kernel>> kernels;
  std::vector<NodeWork> works = {};      // of nodes whose time depends on their work
  DeviceMemoryRef memory;                // null = not counted
  const DeviceHealth* health = nullptr;  // null = the device cannot be lost
  class Auditor* auditor = nullptr;      // null = nobody audits (workers/auditor.hpp)
  std::vector<bool> on_device;  // is an output in the device's own memory? node after node; empty = not counted
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;  // set by properties only

  [[nodiscard]] const ExecNodeInfo& info_of(const ExecNode& own) const {
    return plan->infos[static_cast<std::size_t>(&own - nodes.data())];
  }
};

// Fails: with the errors of make_kernel; with the plan's fault. `renewed`: what the plan's transfers say that holds no
// longer; null = all holds. `kept`: the plan's kept kernels, which are used and added to; null = every kernel is made
// anew.
[[nodiscard]] StatusOr<ExecGraph> make_exec_graph(ExecPlanRef plan, KernelHost& host, SharedKernels& shared,
                                                  const Renewal* renewed = nullptr, KeptKernels* kept = nullptr);
[[nodiscard]] inline StatusOr<ExecGraph> make_exec_graph(Graph g, KernelHost& host, SharedKernels& shared) {
  return make_exec_graph(plan_exec_graph(std::move(g)), host, shared);
}

}  // namespace tarry
