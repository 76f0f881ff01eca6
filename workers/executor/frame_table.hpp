// The frames and iterations of one run: what is live, and what is kept for reuse.
//
// State is freed as soon as an iteration has nothing left to do, and reused for later ones: a loop holds at most
// parallel_iterations + 1 iterations, however long it runs (docs/rules/runtime.md#C.1, #C.4).
#pragma once

#include <memory>
#include <vector>

#include "workers/executor/exec_graph.hpp"

namespace tarry {

struct Frame;

struct Iteration {
  Frame* frame = nullptr;
  std::int64_t number = 0;
  std::uint32_t outstanding_ops = 0, outstanding_frames = 0;
  std::uint32_t begun_ops = 0;     // each takes its inputs with it
  bool has_second_inputs = false;  // of Merges; they may have come when these had run
  std::vector<NodeState> nodes;    // by slot of the frame's nodes
  std::vector<Value> inputs;
  std::vector<Frame*> children;
};

struct ParkedValue {  // the value of a node's only output
  std::uint32_t node = 0;
  Value value;
};

struct Frame {
  std::uint32_t kind = 0;
  std::uint64_t id = 0;         // the frame id in rendezvous keys
  Iteration* parent = nullptr;  // null for the root
  std::int64_t newest = 0;      // the highest iteration started
  std::int64_t outstanding_iterations = 1;
  std::uint32_t pending_enters = 0;
  std::vector<Iteration*> ring;         // by iteration number modulo its size; null = retired
  std::vector<ParkedValue> next_roots;  // values that wait for an iteration to retire
  std::vector<ParkedValue> constants;   // loop invariants: given to every iteration
  std::vector<std::uint32_t> dead_exits;

  [[nodiscard]] Iteration*& at(std::int64_t number) { return ring[static_cast<std::size_t>(number) % ring.size()]; }
  [[nodiscard]] bool is_done() const { return pending_enters == 0 && outstanding_iterations == 0; }
};

class FrameTable {
 public:
  explicit FrameTable(const ExecPlan& plan) : plan_(plan), idle_iterations_(plan.frames.size()) {}

  // Resets everything: one root frame in its first iteration.
  Iteration& restart();
  // Called after an error: drops all values that were not taken.
  void drop_values();
  // The child frame of this kind in this iteration; made when there is none.
  Frame& child(Iteration& parent, std::uint32_t kind);
  Iteration& start_iteration(Frame& frame, std::int64_t number);
  void retire(Iteration& iteration);
  // REQUIRES: is_done(). Removes the frame from its parent; its storage is reused.
  void retire(Frame& frame);
  [[nodiscard]] std::size_t iterations_made() const { return iterations_.size(); }  // in storage, not run
  [[nodiscard]] std::size_t loops_live() const {
    return live_frames_.empty() ? 0 : live_frames_.size() - 1;
  }  // the root is no loop

 private:
  Frame& take_frame(std::uint32_t kind);
  void clear(Frame& frame);

  const ExecPlan& plan_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Iteration>> iterations_;
  std::vector<Frame*> idle_frames_, live_frames_;
  std::vector<std::vector<Iteration*>> idle_iterations_;  // by kind
};

}  // namespace tarry
