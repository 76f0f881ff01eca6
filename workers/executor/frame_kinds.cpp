#include "workers/executor/frame_kinds.hpp"

#include <algorithm>
#include <deque>

#include "workers/rendezvous/key.hpp"

namespace tarry {

bool is_enter_op(std::string_view op) { return op == "Enter" || op == "RefEnter"; }
bool is_exit_op(std::string_view op) { return op == "Exit" || op == "RefExit"; }
bool is_next_iteration_op(std::string_view op) { return op == "NextIteration" || op == "RefNextIteration"; }

namespace {

class Finder {
 public:
  explicit Finder(const Graph& g) : g_(g), seen_(g.node_slots(), false) {
    found_.kinds.emplace_back();
    found_.of.assign(g.node_slots(), 0);
    found_.child.assign(g.node_slots(), 0);
  }

  FrameKinds run() {
    for (const NodeId n : g_.op_nodes())
      if (is_root(n)) visit(n, 0);
    for (; !open_.empty(); open_.pop_front()) {
      const NodeId n = open_.front();
      const std::uint32_t frame = after(n);
      for (const EdgeId e : g_.out_edges(n)) visit(g_.edge(e).dst, frame);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_root(NodeId n) const {
    return std::ranges::all_of(g_.in_edges(n), [&](EdgeId e) { return g_.edge(e).src == kSource; });
  }

  void visit(NodeId n, std::uint32_t frame) {
    if (!g_.is_op(n) || seen_[n]) return;
    seen_[n] = true;
    found_.of[n] = frame;
    open_.push_back(n);
  }

  // The frame of a node's consumers.
  std::uint32_t after(NodeId n) {
    const std::uint32_t frame = found_.of[n];
    if (is_exit_op(g_.op_name(n))) return found_.kinds[frame].parent;
    return is_enter_op(g_.op_name(n)) ? found_.child[n] = open_frame(n, frame) : frame;
  }

  std::uint32_t open_frame(NodeId enter, std::uint32_t parent) {
    const auto* name = g_.node(enter).attrs.get<std::string>("frame_name");
    const auto* parallel = g_.node(enter).attrs.get<std::int64_t>("parallel_iterations");
    auto it = std::ranges::find(found_.kinds, name == nullptr ? "" : *name, &FrameKind::name);
    if (it == found_.kinds.end()) {
      it = found_.kinds.insert(it, FrameKind{.name = *name, .name_hash = frame_name_hash(*name), .parent = parent});
      it->parallel_iterations = std::max<std::int64_t>(1, parallel == nullptr ? 10 : *parallel);
    }
    ++it->enters;
    return static_cast<std::uint32_t>(it - found_.kinds.begin());
  }

  const Graph& g_;
  FrameKinds found_;
  IdVector<NodeId, bool> seen_;
  std::deque<NodeId> open_;
};

}  // namespace

FrameKinds find_frame_kinds(const Graph& g) { return Finder(g).run(); }

}  // namespace tarry
