#include "placer/partition/control_loops.hpp"

#include <algorithm>
#include <map>

#include "placer/partition/frames.hpp"

namespace tarry {
namespace {

constexpr std::string_view kPrefix = "_cloop";
constexpr std::int64_t kDefaultParallelIterations = 10;

// ---- moving control-flow nodes ----

DeviceId data_input_device(const Graph& g, NodeId n) {
  const EdgeId e = g.input_edge(n, 0);
  return e.valid() ? g.node(g.edge(e).src).assigned : DeviceId::none();
}

// The first's, or none where there are several and only a sole one counts.
DeviceId consumer_device(const Graph& g, NodeId n, const PartitionRules& rules) {
  DeviceId device;
  for (const EdgeId e : g.out_edges(n)) {
    if (g.edge(e).is_control()) continue;
    if (device.valid()) return DeviceId::none();
    device = g.node(g.edge(e).dst).assigned;
    if (rules.follows_first) break;
  }
  return device;
}

void move_to_neighbour(Graph& g, NodeId n, const PartitionRules& rules) {
  if (!g.is_op(n)) return;
  const std::string_view op = g.op_name(n);
  DeviceId device;
  if (is_switch(op) || is_exit(op)) device = data_input_device(g, n);
  if ((is_enter(op) && !is_ref(g.input_type(n, 0))) || is_next_iteration(op)) device = consumer_device(g, n, rules);
  if (device.valid()) g.node(n).assigned = device;
}

bool has(const Graph& g, bool (*is_kind)(std::string_view)) {
  const std::vector<NodeId> nodes = g.op_nodes();
  return std::ranges::any_of(nodes, [&](NodeId n) { return is_kind(g.op_name(n)); });
}

bool is_moved(std::string_view op) { return is_switch(op) || is_exit(op) || is_enter(op) || is_next_iteration(op); }

// Depth first from the source, each node when it is first met.
void move_control_flow(Graph& g, const PartitionRules& rules) {
  IdVector<NodeId, bool> seen(g.node_slots(), false);
  std::vector<NodeId> stack = {kSource};
  while (!stack.empty()) {
    const NodeId n = stack.back();
    stack.pop_back();
    if (seen[n]) continue;
    seen[n] = true;
    move_to_neighbour(g, n, rules);
    for (const EdgeId e : g.out_edges(n))
      if (!seen[g.edge(e).dst]) stack.push_back(g.edge(e).dst);
  }
}

// ---- loops ----

struct ControlLoop {
  NodeId enter, merge;
};

class LoopAdder {
 public:
  LoopAdder(Graph& g, const PartitionOptions& options, IdVector<NodeId, FrameInfo> frames)
      : g_(g),
        options_(options),
        ops_(options.ops != nullptr ? *options.ops : ops_of_tf215()),
        frames_(std::move(frames)) {}

  Status run() {
    for (const NodeId n : g_.op_nodes())
      if (g_.op_name(n) == "LoopCond") conditions_[frames_[n].name] = n;
    const std::size_t edges = g_.edge_slots();
    for (std::size_t i = 0; i < edges; ++i)
      if (crosses(EdgeId{i})) TARRY_RETURN_IF_ERROR(add_loops(g_.edge(EdgeId{i})));
    release_consumers();
    return {};
  }

 private:
  using LoopKey = std::pair<std::string, DeviceId>;

  [[nodiscard]] const FrameInfo& output_frame(NodeId n) const {
    return is_exit(g_.op_name(n)) ? frames_[frames_[n].parent_frame] : frames_[n];
  }
  [[nodiscard]] const FrameInfo& input_frame(NodeId n) const {
    return is_enter(g_.op_name(n)) ? frames_[frames_[n].parent_frame] : frames_[n];
  }

  // Both ends in one frame, on different devices.
  [[nodiscard]] bool crosses(EdgeId id) const {
    const Edge& e = g_.edge(id);
    if (!e.alive || !g_.is_op(e.src) || !g_.is_op(e.dst) || g_.node(e.src).assigned == g_.node(e.dst).assigned)
      return false;
    const std::string& frame = output_frame(e.src).name;
    return !frame.empty() && frame == input_frame(e.dst).name;
  }

