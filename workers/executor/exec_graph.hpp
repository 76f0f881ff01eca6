// A device's graph as the executor runs it: flat arrays, no names on the way.
//
// The plan is what the graph alone says, and may serve many registrations, of many runs of a job. Kernels that depend
// on more than their node, and what all of them cost, belong to one registration. Nodes are numbered densely in id
// order; source and sink are gone (a root is a node nothing precedes).
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

// One cache line: a cluster's nodes are more than a core's own cache holds, and each is looked at once a step.
struct alignas(64) ExecNode {
  Kernel* kernel = nullptr;  // of a plan: none
  const Value* always =
      nullptr;  // what the kernel would give out, where nothing else has to be looked at: it need not run
  CostId cost;  // none = takes no time
  std::uint32_t work = kNoWork;  // into ExecGraph::works
  std::uint32_t device_outputs =
      0;  // into ExecGraph::on_device, output_count of them; meaningless where memory is not counted
  std::uint32_t first_input = 0, input_count = 0;  // into the iteration's inputs
  std::uint32_t first_flag = 0;                    // into ExecPlan::inputs
  std::uint32_t output_count = 0;
  std::uint32_t first_edge = 0, edge_count = 0;
  DataType received_type = DataType::kInvalid;  // of a Recv: what it must get
  DataType referred_type = DataType::kInvalid;  // of a node whose first output is a reference: what that must refer to
  Flow flow = Flow::plain;
  CostSource cost_source = CostSource::otherwise;
  bool pays_on_arrival : 1 = false;  // a Recv: its time passes when the tensor has come
  bool has_references : 1 = false;   // some input is a reference, reads one, or must have an object behind it
  bool is_constant : 1 = false;      // an Enter whose value every iteration sees
  bool is_merge : 1 = false;
  bool is_transfer : 1 = false;  // Send or Recv: runs even when its input is dead
  bool is_async : 1 = false;
  bool is_control_trigger : 1 = false;  // never dead
  bool allows_uninitialized : 1 = false;
  bool may_lack_outputs : 1 = false;  // Switch and Recv
};
static_assert(sizeof(ExecNode) == 64);

struct ExecNodeInfo {             // of a node: what is seldom asked
  std::string_view name;          // the graph's
  std::uint32_t frame = 0;        // its frame's kind
  std::uint32_t child_frame = 0;  // of an Enter
  std::uint32_t slot = 0;         // in its frame's state
};

struct ExecEdge {
  std::uint32_t dst = 0;
  std::int32_t src_slot = kControlSlot;
  std::uint32_t dst_state = 0;       // the consumer's slot; kMergeState for a Merge, which counts otherwise
  std::uint32_t dst_input : 31 = 0;  // into the inputs of an iteration of its frame; meaningless for control edges
  bool takes : 1 =
      false;  // the last that the value goes to: it is moved there. Never a loop invariant: each iteration gets it anew
};
inline constexpr std::uint32_t kMergeState = 0xffffffff;

struct ExecInput {
  bool dereference = false;  // a reference feeds a value: read the variable when the node starts
  bool expects_reference = false;
  ResourceKind needs = ResourceKind::none;  // the object that must be behind it
};

struct ExecOp {  // what tarry knows of a node's op; null = nothing
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
  std::uint32_t most_outputs = 0;  // of any node
  Status
      fault;  // INVALID_ARGUMENT `{{node X}} has inputs from different frames. ...` (a loop cut without control loops)
};

[[nodiscard]] ExecPlanRef plan_exec_graph(Graph g);

// Kernels of stateful nodes, shared by all graphs of a session on a device, by node name (docs/rules/runtime.md#D.3).
using SharedKernels = std::map<std::string, std::shared_ptr<Kernel>, std::less<>>;

// Of a plan's nodes: kernels that an earlier registration made and any other may use (Kernel::is_of_node_alone); null =
// none. They remember what they gave out. REQUIRES: all hosts that share them have the same values_up_to.
using KeptKernels = std::vector<std::shared_ptr<Kernel>>;

struct ExecGraph {
  ExecPlanRef plan;
  std::string device;  // full name
  std::vector<ExecNode> nodes;
  std::vector<std::shared_ptr<Kernel>> kernels;
  std::vector<NodeWork> works;  // of nodes whose time depends on what they do
  DeviceMemoryRef memory;       // null: not counted
  std::vector<bool> on_device;  // output slots that are in the device's own memory, node after node; empty: not counted
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;  // by properties only

  [[nodiscard]] const ExecNodeInfo& info_of(const ExecNode& own) const {
    return plan->infos[static_cast<std::size_t>(&own - nodes.data())];
  }
};

// Fails: as make_kernel does; with the plan's fault. `renewed`: incarnations in the plan's graph that are others now;
// null = all are as they were. `kept`: the plan's, taken from and added to; null = every kernel is made.
[[nodiscard]] StatusOr<ExecGraph> make_exec_graph(ExecPlanRef plan, KernelHost& host, SharedKernels& shared,
                                                  const Incarnations* renewed = nullptr, KeptKernels* kept = nullptr);
[[nodiscard]] inline StatusOr<ExecGraph> make_exec_graph(Graph g, KernelHost& host, SharedKernels& shared) {
  return make_exec_graph(plan_exec_graph(std::move(g)), host, shared);
}

}  // namespace tarry
