#include "workers/executor/exec_graph.hpp"

#include <algorithm>

namespace tarry {
namespace {

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) { return std::ranges::find(ops, op) != ops.end(); }

StatusOr<std::shared_ptr<Kernel>> find_or_make_kernel(const Graph& g, NodeId n, KernelHost& host, SharedKernels& shared) {
  const Node& node = g.node(n);
  const KernelSetup setup{g.name(n), g.op_name(n), node.attrs, *node.input_types, *node.output_types, host};
  if (!node.op->is_stateful) return make_kernel(setup);
  const auto it = shared.find(g.name(n));
  if (it != shared.end()) return it->second;
  TARRY_ASSIGN(std::shared_ptr<Kernel> kernel, make_kernel(setup));
  shared.emplace(std::string(g.name(n)), kernel);
  return kernel;
}

struct Builder {
  const Graph& g;
  KernelHost& host;
  SharedKernels& shared;
  FrameKinds frames;
  ExecGraph out;
  std::vector<std::uint32_t> index;  // by NodeId

  Status add_node(NodeId n);
  void describe(NodeId n, ExecNode& e) const;
  void give_state(NodeId n, ExecNode& e);
  Status add_edges(NodeId n);
  [[nodiscard]] Status check_frames(const ExecNode& from, const ExecNode& to) const;
};

Status Builder::add_node(NodeId n) {
  TARRY_ASSIGN(std::shared_ptr<Kernel> kernel, find_or_make_kernel(g, n, host, shared));
  ExecNode e;
  e.kernel = kernel.get();
  e.name = std::string(g.name(n));
  e.cost = host.env->cost_of({host.task, host.device, g.name(n), g.op_name(n)});
  e.is_async = kernel->is_async();
  describe(n, e);
  give_state(n, e);
  out.most_outputs = std::max(out.most_outputs, e.output_count);
  out.kernels.push_back(std::move(kernel));
  out.nodes.push_back(std::move(e));
  return {};
}

void Builder::describe(NodeId n, ExecNode& e) const {
  const std::string_view op = g.op_name(n);
  e.is_merge = is_one_of(op, {"Merge", "RefMerge"});
  e.is_transfer = is_one_of(op, {"_Send", "_Recv", "_HostSend", "_HostRecv"});
  e.may_lack_outputs = e.is_transfer || is_one_of(op, {"Switch", "RefSwitch"});
  if (is_one_of(op, {"_Recv", "_HostRecv"})) e.received_type = base_type(g.output_type(n, 0));
  e.is_control_trigger = op == "ControlTrigger";
  e.flow = is_enter_op(op) ? Flow::enter : is_exit_op(op) ? Flow::exit : is_next_iteration_op(op) ? Flow::next_iteration : Flow::plain;
  const bool* constant = g.node(n).attrs.get<bool>("is_constant");
  e.is_constant = e.flow == Flow::enter && constant != nullptr && *constant;
  e.child_frame = frames.child[n];
  e.allows_uninitialized = g.node(n).op->allows_uninitialized_input;
  e.output_count = static_cast<std::uint32_t>(g.output_count(n));
  e.input_count = static_cast<std::uint32_t>(g.input_count(n));
}

// Its pending count (in-edges; a Merge starts at 1 + 2 * control inputs, runtime.md C.1) and its inputs, in its frame's state.
void Builder::give_state(NodeId n, ExecNode& e) {
  std::int32_t data = 0, control = 0;
  for (const EdgeId id : g.in_edges(n)) {
    if (g.edge(id).src == kSource) continue;
    ++(g.edge(id).is_control() ? control : data);
  }
  FrameKind& frame = out.frames[e.frame = frames.of[n]];
  e.slot = static_cast<std::uint32_t>(frame.initial_pending.size());
  frame.initial_pending.push_back(e.is_merge ? 1 + 2 * control : data + control);
  e.first_input = frame.input_slots;
  frame.input_slots += e.input_count;
  e.first_flag = static_cast<std::uint32_t>(out.inputs.size());
  out.inputs.resize(out.inputs.size() + e.input_count);
  if (data + control == 0) out.roots.push_back(index[n.index()]);
}

// A consumer runs where its input's value arrives. A loop that was cut without control loops breaks that: TensorFlow's worker crashes on it.
Status Builder::check_frames(const ExecNode& from, const ExecNode& to) const {
  const std::uint32_t arrives = from.flow == Flow::exit ? out.frames[from.frame].parent : from.flow == Flow::enter ? from.child_frame : from.frame;
  if (arrives == to.frame) return {};
  return invalid("{{{{node {}}}}} has inputs from different frames. It runs in frame '{}'. The input {{{{node {}}}}} is in frame '{}'.", to.name, out.frames[to.frame].name, from.name,
                 out.frames[arrives].name);
}

Status Builder::add_edges(NodeId n) {
  ExecNode& e = out.nodes[index[n.index()]];
  e.first_edge = static_cast<std::uint32_t>(out.edges.size());
  for (const EdgeId id : g.out_edges(n)) {
    const Edge& edge = g.edge(id);
    if (edge.dst == kSink) continue;
    const std::uint32_t dst = index[edge.dst.index()];
    TARRY_RETURN_IF_ERROR(check_frames(e, out.nodes[dst]));
    ExecEdge x{dst, edge.src_slot, 0};
    if (!edge.is_control()) {
      x.dst_input = out.nodes[dst].first_input + static_cast<std::uint32_t>(edge.dst_slot);
      const bool from_reference = is_ref(g.output_type(n, edge.src_slot)), to_reference = is_ref(g.input_type(edge.dst, edge.dst_slot));
      out.inputs[out.nodes[dst].first_flag + static_cast<std::uint32_t>(edge.dst_slot)] = {from_reference && !to_reference, to_reference};
    }
    out.edges.push_back(x);
  }
  e.edge_count = static_cast<std::uint32_t>(out.edges.size()) - e.first_edge;
  return {};
}

}  // namespace

StatusOr<ExecGraph> make_exec_graph(const Graph& g, KernelHost& host, SharedKernels& shared) {
  Builder b{g, host, shared, find_frame_kinds(g), {}, std::vector<std::uint32_t>(g.node_slots(), 0)};
  b.out.frames = b.frames.kinds;
  const std::vector<NodeId> nodes = g.op_nodes();
  for (const NodeId n : nodes) {
    b.index[n.index()] = static_cast<std::uint32_t>(b.out.nodes.size());
    TARRY_RETURN_IF_ERROR(b.add_node(n));
  }
  for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(b.add_edges(n));
  return std::move(b.out);
}

}  // namespace tarry
