#include "placer/place/called_function.hpp"

#include <algorithm>

#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/place/function_body.hpp"
#include "placer/place/groups.hpp"
#include "placer/place/isolate.hpp"

namespace tarry {
namespace {

const FunctionSpec* called_by(const Graph& g, NodeId n) {
  const FuncRef* called = g.node(n).attrs.get<FuncRef>("f");
  if (called == nullptr) return nullptr;
  const auto it = std::ranges::find(g.functions, called->name,
                                    [](const FunctionSpec& f) -> const std::string& { return f.signature.name; });
  return it == g.functions.end() ? nullptr : &*it;
}

std::string stack_text(const std::vector<FunctionCall>& stack) {
  std::string out;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const std::string where =
        i == 0 ? "Graph" : fmt::format("Function {{{{function_node {}}}}}", stack[i - 1].function);
    out += fmt::format(
        "\n  {} contains node {{{{node {}}}}}\n  Node {{{{node {}}}}} calls function {{{{function_node {}}}}}", where,
        stack[i].node, stack[i].node, stack[i].function);
  }
  return out;
}

// docs/rules/placer.md#D14.
Status check_recursion(const Placement& p, const FunctionCall& call) {
  if (std::ranges::find(p.stack, call.function, &FunctionCall::function) == p.stack.end()) return {};
  return error(Code::kUnimplemented,
               "Recursive function calls are not supported. Node {{{{node {}}}}} inside the body of {{{{function_node "
               "{}}}}} calls function "
               "{{{{function_node {}}}}} which is already present in the call stack:{}",
               call.node, p.stack.back().function, call.function, stack_text(p.stack));
}

// What a body tells of its arguments and returns.
struct BodyGroups {
  std::vector<std::size_t> of_input, of_output;  // by argument and by return: the group's number
  std::vector<Member> groups;                    // what each asks for; nothing is assigned in a body
};

class Numbering {
 public:
  explicit Numbering(Placement& body) : body_(body) {}

  std::vector<std::size_t> of(const std::vector<std::string>& names) {
    std::vector<std::size_t> numbers;
    for (const std::string& name : names) numbers.push_back(number_of(body_.members.root_of(body_.graph.find(name))));
    return numbers;
  }
  [[nodiscard]] std::vector<Member> groups() const {
    std::vector<Member> found;
    for (const NodeId root : roots_) found.push_back(body_.members.member(root));
    return found;
  }

 private:
  std::size_t number_of(NodeId root) {
    const auto it = std::ranges::find(roots_, root);
    if (it != roots_.end()) return static_cast<std::size_t>(it - roots_.begin());
    roots_.push_back(root);
    return roots_.size() - 1;
  }

