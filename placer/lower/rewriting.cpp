#include "placer/lower/rewriting.hpp"

#include <algorithm>

#include "placer/graph/stack_traces.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {

Rewriting::Rewriting(Graph& graph, const LowerOptions& o) : g(graph), options(o) {
  for (const FunctionSpec& f : g.functions) functions_.emplace(f.signature.name, &f);
}

std::string Rewriting::new_name(std::string_view prefix, NodeId n) {
  std::uint64_t& count = g.node(n).attrs.find(kCallers) == nullptr ? names_ : names_apart_;
  return fmt::format("{}/_{}", prefix, count++);
}

const FunctionSpec* Rewriting::find_function(std::string_view name) const {
  const auto it = functions_.find(name);
  return it == functions_.end() ? nullptr : it->second;
}

bool Rewriting::is_function_call(std::string_view op) const {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" || op == "SymbolicGradient" ||
         find_function(op) != nullptr;
}

const OpDef* Rewriting::op_of(std::string_view name) {
  if (const OpDef* op = ops_of_tf215().find(name)) return op;
  if (const auto it = signatures_.find(name); it != signatures_.end()) return it->second.get();
  const FunctionSpec* f = find_function(name);
  if (f == nullptr) return nullptr;
  auto kept = std::make_shared<const OpDef>(f->signature);
  g.keep_alive(kept);
  return signatures_.emplace(name, std::move(kept)).first->second.get();
}

namespace {

// The argument of each input.
std::vector<std::string> argument_names(const OpDef& op, const Attrs& attrs) {
  std::vector<std::string> names;
  for (const ArgDef& a : op.inputs) {
    DataTypes types;
    if (argument_types({&a, 1}, attrs, types).ok()) names.insert(names.end(), types.size(), a.name);
  }
  return names;
}

// What is wrong with the inputs of a node, each as TensorFlow finds it.
std::vector<std::string> wrong_inputs(const DataTypes& given, const DataTypes& wanted, const OpDef& op,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (i >= wanted.size())
      wrong.push_back(fmt::format("More Input() calls than the {} input_args", op.inputs.size()));
    else if (given[i] != base_type(wanted[i]))
      wrong.push_back(
          fmt::format("Input '{}' passed {} expected {}", names[i], type_name(given[i]), type_name(wanted[i])));
  if (wrong.empty() && given.size() < wanted.size())
    wrong.push_back(fmt::format("{} inputs specified of {} inputs in Op", given.size(), wanted.size()));
  return wrong;
}

Status check_inputs(const NewNode& n, const DataTypes& given, const DataTypes& wanted, const OpDef& op,
                    const Attrs& attrs) {
  const std::vector<std::string> wrong = wrong_inputs(given, wanted, op, argument_names(op, attrs));
  if (wrong.empty()) return {};
  const std::string where = fmt::format("while building NodeDef '{}' using {}", n.name, summarize(op));
  if (wrong.size() == 1) return invalid("{} {}", wrong.front(), where);
  return invalid("{} errors {}:\n{}", wrong.size(), where, fmt::join(wrong, "\n"));
}

}  // namespace

StatusOr<NodeId> Rewriting::add(NewNode n, NodeId made_for) {
  if (g.find(n.name).valid()) return invalid("Node '{}' is not unique", n.name);
  const OpDef* op = op_of(n.op);
  if (op == nullptr) return error(Code::kInternal, "Can't find a function: node={} function={}", n.name, n.op);
  const Attrs attrs = with_defaults(n.attrs, *op);
  DataTypes in, out;
  TARRY_RETURN_IF_ERROR(argument_types(op->inputs, attrs, in));
  TARRY_RETURN_IF_ERROR(argument_types(op->outputs, attrs, out));
  DataTypes given;
  for (const NodeOutput& input : n.inputs) given.push_back(type_of(input));
  TARRY_RETURN_IF_ERROR(check_inputs(n, given, in, *op, attrs));
  const NodeId id = g.add_node(n.name, *op, n.device, attrs, std::move(in), std::move(out));
  belongs_with(id, made_for);
  for (std::size_t i = 0; i < n.inputs.size(); ++i)
    g.add_edge(n.inputs[i].node, n.inputs[i].slot, id, static_cast<int>(i));
  for (const NodeId c : n.controls) add_control_once(c, id);
  return id;
}

