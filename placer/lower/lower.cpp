#include "placer/lower/lower.hpp"

#include <algorithm>

#include "placer/lower/apart.hpp"
#include "placer/lower/rewriting.hpp"
#include "placer/place/called_function.hpp"

namespace tarry {
namespace {

bool is_text(const Attrs& attrs, std::string_view name) {
  const auto* value = attrs.get<std::string>(name);
  return value != nullptr && !value->empty();
}

// TPUs, or clusters of XLA, have such a node.
bool is_elsewhere(const Attrs& attrs) { return is_text(attrs, "_tpu_replicate") || is_text(attrs, "_xla_compile_id"); }

// The graph of a function has nodes for arguments and results: there nobody fetches by name.
bool is_body(const Graph& g) {
  return std::ranges::any_of(g.op_nodes(),
                             [&](NodeId n) { return g.op_name(n) == "_Arg" || g.op_name(n) == "_Retval"; });
}

// Functions that each call the next one twice make a graph that no memory holds.
Status check_size(const Graph& g, NodeId n, std::size_t most) {
  if (g.node_slots() <= most) return {};
  return error(Code::kResourceExhausted,
               "node '{}' (op {}): the functions that it and others call make a graph of more than {} nodes", g.name(n),
               g.op_name(n), most);
}

Status lower_control_flow(Rewriting& r, NodeId n, bool keeps, bool runs_apart) {
  if (runs_apart) TARRY_RETURN_IF_ERROR(set_apart(r, n, ""));
  return is_cond(r.g.op_name(n)) ? lower_cond(r, n, keeps) : lower_loop(r, n, keeps);
}

bool is_sum(const Graph& g, NodeId n) { return g.op_name(n) == "AccumulateNV2"; }

// Those of the graph itself: in a function's body there is no kernel for one.
Status lower_sums(Rewriting& r) {
  const std::size_t slots = r.g.node_slots();
  for (std::size_t i = 2; i < slots; ++i)
    if (r.g.is_op(NodeId{i}) && is_sum(r.g, NodeId{i})) TARRY_RETURN_IF_ERROR(lower_sum(r, NodeId{i}));
  return {};
}

Status lower_node(Rewriting& r, NodeId n, bool keeps) {
  const Attrs& attrs = r.g.node(n).attrs;
  if (is_elsewhere(attrs)) return {};
  const std::string_view op = r.g.op_name(n);
  if (r.is_function_call(op) || is_cond(op) || is_loop(op))
    TARRY_RETURN_IF_ERROR(check_size(r.g, n, r.options.most_nodes));
  if (r.is_function_call(op) && (r.options.inlines_calls || is_true(attrs, "_lower_as_multi_device_function")))
    return inline_call(r, n, keeps);
  const bool is_marked = is_true(attrs, "_lower_using_switch_merge") && !is_in_whole(r.g, n);
  if (is_cond(op) || is_loop(op)) {
    if (is_marked || r.options.inlines_calls) return lower_control_flow(r, n, keeps, !is_marked);
    return {};
  }
  if (!is_marked) return {};
  return error(Code::kInternal,
               "Node {{{{node {}}}}} of type {} has '_lower_using_switch_merge' attr set but it does not support "
               "lowering.\n",
               r.g.name(n), op);
}

}  // namespace

Status lower_functions(Graph& g, const LowerOptions& options) {
  TARRY_RETURN_IF_ERROR(check_calls(g));
  const bool keeps = !is_body(g),
             has_sums = keeps && std::ranges::any_of(g.op_nodes(), [&](NodeId n) { return is_sum(g, n); });
  if (g.functions.empty() && !has_sums) return {};
  Rewriting r(g, options);
  if (has_sums) TARRY_RETURN_IF_ERROR(lower_sums(r));
  if (g.functions.empty()) return {};
  for (std::size_t i = 2; i < g.node_slots(); ++i)
    if (g.is_op(NodeId{i})) TARRY_RETURN_IF_ERROR(lower_node(r, NodeId{i}, keeps));
  return {};
}

}  // namespace tarry