  // The loop for the edge's frame on the consumer's device, and those of the frames around it, outwards to one that
  // exists or to the root.
  Status add_loops(const Edge& e) {
    const NodeId dst = e.dst;  // the edge itself moves when edges are added
    const DeviceId device = g_.node(dst).assigned;
    NodeId inner;
    for (FrameInfo frame = output_frame(e.src); !frame.name.empty(); frame = frames_[frame.parent_frame]) {
      const auto known = loops_.find({frame.name, device});
      if (known != loops_.end()) return feed(known->second.merge, inner);
      TARRY_ASSIGN(const ControlLoop loop, add_loop(frame, dst));
      loops_.emplace(LoopKey{frame.name, device}, loop);
      TARRY_RETURN_IF_ERROR(feed(loop.merge, inner));
      inner = loop.enter;
    }
    return inner.valid() ? feed(add_start(dst), inner) : Status();
  }

  Status feed(NodeId from, NodeId enter) {
    if (enter.valid()) g_.add_edge(from, 0, enter, 0);
    return {};
  }

  StatusOr<ControlLoop> add_loop(const FrameInfo& frame, NodeId dst) {
    const auto condition = conditions_.find(frame.name);
    if (condition == conditions_.end())
      return invalid("A cross-device loop must have a pivot predicate: {}", frame.name);
    const auto name = [&] { return fmt::format("{}{}", kPrefix, options_.new_name(g_.name(dst))); };
    const std::string enter_name = name(), merge_name = name(), switch_name = name(), next_name = name();
    const DataType f = DataType::kFloat;
    const NodeId enter = add(enter_name, "Enter", dst, frame, enter_attrs(frame), {f}, {f});
    const NodeId merge =
        add(merge_name, "Merge", dst, frame, {{"T", f}, {"N", std::int64_t{2}}}, {f, f}, {f, DataType::kInt32});
    const NodeId branch = add(switch_name, "Switch", dst, frame, {{"T", f}}, {f, DataType::kBool}, {f, f});
    const NodeId next = add(next_name, "NextIteration", dst, frame, {{"T", f}}, {f}, {f});
    g_.add_edge(merge, 0, branch, 0);
    g_.add_edge(condition->second, 0, branch, 1);
    g_.add_edge(branch, 1, next, 0);
    g_.add_edge(enter, 0, merge, 0);
    g_.add_edge(next, 0, merge, 1);
    return ControlLoop{enter, merge};
  }

  [[nodiscard]] Attrs enter_attrs(const FrameInfo& frame) const {
    const auto* parallel = g_.node(frame.frame).attrs.get<std::int64_t>("parallel_iterations");
    return {{"T", DataType::kFloat},
            {"frame_name", frame.name},
            {"is_constant", false},
            {"parallel_iterations", parallel == nullptr ? kDefaultParallelIterations : *parallel}};
  }

  // What starts the outermost of the new loops.
  NodeId add_start(NodeId dst) {
    return add(options_.new_name(g_.name(dst)), "Const", dst, FrameInfo{}, empty_float_attrs(), {}, {DataType::kFloat});
  }

  NodeId add(const std::string& name, const char* op, NodeId beside, const FrameInfo& frame, Attrs attrs, DataTypes in,
             DataTypes out) {
    const DeviceId device = g_.node(beside).assigned;
    const NodeId n = g_.add_node(name, *ops_.find(op), "", std::move(attrs), std::move(in), std::move(out));
    g_.node(n).assigned = device;
    frames_.push_back(frame);
    return n;
  }

  // One edge Merge -> consumer for each crossing edge, repeated as often: the cut gives them to the receives.
  void release_consumers() {
    const std::size_t edges = g_.edge_slots();
    for (std::size_t i = 0; i < edges; ++i) {
      if (!crosses(EdgeId{i})) continue;
      const NodeId dst = g_.edge(EdgeId{i}).dst;
      g_.add_control_edge(loops_.at({input_frame(dst).name, g_.node(dst).assigned}).merge, dst);
    }
  }

  Graph& g_;
  const PartitionOptions& options_;
  const OpRegistry& ops_;
  IdVector<NodeId, FrameInfo> frames_;
  std::map<std::string, NodeId> conditions_;
  std::map<LoopKey, ControlLoop> loops_;
};

}  // namespace

bool is_control_loop_merge(const Graph& g, NodeId n) {
  return is_merge(g.op_name(n)) && g.name(n).starts_with(kPrefix);
}

Attrs empty_float_attrs() {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = DataType::kFloat;
  t->shape = Shape({0});
  return {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(std::move(t))}};
}

Status add_control_loops(Graph& g, const PartitionOptions& options) {
  if (!has(g, is_moved)) return {};
  if (!has(g, is_enter)) return move_control_flow(g, options.cut), Status();  // all is in the root frame
  TARRY_ASSIGN(auto frames, find_frames(g));
  move_control_flow(g, options.cut);
  return LoopAdder(g, options, std::move(frames)).run();
}

}  // namespace tarry