StatusOr<NodeId> Rewriting::copy(const Graph& from, NodeId n, std::string_view name, std::string_view device,
                                 Attrs attrs) {
  if (g.find(name).valid()) return invalid("Node '{}' is not unique", name);
  const Node& node = from.node(n);
  const OpDef* op = op_of(node.op->name);
  if (op == nullptr) return error(Code::kInternal, "Can't find a function: node={} function={}", name, node.op->name);
  return g.add_node(g.intern(name), *op, g.intern(device), std::move(attrs), node.input_types, node.output_types);
}

void Rewriting::add_control_once(NodeId src, NodeId dst) {
  const auto is_it = [&](EdgeId e) { return g.edge(e).is_control() && g.edge(e).src == src; };
  const auto edges = g.in_edges(dst);
  if (dst == kSink || std::none_of(edges.begin(), edges.end(), is_it)) g.add_control_edge(src, dst);
}

std::string Rewriting::device_of(NodeId n) const {
  const DeviceId assigned = g.node(n).assigned;
  return assigned.valid() && options.device_name ? options.device_name(assigned) : std::string(g.requested_device(n));
}

NodeOutput Rewriting::input(NodeId n, int slot) const {
  const Edge& e = g.edge(g.input_edge(n, slot));
  return {e.src, e.src_slot};
}

std::vector<NodeId> Rewriting::control_inputs(NodeId n) const {
  std::vector<NodeId> found;
  for (const EdgeId e : g.in_edges(n))
    if (g.edge(e).is_control()) found.push_back(g.edge(e).src);
  return found;
}

std::vector<OutEdge> Rewriting::consumers(NodeId n) const {
  std::vector<OutEdge> found;
  for (const EdgeId e : g.out_edges(n)) found.push_back({g.edge(e).src_slot, g.edge(e).dst, g.edge(e).dst_slot});
  return found;
}

void Rewriting::set_chain(NodeId n, std::size_t call) {
  if (chains_.size() <= n.index()) chains_.resize(n.index() + 1);
  chains_[n.index()] = call;
}

Status Rewriting::enter(NodeId call, const std::string& function) {
  for (std::size_t c = chain_of(call); c != 0; c = calls_[c].caller)
    if (calls_[c].function == function)
      return error(Code::kUnimplemented,
                   "Recursive function calls are not supported. Node {{{{node {}}}}} calls function {{{{function_node "
                   "{}}}}} which is already present in the call stack",
                   g.name(call), function);
  calls_.push_back({function, chain_of(call)});
  return {};
}

Status check_results(const Graph& g, NodeId call, const DataTypes& wanted, std::string_view of) {
  const auto count = static_cast<std::size_t>(g.output_count(call));
  if (count != wanted.size())
    return invalid("Node '{}': its function '{}' has {} results, and {} are wanted", of, g.op_name(call), count,
                   wanted.size());
  for (std::size_t i = 0; i < count; ++i)
    if (const DataType type = g.output_type(call, static_cast<int>(i)); base_type(type) != base_type(wanted[i]))
      return invalid("Node '{}': result {} of its function '{}' is {}, and {} is wanted", of, i, g.op_name(call),
                     type_name(type), type_name(wanted[i]));
  return {};
}

Attrs with_origin(Attrs attrs, const Graph& g, NodeId n) {
  for (const char* name : {kInlinedFrom, kCallers})
    if (const AttrValue* origin = g.node(n).attrs.find(name)) attrs.set(name, *origin);
  return attrs;
}

bool is_cond(std::string_view op) { return op == "If" || op == "StatelessIf" || op == "Case" || op == "StatelessCase"; }
bool is_loop(std::string_view op) { return op == "While" || op == "StatelessWhile"; }

bool is_true(const Attrs& attrs, std::string_view name) {
  const bool* value = attrs.get<bool>(name);
  return value != nullptr && *value;
}

}  // namespace tarry
