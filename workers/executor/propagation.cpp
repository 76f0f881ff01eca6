#include "workers/executor/propagation.hpp"

#include <utility>

namespace tarry {
namespace {

void give(Value& to, Value& from, bool takes) {
  if (takes)
    to = std::move(from);
  else
    to = from;
}

}  // namespace

inline void Propagation::make_ready(Index n, Iteration& i, bool is_dead) {
  ready.push({&i, n, is_dead && !plan_.nodes[n].is_control_trigger});
  ++i.outstanding_ops;
  ++i.begun_ops;
  ++outstanding;
}

void Propagation::start() {
  outstanding = 0;
  Iteration& root = frames_.restart();
  for (const Index n : plan_.roots) make_ready(n, root, false);
}

void Propagation::deliver_elsewhere(const ReadyNode& from, std::span<Value> outputs, bool is_dead) {
  const ExecNode& e = plan_.nodes[from.node];
  switch (e.flow) {
    case Flow::plain:
      return;
    case Flow::enter:
      return enter(from, outputs, is_dead);
    case Flow::exit:
      if (!is_dead) return activate(plan_.nodes[from.node], *from.iteration->frame->parent, outputs, false);
      if (graph_.planted == PlantedRuntimeBug::dead_exit_lost) return;
      if (from.iteration->number == from.iteration->frame->newest)
        from.iteration->frame->dead_exits.push_back(from.node);
      return;
    case Flow::next_iteration:
      if (!is_dead) next_iteration(from, outputs[0]);
  }
}

void Propagation::enter(const ReadyNode& from, std::span<Value> outputs, bool is_dead) {
  Frame& child = frames_.child(*from.iteration, plan_.infos[from.node].child_frame);
  if (!plan_.nodes[from.node].is_constant) {
    activate(plan_.nodes[from.node], *child.at(0), outputs, is_dead);
  } else {
    child.constants.push_back({from.node, outputs[0]});
    const std::int64_t newest = child.newest;
    for (std::int64_t i = 0; i <= newest; ++i)
      if (Iteration* to = child.at(i); to != nullptr && to->number == i)
        activate(plan_.nodes[from.node], *to, outputs, is_dead);
  }
  --child.pending_enters;
}

void Propagation::next_iteration(const ReadyNode& from, Value& value) {
  Frame& frame = *from.iteration->frame;
  if (from.iteration->number == frame.newest) {
    if (frame.outstanding_iterations == plan_.frames[frame.kind].parallel_iterations +
                                            (graph_.planted == PlantedRuntimeBug::parallel_one_more ? 1 : 0)) {
      frame.next_roots.push_back({from.node, value});
      return;
    }
    increment(frame);
  }
  activate(plan_.nodes[from.node], *frame.at(from.iteration->number + 1), std::span(&value, 1), false);
}

// The next iteration begins: with what waited for it, and with the loop's invariants.
void Propagation::increment(Frame& frame) {
  ++frame.newest;
  ++frame.outstanding_iterations;
  Iteration& next = frames_.start_iteration(frame, frame.newest);
  frame.dead_exits.clear();
  for (ParkedValue& p : frame.next_roots)
    activate(plan_.nodes[p.node], next, std::span(&p.value, 1), p.value.is_dead());
  frame.next_roots.clear();
  if (graph_.planted == PlantedRuntimeBug::invariant_forgotten) return;
  for (ParkedValue& p : frame.constants) activate(plan_.nodes[p.node], next, std::span(&p.value, 1), p.value.is_dead());
}

void Propagation::activate(const ExecNode& e, Iteration& to, std::span<Value> outputs, bool is_dead) {
  for (const ExecEdge& edge : std::span(plan_.edges).subspan(e.first_edge, e.edge_count)) {
    Value* value = edge.src_slot == kControlSlot ? nullptr : &outputs[static_cast<std::size_t>(edge.src_slot)];
    arrive(edge, to, value, is_dead || (value != nullptr && value->is_dead()), e.flow == Flow::enter);
  }
}

inline void Propagation::arrive(const ExecEdge& edge, Iteration& to, Value* value, bool is_dead, bool from_enter) {
  if (edge.dst_state == kMergeState) return arrive_at_merge(edge.dst, edge, to, value, is_dead, from_enter);
  if (value != nullptr) give(to.inputs[edge.dst_input], *value, edge.takes);
  NodeState& state = to.nodes[edge.dst_state];
  if (is_dead) ++state.dead;
  if (--state.pending == 0) make_ready(edge.dst, to, state.dead > 0);
}

// Bit 0 of a Merge's pending count says that no live data has come yet; control inputs count 2 each. A second live
// input is kept too: of those that are there when the Merge runs, it takes the first by slot.
void Propagation::arrive_at_merge(Index n, const ExecEdge& edge, Iteration& to, Value* value, bool is_dead,
                                  bool from_enter) {
  const ExecNode& dst = plan_.nodes[n];
  auto& [pending, dead] = to.nodes[plan_.infos[n].slot];
  const auto all_dead = [&dst, &dead = dead] { return dead == static_cast<std::int32_t>(dst.input_count); };
  if (value == nullptr) {
    pending -= 2;
    if (pending == 0 || (pending == 1 && all_dead())) make_ready(n, to, pending == 1);
  } else if (!is_dead) {
    to.has_second_inputs |= (pending & 1) == 0;
    give(to.inputs[edge.dst_input], *value, edge.takes);
    if (std::exchange(pending, pending & ~1) == 1) make_ready(n, to, false);
  } else {
    if (graph_.planted == PlantedRuntimeBug::dead_dropped_at_merge) return;
    dead = from_enter ? static_cast<std::int32_t>(dst.input_count) : dead + 1;
    if (pending == 1 && all_dead()) make_ready(n, to, true);
  }
}

bool Propagation::is_done(Iteration& i) const {
  if (i.outstanding_ops > 0 || i.outstanding_frames > 0) return false;
  if (i.number == 0) return i.frame->pending_enters == 0;
  const Iteration* previous = i.frame->at(i.number - 1);
  return previous == nullptr || previous->number != i.number - 1;
}

// This iteration and those after it, as far as they are done; then perhaps the frame, and what its end ends outside.
void Propagation::clean_up(Iteration& iteration) {
  Frame& frame = *iteration.frame;
  for (std::int64_t i = iteration.number; i <= frame.newest; ++i) {
    Iteration* at = frame.at(i);
    if (at == nullptr || at->number != i || !is_done(*at)) break;
    frames_.retire(*at);
    --frame.outstanding_iterations;
    if (!frame.next_roots.empty()) increment(frame);
  }
  if (frame.is_done()) end_frame(frame);
}

void Propagation::end_frame(Frame& frame) {
  Iteration& outside = *frame.parent;
  for (const Index exit : frame.dead_exits) {
    Value nothing;
    activate(plan_.nodes[exit], outside, std::span(&nothing, 1), true);
  }
  if (graph_.planted == PlantedRuntimeBug::frame_never_freed) return;
  frames_.retire(frame);
  --outside.outstanding_frames;
  if (retires(*outside.frame)) clean_up(outside);
}

}  // namespace tarry