  Placement& body_;
  std::vector<NodeId> roots_;
};

// Lists of types and requests are numbered by placement; those of the body's placement are not the caller's.
Member translated(const Placement& from, const Member& m, Placement& to) {
  return {.resource = to.requests.intern(from.requests[m.resource]),
          .requested = to.requests.intern(from.requests[m.requested]),
          .types = to.supported.lists().intern(from.supported.lists()[m.types])};
}

StatusOr<BodyGroups> look_into(Placement& p, NodeId call) {
  const FunctionCall calling{std::string(p.graph.name(call)), p.graph.node(call).attrs.get<FuncRef>("f")->name};
  TARRY_RETURN_IF_ERROR(check_recursion(p, calling));
  const OpRegistry& ops = p.options.ops != nullptr ? *p.options.ops : ops_of_tf215();
  TARRY_ASSIGN(FunctionBody body, instantiate(*called_by(p.graph, call), *p.graph.node(call).attrs.get<FuncRef>("f"),
                                              ops, p.graph.functions));
  TARRY_ASSIGN(Graph graph, import_graph(body.graph, made_by_itself(&ops)));
  PlaceOptions options = p.options;
  options.added_for = isolate_calls(graph, ops);
  options.written = nullptr;
  options.assigned_names.clear();
  options.assigned_order.clear();
  options.journal = nullptr;
  Placement inner(graph, p.devices, p.rules, options);
  inner.stack = p.stack;
  inner.stack.push_back(calling);
  TARRY_RETURN_IF_ERROR(build_groups(inner));
  Numbering numbering(inner);
  BodyGroups found{numbering.of(body.args), numbering.of(body.returns), {}};
  found.groups = numbering.groups();
  for (Member& m : found.groups) m = translated(inner, m, p);
  return found;
}

// A producer or consumer of the call.
struct Neighbour {
  NodeId node;
  bool takes_resource = false;
};
using Neighbours = std::vector<std::vector<Neighbour>>;  // by group

Neighbours neighbours_of(const Graph& g, NodeId call, const BodyGroups& body) {
  Neighbours found(body.groups.size());
  for (int slot = 0; slot < g.input_count(call); ++slot)
    if (const EdgeId e = g.input_edge(call, slot); e.valid())
      found[body.of_input[static_cast<std::size_t>(slot)]].push_back({g.edge(e).src});
  for (const EdgeId id : g.out_edges(call)) {
    const Edge& e = g.edge(id);
    if (!e.is_control())
      found[body.of_output[static_cast<std::size_t>(e.src_slot)]].push_back(
          {e.dst, g.input_type(e.dst, e.dst_slot) == DataType::kResource});
  }
  return found;
}

Status tie(Placement& p, NodeId call, const std::vector<Neighbour>& group) {
  for (std::size_t i = 1; i < group.size(); ++i) {
    const Joined reason{.call = call};
    TARRY_RETURN_IF_ERROR(group[i].takes_resource ? join_by_edge(p, group[0].node, group[i].node, reason)
                                                  : join(p, group[0].node, group[i].node, reason));
  }
  return {};
}

Status apply(Placement& p, NodeId call, const BodyGroups& body) {
  const Neighbours neighbours = neighbours_of(p.graph, call, body);
  for (const auto& group : neighbours) TARRY_RETURN_IF_ERROR(tie(p, call, group));
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    if (neighbours[i].empty()) continue;
    if (p.is_noted())
      p.note(LimitedByBody{neighbours[i][0].node, call, p.requests[body.groups[i].requested],
                           p.requests[body.groups[i].resource]});
    TARRY_RETURN_IF_ERROR(p.members.limit(neighbours[i][0].node, body.groups[i]));
  }
  return {};
}

Status fits(const Graph& g, NodeId call, const BodyGroups& body) {
  if (body.of_input.size() == static_cast<std::size_t>(g.input_count(call)) &&
      body.of_output.size() == static_cast<std::size_t>(g.output_count(call)))
    return {};
  return error(Code::kInternal,
               "Cannot apply input/output device constraints to node {}: its function has {} inputs and {} outputs",
               g.name(call), body.of_input.size(), body.of_output.size());
}

Status failed_in_body(const Placement& p, NodeId call, const Status& s) {
  if (p.options.journal != nullptr && p.options.journal->failed_kind.empty()) {
    p.options.journal->failed_at = call;
    p.options.journal->failed_kind = s.code() == Code::kUnimplemented ? "D14" : "body";
  }
  return s;
}

}  // namespace

bool is_call(std::string_view op) { return op == "PartitionedCall" || op == "StatefulPartitionedCall"; }

Status check_calls(const Graph& g) {
  for (const NodeId n : g.op_nodes()) {
    if (!is_call(g.op_name(n)) || called_by(g, n) != nullptr) continue;
    const FuncRef* called = g.node(n).attrs.get<FuncRef>("f");
    return invalid("Failed to find function \"{}\" in function library: {}", called == nullptr ? "" : called->name,
                   library_text(g.functions));
  }
  return {};
}

bool needs_inspection(const Graph& g, NodeId n) {
  if (g.functions.empty() || !g.is_op(n) || !is_call(g.op_name(n))) return false;
  const FunctionSpec* f = called_by(g, n);
  return f != nullptr &&
         std::ranges::any_of(f->signature.outputs, [](const ArgDef& a) { return a.type == DataType::kResource; });
}

Status join_by_body(Placement& p, NodeId call) {
  const auto body = look_into(p, call);
  if (!body.ok()) return failed_in_body(p, call, body.status());
  if (const Status s = fits(p.graph, call, *body); !s.ok()) return failed_in_body(p, call, s);
  const Status s = apply(p, call, *body);
  return s.ok() ? s : failed_in_body(p, call, s);
}

}  // namespace tarry
