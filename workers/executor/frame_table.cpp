#include "workers/executor/frame_table.hpp"

#include <algorithm>

#include "workers/rendezvous/key.hpp"

namespace tarry {

Iteration& FrameTable::restart() {
  while (!live_frames_.empty()) {
    clear(*live_frames_.back());
    idle_frames_.push_back(live_frames_.back());
    live_frames_.pop_back();
  }
  return start_iteration(take_frame(0), 0);
}

void FrameTable::drop_values() {
  for (Frame* frame : live_frames_) {
    frame->next_roots.clear();
    frame->constants.clear();
    for (Iteration* i : frame->ring)
      if (i != nullptr) std::ranges::for_each(i->inputs, &Value::clear);
  }
}

void FrameTable::clear(Frame& frame) {
  for (Iteration* i : frame.ring)
    if (i != nullptr) retire(*i);
  frame.next_roots.clear();
  frame.constants.clear();
  frame.dead_exits.clear();
}

Frame& FrameTable::take_frame(std::uint32_t kind) {
  if (idle_frames_.empty()) idle_frames_.push_back(frames_.emplace_back(std::make_unique<Frame>()).get());
  Frame& f = *idle_frames_.back();
  idle_frames_.pop_back();
  live_frames_.push_back(&f);
  f.kind = kind;
  f.id = 0;
  f.parent = nullptr;
  f.newest = 0;
  f.outstanding_iterations = 1;
  f.pending_enters = plan_.frames[kind].enters;
  f.ring.assign(static_cast<std::size_t>(plan_.frames[kind].parallel_iterations) + 1, nullptr);
  return f;
}

Frame& FrameTable::child(Iteration& parent, std::uint32_t kind) {
  const auto it = std::ranges::find(parent.children, kind, &Frame::kind);
  if (it != parent.children.end()) return **it;
  Frame& f = take_frame(kind);
  f.parent = &parent;
  f.id = child_frame_id(parent.frame->id, parent.number, plan_.frames[kind].name_hash);
  parent.children.push_back(&f);
  ++parent.outstanding_frames;
  start_iteration(f, 0);
  return f;
}

Iteration& FrameTable::start_iteration(Frame& frame, std::int64_t number) {
  const FrameKind& kind = plan_.frames[frame.kind];
  auto& idle = idle_iterations_[frame.kind];
  if (idle.empty()) {
    Iteration& made = *iterations_.emplace_back(std::make_unique<Iteration>());
    made.inputs.resize(kind.input_slots);
    idle.push_back(&made);
  }
  Iteration& i = *idle.back();
  idle.pop_back();
  i.frame = &frame;
  i.number = number;
  i.outstanding_ops = i.outstanding_frames = i.begun_ops = 0;
  i.has_second_inputs = false;
  i.nodes = kind.initial;
  return *(frame.at(number) = &i);
}

void FrameTable::retire(Iteration& iteration) {
  if (iteration.has_second_inputs || iteration.begun_ops < plan_.frames[iteration.frame->kind].initial.size())
    std::ranges::for_each(iteration.inputs, &Value::clear);  // of nodes that waited in vain
  iteration.children.clear();
  iteration.frame->at(iteration.number) = nullptr;
  idle_iterations_[iteration.frame->kind].push_back(&iteration);
}

void FrameTable::retire(Frame& frame) {
  clear(frame);
  std::erase(frame.parent->children, &frame);
  std::erase(live_frames_, &frame);
  idle_frames_.push_back(&frame);
}

}  // namespace tarry
