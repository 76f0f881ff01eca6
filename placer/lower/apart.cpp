#include "placer/lower/apart.hpp"

#include "placer/graph/stack_traces.hpp"

namespace tarry {
namespace {

// On a call whose body nodes are named in error texts as the function has them, because it runs apart.
constexpr const char* kRunsApart = "_runs_apart";
// On a call whose stateful nodes all run, and on calls, conditionals and loops in its body.
constexpr const char* kRunsWhole = "_runs_whole";
constexpr const char* kInWhole = "_is_in_whole";
// Before the names that nodes of the innermost body have in the graph.
constexpr const char* kBodyPrefix = "_body_prefix";

// The name that a node has in the body which runs apart, or in the graph.
std::string own_name(const Graph& g, NodeId n) {
  const std::string name(g.name(n));
  const auto* prefix = g.node(n).attrs.get<std::string>(kBodyPrefix);
  return prefix != nullptr && name.starts_with(*prefix) ? name.substr(prefix->size()) : name;
}

AttrList callers_of(const Graph& g, NodeId n) {
  const auto* callers = g.node(n).attrs.get<AttrList>(kCallers);
  return callers == nullptr ? AttrList() : *callers;
}

std::string new_name(Rewriting& r, NodeId n, std::string_view what) {
  return r.new_name(fmt::format("Func/{}/{}", r.g.name(n), what), n);
}

// Each input passes an Identity, and `n` waits for a node that waits for all of them, and is in their frame.
Status gather_inputs(Rewriting& r, NodeId n, const std::string& device) {
  TARRY_ASSIGN(const NodeId all, r.add({new_name(r, n, "all_inputs"), "NoOp", device, {}, {}, r.control_inputs(n)}, n));
  for (int slot = 0; slot < r.g.input_count(n); ++slot) {
    const NodeOutput from = r.input(n, slot);
    TARRY_ASSIGN(
        const NodeId in,
        r.add({new_name(r, n, "an_input"), "Identity", r.device_of(from.node), {{"T", r.type_of(from)}}, {from}, {}},
              n));
    r.g.add_control_edge(in, all);
    r.g.remove_edge(r.g.input_edge(n, slot));
    r.g.add_edge(in, 0, n, slot);
  }
  r.add_control_once(all, n);
  return {};
}

// Consumers take what a node passes on that waits for all results of `n`, and for `n` itself.
Status gather_results(Rewriting& r, NodeId n, const std::string& device) {
  const std::vector<OutEdge> consumers = r.consumers(n);
  AttrList types;
  std::vector<NodeOutput> results;
  for (int slot = 0; slot < r.g.output_count(n); ++slot) {
    types.type.push_back(r.type_of({n, slot}));
    results.push_back({n, slot});
  }
  const std::string all = new_name(r, n, "all_results");
  const bool has_results = !results.empty();
  TARRY_ASSIGN(const NodeId out,
               r.add(has_results ? NewNode{all, "IdentityN", device, {{"T", types}}, std::move(results), {n}}
                                 : NewNode{all, "NoOp", device, {}, {}, {n}},
                     n));
  for (const OutEdge& c : consumers) {
    if (c.dst_slot == kControlSlot) {
      r.add_control_once(out, c.dst);
      continue;
    }
    r.g.remove_edge(r.g.input_edge(c.dst, c.dst_slot));
    r.g.add_edge(out, c.src_slot, c.dst, c.dst_slot);
  }
  return {};
}

}  // namespace

Status set_apart(Rewriting& r, NodeId n, std::string_view function) {
  const std::string device(r.g.requested_device(n));
  AttrList callers = callers_of(r.g, n);
  callers.s.emplace_back(function);
  callers.s.push_back(own_name(r.g, n));
  Attrs& attrs = r.g.node(n).attrs;
  attrs.set(kCallers, std::move(callers));
  attrs.set(kRunsApart, true);
  if (function.empty()) attrs.set(kRunsWhole, true);
  TARRY_RETURN_IF_ERROR(gather_inputs(r, n, device));
  return gather_results(r, n, device);
}

void set_runs_whole(Graph& g, NodeId call) { g.node(call).attrs.set(kRunsWhole, true); }
bool runs_whole(const Graph& g, NodeId call) { return is_true(g.node(call).attrs, kRunsWhole); }
void set_in_whole(Attrs& copy) { copy.set(kInWhole, true); }
bool is_in_whole(const Graph& g, NodeId n) { return is_true(g.node(n).attrs, kInWhole); }

NewNode with_callers(NewNode call, const Graph& g, NodeId n) {
  for (const char* name : {kCallers, kRunsApart, kRunsWhole, kBodyPrefix})
    if (const AttrValue* value = g.node(n).attrs.find(name)) call.attrs.set(name, *value);
  return call;
}

void set_origin(Attrs& copy, const Graph& g, NodeId call, std::string_view function, std::string_view name) {
  const Attrs& given = g.node(call).attrs;
  const bool is_apart = is_true(given, kRunsApart);
  if (const AttrValue* callers = given.find(kCallers)) copy.set(kCallers, *callers);
  if (is_apart)
    copy.set(kBodyPrefix, fmt::format("{}/", g.name(call)));
  else if (const AttrValue* prefix = given.find(kBodyPrefix))
    copy.set(kBodyPrefix, *prefix);
  if (copy.find(kInlinedFrom) != nullptr) return;
  copy.set(kInlinedFrom, is_apart ? fmt::format("{{{{node {}}}}}", name)
                                  : fmt::format("{{{{function_node {}}}}}{{{{node {}}}}}", function, name));
}

}  // namespace tarry
