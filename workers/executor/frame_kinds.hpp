// The loop frames of a device's graph as the executor needs them: which nodes run in each, and how large its state is.
//
// A node runs in the frame of its inputs: an Enter outside the loop, an Exit inside. Frames are distinguished by name
// (docs/rules/runtime.md#C.1).
#pragma once

#include <string>
#include <vector>

#include "placer/graph/graph.hpp"

namespace tarry {

// What a node of an iteration waits for. For a Merge, `pending` has another encoding (propagation.cpp).
struct NodeState {
  std::int32_t pending = 0, dead = 0;  // inputs that have not arrived; inputs that arrived dead
};

struct FrameKind {
  std::string name;  // "" = the root
  std::uint64_t name_hash = 0;
  std::uint32_t parent = 0;  // kind
  std::uint32_t enters = 0;  // Enter nodes of this frame in this graph
  std::uint32_t input_slots = 0;
  std::int64_t parallel_iterations = 1;
  std::vector<NodeState> initial;  // by slot of its nodes
};

struct FrameKinds {
  std::vector<FrameKind> kinds;           // 0 = the root
  IdVector<NodeId, std::uint32_t> of;     // where a node runs
  IdVector<NodeId, std::uint32_t> child;  // of an Enter: the kind that it opens
};

[[nodiscard]] FrameKinds find_frame_kinds(const Graph& g);

[[nodiscard]] bool is_enter_op(std::string_view op);
[[nodiscard]] bool is_exit_op(std::string_view op);
[[nodiscard]] bool is_next_iteration_op(std::string_view op);

}  // namespace tarry
