// A call is replaced by the body of its function (docs/rules/runtime.md#A.6.1).

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "placer/device/name.hpp"
#include "placer/graph/import.hpp"
#include "placer/lower/apart.hpp"
#include "placer/lower/rewriting.hpp"
#include "placer/place/function_body.hpp"

namespace tarry {
namespace {

constexpr std::string_view kLocation = "loc:@";

struct Body {
  const FunctionSpec* function = nullptr;
  Graph graph;
  std::vector<NodeId> args, returns;
};

// Whether the nodes of the body may run on several devices, or run where the call runs, and what the output control
// node waits for.
enum class Kind { of_many_devices, native };

Kind kind_of(const Graph& g, NodeId call) {
  const std::string_view op = g.op_name(call);
  return op == "PartitionedCall" || op == "StatefulPartitionedCall" ||
                 is_true(g.node(call).attrs, "_lower_as_multi_device_function")
             ? Kind::of_many_devices
             : Kind::native;
}

// The function that a call names, with the attributes that the call gives to it.
FuncRef called_by(const Graph& g, NodeId call) {
  const Attrs& attrs = g.node(call).attrs;
  const FuncRef* f = attrs.get<FuncRef>("f");
  std::vector<AttrEntry> given;
  if (f != nullptr && f->attrs != nullptr) given = *f->attrs;
  given.insert(given.end(), attrs.begin(), attrs.end());
  return {f != nullptr ? f->name : std::string(g.op_name(call)),
          std::make_shared<const std::vector<AttrEntry>>(std::move(given))};
}

std::vector<FunctionSpec> called_by_name(const Rewriting& r, const FunctionSpec& f) {
  std::map<std::string_view, const FunctionSpec*> called;
  for (const NodeSpec& n : f.nodes)
    if (const FunctionSpec* g = r.find_function(n.op)) called.emplace(n.op, g);
  std::vector<FunctionSpec> found;
  for (const auto& [name, g] : called) found.push_back(*g);
  return found;
}

StatusOr<Body> body_of(const Rewriting& r, const FunctionSpec& f, const FuncRef& call) {
  const auto read = [&]() -> StatusOr<Body> {
    TARRY_ASSIGN(const FunctionBody body, instantiate(f, call, ops_of_tf215(), called_by_name(r, f)));
    TARRY_ASSIGN(Graph graph, import_graph(body.graph, made_by_itself()));
    Body b{&f, std::move(graph), {}, {}};
    for (const std::string& name : body.args) b.args.push_back(b.graph.find(name));
    for (const std::string& name : body.returns) b.returns.push_back(b.graph.find(name));
    return b;
  };
  StatusOr<Body> body = read();
  if (!body.ok()) return with_prefix(body.status(), fmt::format("function {}: ", f.signature.name));
  return body;
}

bool fits(const Graph& g, NodeId call, const Body& body) {
  DataTypes args, returns;
  for (const NodeId n : body.args) args.push_back(body.graph.output_type(n, 0));
  for (const NodeId n : body.returns) returns.push_back(body.graph.input_type(n, 0));
  return *g.node(call).input_types == args && *g.node(call).output_types == returns;
}

bool runs_apart(const Graph& g, NodeId call, const Body& body) {
  const Attrs& attrs = body.function->attrs;
  return attrs.find("api_implements") != nullptr || is_true(attrs, "_noinline") ||
         is_true(g.node(call).attrs, "_XlaMustCompile");
}

// `own`, and from `other` what it lacks. A name that cannot be parsed stays.
std::string filled_up(const std::string& own, const std::string& other) {
  if (own.empty()) return other;
  const auto other_name = parse_device_name(other);
  auto name = parse_device_name(own);
  if (!name || !other_name) return own;
  const auto fill = [](auto& field, const auto& from) {
    if (!field) field = from;
  };
  fill(name->job, other_name->job);
  fill(name->replica, other_name->replica);
  fill(name->task, other_name->task);
  fill(name->type, other_name->type);
  fill(name->id, other_name->id);
  return to_string(*name);
}

class Inlining {
 public:
  Inlining(Rewriting& r, NodeId call, const Body& body, bool keeps)
      : r_(r),
        g_(r.g),
        body_(body),
        call_(call),
        name_(g_.name(call)),
        device_(g_.requested_device(call)),
        kind_(kind_of(g_, call)),
        is_whole_(runs_whole(g_, call)),
        keeps_(keeps) {}

