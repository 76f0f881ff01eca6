#include "placer/partition/frames.hpp"

#include <deque>
#include <map>

namespace tarry {
namespace {

constexpr const char* kReport =
    "This is an internal bug, please file a bug report with instructions on how to reproduce the error.";

std::string text(const Graph& g, NodeId n) {
  return n == kSource ? "{{node _SOURCE}}" : fmt::format("{{{{node {}}}}}", g.name(n));
}

class FrameFinder {
 public:
  explicit FrameFinder(const Graph& g) : g_(g), info_(g.node_slots()), seen_from_(g.node_slots()) {}

  StatusOr<IdVector<NodeId, FrameInfo>> run() {
    for (std::deque<NodeId> ready = {kSource}; !ready.empty(); ready.pop_front()) {
      const NodeId n = ready.front();
      const FrameInfo after = following(n);
      for (const EdgeId e : g_.out_edges(n)) TARRY_RETURN_IF_ERROR(reach(n, g_.edge(e).dst, after, ready));
    }
    TARRY_RETURN_IF_ERROR(validate());
    return std::move(info_);
  }

 private:
  // The frame of what consumes `n`.
  [[nodiscard]] FrameInfo following(NodeId n) const {
    return g_.is_op(n) && is_exit(g_.op_name(n)) ? info_[info_[n].parent_frame] : info_[n];
  }

  Status reach(NodeId from, NodeId n, const FrameInfo& frame, std::deque<NodeId>& ready) {
    if (!g_.is_op(n)) return {};
    if (seen_from_[n].valid()) return agree(from, n, frame);
    seen_from_[n] = from;
    ready.push_back(n);
    return is_enter(g_.op_name(n)) ? enter(n, frame) : (info_[n] = frame, Status());
  }

  Status enter(NodeId n, const FrameInfo& outside) {
    const std::string* name = g_.node(n).attrs.get<std::string>("frame_name");
    info_[n] = {n, outside.frame, name == nullptr ? "" : *name};
    return info_[n].name.empty() ? invalid("The Enter {} must have a frame name.", text(g_, n)) : Status();
  }

  [[nodiscard]] Status agree(NodeId from, NodeId n, const FrameInfo& frame) const {
    const std::string& known = is_enter(g_.op_name(n)) ? info_[info_[n].parent_frame].name : info_[n].name;
    if (known == frame.name) return {};
    return invalid("{} has inputs from different frames. The input {} is in frame '{}'. The input {} is in frame '{}'.",
                   text(g_, n), text(g_, from), frame.name, text(g_, seen_from_[n]), known);
  }

  struct Loop {
    NodeId parent_frame, condition;
  };

  [[nodiscard]] Status validate() const {
    std::map<std::string_view, Loop> loops;
    for (const NodeId n : g_.op_nodes()) {
      if (info_[n].name.empty()) continue;
      Loop& loop = loops.try_emplace(info_[n].name, Loop{info_[n].parent_frame, NodeId::none()}).first->second;
      TARRY_RETURN_IF_ERROR(same_parent(n, loop));
      if (g_.op_name(n) == "LoopCond") TARRY_RETURN_IF_ERROR(one_condition(n, loop));
    }
    return {};
  }

  [[nodiscard]] Status same_parent(NodeId n, const Loop& loop) const {
    const std::string& first = info_[loop.parent_frame].name;
    const std::string& own = info_[info_[n].parent_frame].name;
    if (first == own) return {};
    return error(Code::kInternal,
                 "Invalid loop structure: Mismatched parent frames for \"{}\": \"{}\" vs \"{}\". The node giving this "
                 "error: {}. {}",
                 info_[n].name, own, first, text(g_, n), kReport);
  }

  Status one_condition(NodeId n, Loop& loop) const {
    const auto counts = [&](NodeId c) { return g_.name(c).find("LoopCounter") == std::string_view::npos; };
    if (loop.condition.valid() && counts(n) && counts(loop.condition))
      return invalid("Invalid loop structure: Loop \"{}\" has more than one LoopCond node: {} and {}. {}",
                     info_[n].name, text(g_, n), text(g_, loop.condition), kReport);
    loop.condition = n;
    return {};
  }

  const Graph& g_;
  IdVector<NodeId, FrameInfo> info_;
  IdVector<NodeId, NodeId> seen_from_;
};

}  // namespace

bool is_switch(std::string_view op) { return op == "Switch" || op == "RefSwitch" || op == "_SwitchN"; }
bool is_merge(std::string_view op) { return op == "Merge" || op == "RefMerge" || op == "_XlaMerge"; }
bool is_enter(std::string_view op) { return op == "Enter" || op == "RefEnter"; }
bool is_exit(std::string_view op) { return op == "Exit" || op == "RefExit"; }
bool is_next_iteration(std::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }

StatusOr<IdVector<NodeId, FrameInfo>> find_frames(const Graph& g) { return FrameFinder(g).run(); }

}  // namespace tarry
