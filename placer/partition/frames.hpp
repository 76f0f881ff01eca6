// Which loop frame each node is in (docs/rules/runtime.md#B.5).
//
// An Enter opens the frame that its `frame_name` names, inside the frame of its input; an Exit belongs to the frame
// that it leaves, and what follows it to the parent. Names are global: one name is one frame.
#pragma once

#include <string>

#include "placer/graph/graph.hpp"

namespace tarry {

struct FrameInfo {
  NodeId frame = kSource;         // an Enter of the frame; kSource for the root frame
  NodeId parent_frame = kSource;  // an Enter of the parent frame
  std::string name;               // "" = the root
};

[[nodiscard]] bool is_switch(std::string_view op);
[[nodiscard]] bool is_merge(std::string_view op);
[[nodiscard]] bool is_enter(std::string_view op);
[[nodiscard]] bool is_exit(std::string_view op);
[[nodiscard]] bool is_next_iteration(std::string_view op);

// Fails: INVALID_ARGUMENT when a node's inputs are in different frames, an Enter names no frame, or a frame has two
// LoopConds; INTERNAL when two Enters of a frame have different parents.
[[nodiscard]] StatusOr<IdVector<NodeId, FrameInfo>> find_frames(const Graph& g);

}  // namespace tarry