  Status run() {
    TARRY_RETURN_IF_ERROR(add_inputs());
    TARRY_RETURN_IF_ERROR(copy_nodes());
    copy_edges();
    connect_inputs();
    TARRY_RETURN_IF_ERROR(add_outputs());
    TARRY_RETURN_IF_ERROR(add_output_control());
    connect_consumers();
    g_.remove_node(call_);
    return keeps_ ? keep_results() : keep_name();
  }

 private:
  [[nodiscard]] NodeId copy_of(NodeId in_body) const { return copies_[in_body.index()]; }
  [[nodiscard]] bool is_arg(NodeId n) const { return body_.graph.op_name(n) == "_Arg"; }
  [[nodiscard]] bool is_return(NodeId n) const { return body_.graph.op_name(n) == "_Retval"; }
  [[nodiscard]] static bool is_real(const Edge& e) { return e.src.index() > 1 && e.dst.index() > 1; }

  StatusOr<NodeId> add(std::string_view what, std::string_view op, std::string device, Attrs attrs,
                       std::vector<NodeOutput> inputs) {
    TARRY_ASSIGN(const NodeId n, r_.add({r_.new_name(fmt::format("Func/{}/{}", name_, what), call_),
                                         op,
                                         std::move(device),
                                         std::move(attrs),
                                         std::move(inputs),
                                         {}},
                                        call_));
    r_.belongs_to_entered(n);
    return n;
  }

  StatusOr<NodeId> add_identity(std::string_view what, NodeOutput of, std::string device) {
    Attrs attrs{{"T", r_.type_of(of)}};
    if (kind_ == Kind::of_many_devices) {
      AttrList beside;
      beside.s.push_back(fmt::format("{}{}", kLocation, g_.name(of.node)));
      attrs.set("_class", std::move(beside));
    }
    return add(what, "Identity", std::move(device), std::move(attrs), {of});
  }

  // One Identity for each argument, and a NoOp that waits for the call's control inputs.
  Status add_inputs() {
    for (const NodeId c : r_.control_inputs(call_)) {
      if (!input_control_.valid()) {
        TARRY_ASSIGN(input_control_, add("input_control_node", "NoOp", device_, {}, {}));
      }
      g_.add_control_edge(c, input_control_);
    }
    for (int slot = 0; slot < g_.input_count(call_); ++slot) {
      const NodeOutput from = r_.input(call_, slot);
      const std::string device = kind_ == Kind::native ? device_ : r_.device_of(from.node);
      TARRY_ASSIGN(const NodeId n, add_identity("input", from, device));
      inputs_.push_back(n);
    }
    return {};
  }

  [[nodiscard]] std::string device_for(NodeId n) const {
    return kind_ == Kind::native ? device_ : filled_up(std::string(body_.graph.requested_device(n)), device_);
  }

  // A location in the body is one in the graph: that of an argument is its Identity.
  [[nodiscard]] std::string location(const std::string& text) const {
    if (!text.starts_with(kLocation)) return text;
    const std::string node = text.substr(kLocation.size());
    const auto& args = body_.function->signature.inputs;
    const auto arg = std::ranges::find(args, node, &ArgDef::name);
    const auto i = static_cast<std::size_t>(arg - args.begin());
    if (i < inputs_.size() && arg != args.end()) return fmt::format("{}{}", kLocation, g_.name(inputs_[i]));
    return body_.graph.find(node).valid() ? fmt::format("{}{}/{}", kLocation, name_, node) : text;
  }

