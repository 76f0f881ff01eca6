#include "workers/executor/exec_graph.hpp"

#include <algorithm>
#include <ranges>

#include "placer/partition/memory_types.hpp"
#include "workers/env.hpp"
#include "workers/executor/named.hpp"

namespace tarry {
namespace {

bool is_one_of(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::ranges::find(ops, op) != ops.end();
}

// The plan of one graph, as it grows.
struct Planner {
  const Graph& g;
  FrameKinds frames;
  ExecPlan& out;
  std::vector<std::uint32_t> index;  // by NodeId

  void add_node(NodeId n);
  void describe(NodeId n, ExecNode& e) const;
  void give_state(NodeId n, ExecNode& e, ExecNodeInfo& info);
  Status add_edges(NodeId n);
  [[nodiscard]] ExecEdge edge_to(NodeId src, const Edge& edge);
  [[nodiscard]] ResourceKind needed(const Edge& edge) const;
  [[nodiscard]] Status check_frames(std::uint32_t from, std::uint32_t to) const;
};

void Planner::add_node(NodeId n) {
  index[n.index()] = static_cast<std::uint32_t>(out.nodes.size());
  ExecNode e;
  ExecNodeInfo info{g.name(n), frames.of[n], frames.child[n]};
  describe(n, e);
  give_state(n, e, info);
  out.most_outputs = std::max(out.most_outputs, e.output_count);
  out.nodes.push_back(e);
  out.infos.push_back(info);
  out.ops.push_back({kernel_table().find(g.op_name(n)), find_work(g.op_name(n))});
}

void Planner::describe(NodeId n, ExecNode& e) const {
  const std::string_view op = g.op_name(n);
  e.is_merge = is_one_of(op, {"Merge", "RefMerge"});
  e.is_transfer = is_one_of(op, {"_Send", "_Recv", "_HostSend", "_HostRecv"});
  e.may_lack_outputs = e.is_transfer || is_one_of(op, {"Switch", "RefSwitch", "_SwitchN"});
  if (is_one_of(op, {"_Recv", "_HostRecv", "StackPop", "StackPopV2"})) e.received_type = base_type(g.output_type(n, 0));
  if (g.output_count(n) > 0 && is_ref(g.output_type(n, 0))) e.referred_type = base_type(g.output_type(n, 0));
  e.is_control_trigger = op == "ControlTrigger";
  e.flow = is_enter_op(op)            ? Flow::enter
           : is_exit_op(op)           ? Flow::exit
           : is_next_iteration_op(op) ? Flow::next_iteration
                                      : Flow::plain;
  const bool* constant = g.node(n).attrs.get<bool>("is_constant");
  e.is_constant = e.flow == Flow::enter && constant != nullptr && *constant;
  e.allows_uninitialized = g.node(n).op->allows_uninitialized_input;
  e.output_count = static_cast<std::uint32_t>(g.output_count(n));
  e.input_count = static_cast<std::uint32_t>(g.input_count(n));
}

// Its pending count (in-edges; a Merge starts at 1 + 2 * control inputs, docs/rules/runtime.md#C.1) and its inputs, in
// its frame's state.
void Planner::give_state(NodeId n, ExecNode& e, ExecNodeInfo& info) {
  std::int32_t data = 0, control = 0;
  for (const EdgeId id : g.in_edges(n)) {
    if (g.edge(id).src == kSource) continue;
    ++(g.edge(id).is_control() ? control : data);
  }
  FrameKind& frame = out.frames[info.frame];
  info.slot = static_cast<std::uint32_t>(frame.initial.size());
  frame.initial.push_back({e.is_merge ? 1 + 2 * control : data + control, 0});
  e.first_input = frame.input_slots;
  frame.input_slots += e.input_count;
  e.first_flag = static_cast<std::uint32_t>(out.inputs.size());
  out.inputs.resize(out.inputs.size() + e.input_count);
  if (data + control == 0) out.roots.push_back(index[n.index()]);
}

// A consumer runs where its input's value arrives. A loop that was cut without control loops breaks that: TensorFlow's
// worker crashes on it.
Status Planner::check_frames(std::uint32_t src, std::uint32_t dst) const {
  const Flow flow = out.nodes[src].flow;
  const ExecNodeInfo &from = out.infos[src], &to = out.infos[dst];
  const std::uint32_t arrives = flow == Flow::exit    ? out.frames[from.frame].parent
                                : flow == Flow::enter ? from.child_frame
                                                      : from.frame;
  if (arrives == to.frame) return {};
  return invalid(
      "{{{{node {}}}}} has inputs from different frames. It runs in frame '{}'. The input {{{{node {}}}}} is in frame "
      "'{}'.",
      to.name, out.frames[to.frame].name, from.name, out.frames[arrives].name);
}

void mark_last_uses(std::span<ExecEdge> edges, std::size_t outputs) {
  std::vector<bool> used_later(outputs);
  for (auto it = edges.rbegin(); it != edges.rend(); ++it) {
    ExecEdge& edge = *it;
    if (edge.src_slot == kControlSlot) continue;
    const auto slot = static_cast<std::size_t>(edge.src_slot);
    edge.takes = !used_later[slot];
    used_later[slot] = true;
  }
}

Status Planner::add_edges(NodeId n) {
  ExecNode& e = out.nodes[index[n.index()]];
  e.first_edge = static_cast<std::uint32_t>(out.edges.size());
  if (e.flow == Flow::exit && out.infos[index[n.index()]].frame == 0)
    return invalid("Invalid Exit op: Cannot find a corresponding Enter op.");
  for (const EdgeId id : g.out_edges(n)) {
    const Edge& edge = g.edge(id);
    if (edge.dst == kSink) continue;
    TARRY_RETURN_IF_ERROR(check_frames(index[n.index()], index[edge.dst.index()]));
    out.edges.push_back(edge_to(n, edge));
  }
  e.edge_count = static_cast<std::uint32_t>(out.edges.size()) - e.first_edge;
  if (!e.is_constant) mark_last_uses(std::span(out.edges).subspan(e.first_edge), e.output_count);
  return {};
}

ResourceKind Planner::needed(const Edge& edge) const {
  const DataType type = g.input_type(edge.dst, edge.dst_slot);
  const KernelRow* row =
      is_ref(type) || type == DataType::kResource ? kernel_table().find(g.op_name(edge.dst)) : nullptr;
  return row == nullptr ? ResourceKind::none : row->needs;
}

ExecEdge Planner::edge_to(NodeId src, const Edge& edge) {
  const std::uint32_t to = index[edge.dst.index()];
  ExecNode& dst = out.nodes[to];
  ExecEdge x{to, edge.src_slot, dst.is_merge ? kMergeState : out.infos[to].slot};
  if (edge.is_control()) return x;
  x.dst_input = dst.first_input + static_cast<std::uint32_t>(edge.dst_slot);
  const bool from_reference = is_ref(g.output_type(src, edge.src_slot)),
             to_reference = is_ref(g.input_type(edge.dst, edge.dst_slot));
  const ResourceKind needs = needed(edge);
  out.inputs[dst.first_flag + static_cast<std::uint32_t>(edge.dst_slot)] = {from_reference && !to_reference,
                                                                            to_reference, needs};
  dst.has_references = dst.has_references || from_reference || to_reference || needs != ResourceKind::none;
  return x;
}

Status add_all_edges(Planner& p, const std::vector<NodeId>& nodes) {
  for (const NodeId n : nodes) TARRY_RETURN_IF_ERROR(p.add_edges(n));
  return {};
}

// ---- kernels ----

struct Maker {
  const ExecPlan& plan;
  const Graph& g;
  KernelHost& host;
  SharedKernels& shared;
  const Renewal* renewed;
  KeptKernels* kept;

