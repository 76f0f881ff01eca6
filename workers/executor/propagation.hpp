// Where a finished node's outputs go, and which nodes that makes ready (docs/rules/runtime.md#C.4).
//
// Enter moves a value into a child frame, Exit out of it, NextIteration to the next iteration. A dead Exit is passed on
// only when its frame is done; a dead NextIteration is not passed on. At most parallel_iterations iterations of a frame
// are in progress: a value that would start another waits until one has retired. An iteration retires when it has
// nothing left to do, its predecessor has retired and, for the first iteration, all Enters have arrived.
#pragma once

#include <span>

#include "workers/executor/frame_table.hpp"
#include "workers/executor/ready_queue.hpp"

namespace tarry {

class Propagation {
 public:
  explicit Propagation(const ExecGraph& graph) : graph_(graph), plan_(*graph.plan), frames_(plan_) {}

  // Puts the roots into `ready`.
  void start();
  // Called when the step has failed and nothing is outstanding any more.
  void drop_values() { frames_.drop_values(); }
  // Delivers the outputs of a node that has run; each value is moved to its last consumer (ExecEdge::takes). The node
  // still counts as outstanding.
  void deliver(const ReadyNode& from, const ExecNode& node, std::span<Value> outputs, bool is_dead) {
    if (node.flow == Flow::plain) return activate(node, *from.iteration, outputs, is_dead);
    deliver_elsewhere(from, outputs, is_dead);
  }
  // Called after deliver: the node no longer counts, and iterations and frames that this ends are retired. Not called
  // once the step has failed.
  void retire(Iteration& iteration) {
    --outstanding;
    if (--iteration.outstanding_ops == 0 && retires(*iteration.frame)) clean_up(iteration);
  }

  ReadyQueue ready;
  std::size_t outstanding = 0;  // ready or running, in all frames

  [[nodiscard]] const FrameTable& frames() const { return frames_; }

 private:
  using Index = std::uint32_t;

  void deliver_elsewhere(const ReadyNode& from, std::span<Value> outputs,
                         bool is_dead);  // into another frame or iteration
  void make_ready(Index n, Iteration& i, bool is_dead);
  void activate(const ExecNode& from, Iteration& to, std::span<Value> outputs, bool is_dead);
  void arrive(const ExecEdge& edge, Iteration& to, Value* value, bool is_dead,
              bool from_enter);  // null = along a control edge
  void arrive_at_merge(Index dst, const ExecEdge& edge, Iteration& to, Value* value, bool is_dead, bool from_enter);
  void enter(const ReadyNode& from, std::span<Value> outputs, bool is_dead);
  void next_iteration(const ReadyNode& from, Value& value);
  void increment(Frame& frame);
  [[nodiscard]] bool is_done(Iteration& i) const;
  void clean_up(Iteration& iteration);
  // Iterations of the root end with the step, but for one behind which a NextIteration outside of loops waits.
  static bool retires(const Frame& frame) { return frame.parent != nullptr || !frame.next_roots.empty(); }
  void end_frame(Frame& frame);

  const ExecGraph& graph_;
  const ExecPlan& plan_;
  FrameTable frames_;
};

}  // namespace tarry