  [[nodiscard]] Attrs attrs_for(NodeId n) const {
    Attrs attrs = body_.graph.node(n).attrs;
    const std::string_view op = body_.graph.op_name(n);
    if (const auto* frame = attrs.get<std::string>("frame_name");
        frame != nullptr && (op == "Enter" || op == "RefEnter"))
      attrs.set("frame_name", fmt::format("{}/{}", name_, *frame));
    if (const auto* beside = attrs.get<AttrList>("_class")) {
      AttrList moved = *beside;
      for (std::string& text : moved.s) text = location(text);
      attrs.set("_class", std::move(moved));
    }
    set_origin(attrs, g_, call_, body_.function->signature.name, body_.graph.name(n));
    if (is_whole_ && (r_.is_function_call(op) || is_cond(op) || is_loop(op))) set_in_whole(attrs);
    return attrs;
  }

  // What would run without the call: nodes without inputs, and calls, whose bodies may have such nodes.
  [[nodiscard]] bool needs_control(NodeId n) const {
    bool has_input = false, has_control = false;
    for (const EdgeId e : body_.graph.in_edges(n)) {
      if (body_.graph.edge(e).src == kSource) continue;
      has_input = true;
      has_control |= body_.graph.edge(e).is_control();
    }
    return !has_input || (!has_control && r_.is_function_call(body_.graph.op_name(n)));
  }

  Status copy_nodes() {
    copies_.assign(body_.graph.node_slots(), NodeId::none());
    for (std::size_t i = 0; i < body_.args.size(); ++i) copies_[body_.args[i].index()] = inputs_[i];
    for (const NodeId n : body_.graph.op_nodes()) {
      if (is_arg(n) || is_return(n)) continue;
      TARRY_ASSIGN(const NodeId copy, r_.copy(body_.graph, n, fmt::format("{}/{}", name_, body_.graph.name(n)),
                                              device_for(n), attrs_for(n)));
      r_.belongs_to_entered(copy);
      copies_[n.index()] = copy;
      if (input_control_.valid() && needs_control(n)) g_.add_control_edge(input_control_, copy);
    }
    return {};
  }

  void add_copy(const Edge& e) {
    if (is_real(e) && !is_return(e.dst)) g_.add_edge(copy_of(e.src), e.src_slot, copy_of(e.dst), e.dst_slot);
  }

  void copy_edges() {
    for (std::size_t i = 0; i < body_.graph.edge_slots(); ++i) {
      const Edge& e = body_.graph.edge(EdgeId{i});
      if (e.alive && is_real(e) && !is_arg(e.src)) add_copy(e);
    }
  }

  void connect_inputs() {
    for (std::size_t i = 0; i < body_.args.size(); ++i) {
      if (input_control_.valid()) g_.add_control_edge(input_control_, inputs_[i]);
      for (const EdgeId e : body_.graph.out_edges(body_.args[i])) add_copy(body_.graph.edge(e));
    }
  }

  Status add_outputs() {
    for (const NodeId n : body_.returns) {
      const Edge& data = body_.graph.edge(body_.graph.input_edge(n, 0));
      TARRY_ASSIGN(const NodeId output, add_identity("output", {copy_of(data.src), data.src_slot},
                                                     kind_ == Kind::native ? device_ : std::string()));
      outputs_.push_back(output);
      for (const EdgeId e : body_.graph.in_edges(n))
        if (body_.graph.edge(e).is_control() && body_.graph.edge(e).src != kSource)
          g_.add_control_edge(copy_of(body_.graph.edge(e).src), output);
    }
    return {};
  }