  StatusOr<std::shared_ptr<Kernel>> find_or_make(NodeId n, std::size_t index);
  StatusOr<std::shared_ptr<Kernel>> make(NodeId n, const KernelRow* row);
  StatusOr<std::unique_ptr<Kernel>> make_named(NodeId n, const KernelSetup& setup, const KernelRow* row) const;
};

bool is_defined(const Graph& g, const FuncRef& f) {
  return std::ranges::any_of(g.functions, [&](const FunctionSpec& known) { return known.signature.name == f.name; });
}

// The first function that a node calls and the graph's library lacks, in the order of the op's attributes.
const FuncRef* undefined_function(const Graph& g, NodeId n) {
  for (const AttrDef& def : g.node(n).op->attrs) {
    const Attrs& attrs = g.node(n).attrs;
    if (const auto* f = attrs.get<FuncRef>(def.name); f != nullptr && !is_defined(g, *f)) return f;
    if (const auto* list = attrs.get<AttrList>(def.name))
      for (const FuncRef& f : list->func)
        if (!is_defined(g, f)) return &f;
  }
  return nullptr;
}

// TensorFlow's words, without the node's name, where a function is not there (docs/rules/runtime.md#A.6.8).
Status not_made(const Graph& g, NodeId n, const Status& why) {
  const FuncRef* undefined = undefined_function(g, n);
  if (undefined == nullptr) return why;
  if (g.op_name(n) == "SymbolicGradient")
    return named(error(Code::kNotFound, "No gradient defined for op: {}", undefined->name), g, g.name(n));
  return error(Code::kNotFound, "Function {} is not defined.", undefined->name);
}

// What tarry lacks is said in its own words, which name the node.
StatusOr<std::unique_ptr<Kernel>> Maker::make_named(NodeId n, const KernelSetup& setup, const KernelRow* row) const {
  if (row != nullptr && row->refusal != nullptr)
    if (const Status s = row->refusal(setup); !s.ok()) return named(s, g, g.name(n));
  StatusOr<std::unique_ptr<Kernel>> kernel = make_kernel(setup, row);
  if (kernel.ok()) return kernel;
  if (kernel.status().code() == Code::kUnimplemented) return not_made(g, n, kernel.status());
  return named(kernel.status(), g, g.name(n));
}

StatusOr<std::shared_ptr<Kernel>> Maker::find_or_make(NodeId n, std::size_t index) {
  if (kept == nullptr || host.memory != nullptr || g.node(n).op->is_stateful)
    return make(n, plan.ops[index].kernel);  // memory counts who holds a tensor
  std::shared_ptr<Kernel>& earlier = (*kept)[index];
  if (earlier) return earlier;
  TARRY_ASSIGN(std::shared_ptr<Kernel> kernel, make(n, plan.ops[index].kernel));
  if (kernel->is_of_node_alone()) earlier = kernel;
  return kernel;
}

StatusOr<std::shared_ptr<Kernel>> Maker::make(NodeId n, const KernelRow* row) {
  const Node& node = g.node(n);
  const EdgeId from = g.input_edge(n, 0);
  const std::string_view source = from.valid() ? g.name(g.edge(from).src) : std::string_view();
  const KernelSetup setup{g.name(n),
                          g.op_name(n),
                          node.attrs,
                          *node.input_types,
                          *node.output_types,
                          host,
                          renewed,
                          source,
                          from.valid() ? g.edge(from).src_slot : 0};
  if (!node.op->is_stateful) return make_named(n, setup, row);
  const auto it = shared.find(g.name(n));
  if (it != shared.end()) return it->second;
  TARRY_ASSIGN(std::shared_ptr<Kernel> kernel, make_named(n, setup, row));
  shared.emplace(std::string(g.name(n)), kernel);
  return kernel;
}

// ---- costs and memory ----

std::string_view reader_of(const Graph& g, NodeId n) {
  const EdgeId from = g.input_edge(n, 0);
  return reads_in_turn(g.op_name(n)) && from.valid() ? g.name(g.edge(from).src) : std::string_view();
}

void give_cost(const Graph& g, NodeId n, const WorkRow* row, KernelHost& host, ExecNode& e, ExecGraph& out) {
  const KernelCost cost =
      host.env->cost_of({host.task, host.device, g.name(n), g.op_name(n), doing_of(row), reader_of(g, n)});
  e.cost = cost.id;
  e.cost_source = cost.source;
  e.pays_on_arrival = cost.on_arrival;
  if (!cost.by_work || row == nullptr || row->doing != Doing::counted) return;
  e.work = static_cast<std::uint32_t>(out.works.size());
  const Node& node = g.node(n);
  out.works.emplace_back(*row,
                         KernelSetup{g.name(n), g.op_name(n), node.attrs, *node.input_types, *node.output_types, host});
}

// Which outputs are in the device's own memory; a reference is the variable's.
void give_memory(const Graph& g, NodeId n, const KernelHost& host, ExecNode& e, ExecGraph& out) {
  if (host.memory == nullptr) return;
  e.device_outputs = static_cast<std::uint32_t>(out.on_device.size());
  const auto types = memory_types(g, n, "GPU", kernels_of_tf215(), rules_2_15());
  for (std::size_t i = 0; i < e.output_count; ++i)
    out.on_device.push_back(types.ok() && types->outputs[i] == MemoryType::device &&
                            !is_ref(g.output_type(n, static_cast<int>(i))));
}

// A variable's value may turn out to be of another type than the reference; the device's memory counts who made a
// tensor.
const Value* constant_of(const Kernel& kernel, const ExecNode& e, const DeviceMemoryRef& memory) {
  const Value* v = kernel.always();
  const bool is_variable = v != nullptr && v->resource != nullptr && v->resource->kind() == ResourceKind::variable;
  return e.cost.valid() || memory != nullptr || is_variable ? nullptr : v;
}

}  // namespace

ExecPlanRef plan_exec_graph(Graph graph) {
  auto plan = std::make_shared<ExecPlan>();
  plan->graph = std::move(graph);
  const Graph& g = plan->graph;
  Planner p{g, find_frame_kinds(g), *plan, std::vector<std::uint32_t>(g.node_slots(), 0)};
  plan->frames = p.frames.kinds;
  const std::vector<NodeId> nodes = g.op_nodes();
  for (const NodeId n : nodes) p.add_node(n);
  plan->fault = add_all_edges(p, nodes);
  return plan;
}

StatusOr<ExecGraph> make_exec_graph(ExecPlanRef plan, KernelHost& host, SharedKernels& shared, const Renewal* renewed,
                                    KeptKernels* kept) {
  if (kept != nullptr) kept->resize(plan->nodes.size());
  Maker maker{*plan, plan->graph, host, shared, renewed, kept};
  ExecGraph out{.plan = plan,
                .device = host.device,
                .nodes = plan->nodes,
                .kernels = {},
                .memory = host.memory,
                .health = host.health,
                .auditor = host.auditor};
  out.kernels.reserve(out.nodes.size());
  std::size_t i = 0;
  for (const NodeId n : plan->graph.op_nodes()) {
    ExecNode& e = out.nodes[i];
    TARRY_ASSIGN(std::shared_ptr<Kernel> kernel, maker.find_or_make(n, i));
    e.kernel = kernel.get();
    give_cost(plan->graph, n, plan->ops[i++].work, host, e, out);
    give_memory(plan->graph, n, host, e, out);
    e.is_async = kernel->is_async();
    e.always = constant_of(*kernel, e, host.memory);
    out.kernels.push_back(std::move(kernel));
  }
  TARRY_RETURN_IF_ERROR(plan->fault);
  return out;
}

}  // namespace tarry
