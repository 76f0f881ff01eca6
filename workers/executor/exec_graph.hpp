// A device's graph as the executor runs it: flat arrays, no names on the way.
//
// Made once per registered graph. Nodes are numbered densely in id order; source and sink are gone (a root is a node nothing precedes).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/core/planted.hpp"
#include "placer/graph/graph.hpp"
#include "workers/executor/frame_kinds.hpp"
#include "workers/kernels/kernel.hpp"

namespace tarry {

enum class Flow : std::uint8_t { plain, enter, exit, next_iteration };

struct ExecNode {
  Kernel* kernel = nullptr;
  CostId cost;                    // none = takes no time
  std::uint32_t frame = 0, slot = 0;               // its frame's kind; its place in that frame's state
  std::uint32_t first_input = 0, input_count = 0;  // into the iteration's inputs
  std::uint32_t first_flag = 0;                    // into ExecGraph::inputs
  std::uint32_t output_count = 0;
  std::uint32_t first_edge = 0, edge_count = 0;
  std::uint32_t child_frame = 0;     // of an Enter
  Flow flow = Flow::plain;
  bool is_constant = false;          // an Enter whose value every iteration sees
  bool is_merge = false;
  bool is_transfer = false;          // Send or Recv: runs even when its input is dead
  bool is_async = false;
  bool is_control_trigger = false;   // never dead
  bool allows_uninitialized = false;
  bool may_lack_outputs = false;     // Switch and Recv
  DataType received_type = DataType::kInvalid;  // of a Recv: what it must get
  std::string name;                  // for errors
};

struct ExecEdge {
  std::uint32_t dst = 0;
  std::int32_t src_slot = kControlSlot;
  std::uint32_t dst_input = 0;  // into the inputs of an iteration of its frame; meaningless for control edges
};

struct ExecInput {
  bool dereference = false;     // a reference feeds a value: read the variable when the node starts
  bool expects_reference = false;
};

// Kernels of stateful nodes, shared by all graphs of a session on a device, by node name (runtime.md D.3).
using SharedKernels = std::map<std::string, std::shared_ptr<Kernel>, std::less<>>;

struct ExecGraph {
  std::vector<ExecNode> nodes;
  std::vector<ExecEdge> edges;
  std::vector<ExecInput> inputs;
  std::vector<FrameKind> frames;    // 0 = the root
  std::vector<std::uint32_t> roots;
  std::uint32_t most_outputs = 0;   // of any node
  std::vector<std::shared_ptr<Kernel>> kernels;
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;  // by properties only
};

// Fails: as make_kernel does; INVALID_ARGUMENT `{{node X}} has inputs from different frames. ...` (a loop cut without control loops).
[[nodiscard]] StatusOr<ExecGraph> make_exec_graph(const Graph& g, KernelHost& host, SharedKernels& shared);

}  // namespace tarry