  // By node of the body: behind a Switch or an Enter, so that it may be dead, or be in a frame.
  [[nodiscard]] std::vector<bool> in_old_control_flow() const {
    std::vector<bool> found(body_.graph.node_slots());
    std::vector<NodeId> left;
    const auto look_behind = [&](NodeId n) {
      for (const EdgeId e : body_.graph.out_edges(n))
        if (const NodeId dst = body_.graph.edge(e).dst; !found[dst.index()])
          found[dst.index()] = true, left.push_back(dst);
    };
    for (const NodeId n : body_.graph.op_nodes()) {
      const std::string_view op = body_.graph.op_name(n);
      if (op.ends_with("Switch") || op == "_SwitchN" || op.ends_with("Enter")) look_behind(n);
    }
    while (!left.empty()) {
      const NodeId n = left.back();
      left.pop_back();
      look_behind(n);
    }
    return found;
  }

  // Nodes that must have run when the call has.
  [[nodiscard]] std::vector<NodeId> effects() const {
    std::set<std::string_view> names;
    for (const auto& [output, node] : body_.function->control_returns) names.insert(node);
    const bool is_native = kind_ == Kind::native;
    std::vector<NodeId> found = is_native ? outputs_ : std::vector<NodeId>();
    const std::vector<bool> may_be_dead = is_whole_ ? in_old_control_flow() : std::vector<bool>();
    for (const NodeId n : body_.graph.op_nodes()) {
      const bool is_output = !is_native && names.contains(body_.graph.name(n));
      const bool runs = is_whole_ && body_.graph.node(n).op->is_stateful && !is_arg(n) && !may_be_dead[n.index()];
      if (is_output || (runs && copy_of(n).valid())) found.push_back(copy_of(n));
    }
    return found;
  }

  Status add_output_control() {
    TARRY_ASSIGN(output_control_, add("output_control_node", "NoOp", device_, {}, {}));
    for (const NodeId n : effects()) g_.add_control_edge(n, output_control_);
    if (g_.in_edges(output_control_).empty() && input_control_.valid())
      g_.add_control_edge(input_control_, output_control_);
    return {};
  }

  void connect_consumers() {
    for (const OutEdge& c : r_.consumers(call_)) {
      if (c.dst_slot == kControlSlot)
        g_.add_control_edge(output_control_, c.dst);
      else
        g_.add_edge(outputs_[static_cast<std::size_t>(c.src_slot)], 0, c.dst, c.dst_slot);
    }
  }

  Status keep_results() {
    if (outputs_.empty()) return keep_name();
    AttrList types;
    std::vector<NodeOutput> results;
    for (const NodeId n : outputs_) {
      types.type.push_back(g_.output_type(n, 0));
      results.push_back({n, 0});
    }
    return r_
        .add({name_, "IdentityN", device_, {{"T", std::move(types)}}, std::move(results), {output_control_}}, call_)
        .status();
  }
  Status keep_name() { return r_.add({name_, "NoOp", device_, {}, {}, {output_control_}}, call_).status(); }

  Rewriting& r_;
  Graph& g_;
  const Body& body_;
  const NodeId call_;
  const std::string name_, device_;
  const Kind kind_;
  const bool is_whole_, keeps_;
  NodeId input_control_, output_control_;
  std::vector<NodeId> inputs_, outputs_, copies_;  // copies_ by the body's node
};

}  // namespace

Status inline_call(Rewriting& r, NodeId call, bool keeps) {
  if (r.g.op_name(call) == "SymbolicGradient") return {};
  const FuncRef called = called_by(r.g, call);
  const FunctionSpec* f = r.find_function(called.name);
  if (f == nullptr)
    return error(Code::kInternal, "Can't find a function: node={} function={}", r.g.name(call), called.name);
  TARRY_ASSIGN(const Body body, body_of(r, *f, called));
  if (!fits(r.g, call, body)) return {};
  const bool is_by_name = r.find_function(r.g.op_name(call)) != nullptr;
  if (is_by_name && is_in_whole(r.g, call)) set_runs_whole(r.g, call);
  if (runs_apart(r.g, call, body) || (is_in_whole(r.g, call) && !is_by_name))
    TARRY_RETURN_IF_ERROR(set_apart(r, call, called.name));
  TARRY_RETURN_IF_ERROR(r.enter(call, called.name));
  return Inlining(r, call, body, keeps).run();
}

}  // namespace tarry
