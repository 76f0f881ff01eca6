// While becomes Enter, Merge, LoopCond, Switch, NextIteration and Exit around a call of its condition and one of its
// body (docs/rules/runtime.md#A.6.3).

#include "placer/lower/apart.hpp"
#include "placer/lower/rewriting.hpp"

namespace tarry {
namespace {

struct LoopForm {  // what the node says
  FuncRef cond, body;
  std::int64_t parallel_iterations = 0;
};

StatusOr<LoopForm> form_of(const Attrs& attrs) {
  const FuncRef *cond = attrs.get<FuncRef>("cond"), *body = attrs.get<FuncRef>("body");
  if (cond == nullptr) return invalid("While cond function missing");
  if (body == nullptr) return invalid("While body function missing");
  const auto* parallel = attrs.get<std::int64_t>("parallel_iterations");
  if (parallel == nullptr) return invalid("parallel_iterations attr missing");
  if (*parallel < 1) return invalid("parallel_iterations must be > 0");
  return LoopForm{*cond, *body, *parallel};
}

struct LoopValue {  // of the loop; a resource has an Enter only, and goes to every iteration
  NodeOutput start;
  std::string device;
  DataType type = DataType::kInvalid;
  NodeId enter, merge, switched, exit, next;
  [[nodiscard]] bool is_resource() const { return type == DataType::kResource; }
};

class Loop {
 public:
  Loop(Rewriting& r, NodeId n, const LoopForm& form, bool keeps)
      : r_(r), g_(r.g), n_(n), form_(form), keeps_(keeps), name_(g_.name(n)), device_(g_.requested_device(n)) {}

  Status run() {
    const std::string cond = name("cond"), body = name("body");
    for (int slot = 0; slot < g_.input_count(n_); ++slot) {
      const NodeOutput start = r_.input(n_, slot);
      variables_.push_back({start, r_.device_of(start.node), r_.type_of(start), {}, {}, {}, {}, {}});
    }
    if (first() == nullptr) return invalid("Node '{}': a loop needs a variable that is no resource", name_);
    TARRY_RETURN_IF_ERROR(add_enters());
    TARRY_RETURN_IF_ERROR(add_merges());
    TARRY_RETURN_IF_ERROR(add_cond(cond));
    TARRY_RETURN_IF_ERROR(add_switches());
    TARRY_RETURN_IF_ERROR(add_body(body));
    TARRY_RETURN_IF_ERROR(add_exits());
    const std::vector<OutEdge> consumers = r_.consumers(n_);
    g_.remove_node(n_);
    TARRY_RETURN_IF_ERROR(add_output());
    TARRY_RETURN_IF_ERROR(add_next_iterations());
    connect(consumers);
    return {};
  }

 private:
  [[nodiscard]] std::string name(std::string_view infix) { return r_.new_name(fmt::format("{}/{}", name_, infix), n_); }
  [[nodiscard]] Attrs origin(Attrs attrs) const {
    for (const auto& [key, value] : origin_) attrs.set(key, value);
    return attrs;
  }
  StatusOr<NodeId> add(std::string_view infix, std::string_view op, Attrs attrs, std::vector<NodeOutput> inputs,
                       const std::string& device, std::vector<NodeId> controls = {}) {
    return r_.add({name(infix), op, device, origin(std::move(attrs)), std::move(inputs), std::move(controls)}, n_);
  }
  [[nodiscard]] const LoopValue* first() const {
    for (const LoopValue& v : variables_)
      if (!v.is_resource()) return &v;
    return nullptr;
  }

  Status add_enters() {
    for (LoopValue& v : variables_) {
      Attrs attrs{{"T", v.type}, {"frame_name", name_}, {"parallel_iterations", form_.parallel_iterations}};
      if (v.is_resource()) attrs.set("is_constant", true);
      TARRY_ASSIGN(v.enter, add("enter", "Enter", std::move(attrs), {v.start}, v.device));
    }
    const std::vector<NodeId> controls = r_.control_inputs(n_);
    if (controls.empty()) return {};
    TARRY_ASSIGN(const NodeId all, add("LoopControlInputs", "NoOp", {}, {}, device_, controls));
    for (const LoopValue& v : variables_) r_.add_control_once(all, v.enter);
    return {};
  }

  // For now both inputs are the Enter.
  Status add_merges() {
    for (LoopValue& v : variables_) {
      if (v.is_resource()) continue;
      TARRY_ASSIGN(v.merge, add("merge", "Merge", {{"T", v.type}, {"N", std::int64_t{2}}}, {{v.enter, 0}, {v.enter, 0}},
                                v.device));
    }
    return {};
  }

  StatusOr<NodeId> add_call(const FuncRef& f, const std::string& name, auto of_variable) {
    std::vector<NodeOutput> inputs;
    for (const LoopValue& v : variables_) inputs.push_back(v.is_resource() ? NodeOutput{v.enter, 0} : of_variable(v));
    return r_.add(with_callers(call_of(f, name, device_, std::move(inputs)), g_, n_), n_);
  }

  Status add_cond(const std::string& call_name) {
    TARRY_ASSIGN(const NodeId call, add_call(form_.cond, call_name, [](const LoopValue& v) {
                   return NodeOutput{v.merge, 0};
                 }));
    r_.add_control_once(first()->merge, call);
    if (g_.output_count(call) != 1 || g_.output_type(call, 0) != DataType::kBool)
      return invalid("Node '{}': its condition '{}' does not give one bool", name_, form_.cond.name);
    std::vector<NodeId> effects;
    if (runs_whole(g_, call)) effects.push_back(call);
    TARRY_ASSIGN(loop_cond_, add("LoopCond", "LoopCond", {}, {{call, 0}}, device_, std::move(effects)));
    return {};
  }

  Status add_switches() {
    for (LoopValue& v : variables_) {
      if (v.is_resource()) continue;
      TARRY_ASSIGN(v.switched, add(fmt::format("{}_switch", g_.name(v.start.node)), "Switch", {{"T", v.type}},
                                   {{v.merge, 0}, {loop_cond_, 0}}, v.device));
    }
    return {};
  }

  Status add_body(const std::string& call_name) {
    TARRY_ASSIGN(body_, add_call(form_.body, call_name, [](const LoopValue& v) { return NodeOutput{v.switched, 1}; }));
    TARRY_RETURN_IF_ERROR(check_results(g_, body_, *g_.node(n_).output_types, name_));
    TARRY_ASSIGN(const NodeId control,
                 add("loop_body_control", "Identity", {{"T", first()->type}}, {{first()->switched, 1}}, device_));
    r_.add_control_once(control, body_);
    return {};
  }

  Status add_exits() {
    std::vector<NodeId> exits;
    for (LoopValue& v : variables_) {
      if (v.is_resource()) continue;
      TARRY_ASSIGN(v.exit, add("exit", "Exit", {{"T", v.type}}, {{v.switched, 0}}, v.device));
      exits.push_back(v.exit);
    }
    TARRY_ASSIGN(executed_, add("LoopExecuted", "NoOp", {}, {}, device_, exits));
    return {};
  }

  [[nodiscard]] static NodeOutput result(const LoopValue& v) {
    return v.is_resource() ? v.start : NodeOutput{v.exit, 0};
  }

  Status add_output() {
    if (!keeps_) return r_.add({name_, "NoOp", device_, origin({}), {}, {executed_}}, n_).status();
    AttrList types;
    std::vector<NodeOutput> results;
    for (const LoopValue& v : variables_) {
      types.type.push_back(v.type);
      results.push_back(result(v));
    }
    return r_.add({name_, "IdentityN", device_, origin({{"T", std::move(types)}}), std::move(results), {}}, n_)
        .status();
  }

  // What the body gives comes round into the Merge, in place of the second Enter.
  Status add_next_iterations() {
    int slot = -1;
    for (LoopValue& v : variables_) {
      ++slot;
      if (v.is_resource()) continue;
      TARRY_ASSIGN(v.next, add("next_iteration", "NextIteration", {{"T", v.type}}, {{body_, slot}}, v.device, {body_}));
    }
    for (const LoopValue& v : variables_) {
      if (v.is_resource()) continue;
      g_.remove_edge(g_.input_edge(v.merge, 1));
      g_.add_edge(v.next, 0, v.merge, 1);
    }
    return {};
  }

  void connect(const std::vector<OutEdge>& consumers) {
    for (const OutEdge& c : consumers) {
      if (c.dst_slot == kControlSlot) {
        r_.add_control_once(executed_, c.dst);
      } else {
        const NodeOutput from = result(variables_[static_cast<std::size_t>(c.src_slot)]);
        g_.add_edge(from.node, from.slot, c.dst, c.dst_slot);
      }
    }
  }

  Rewriting& r_;
  Graph& g_;
  const NodeId n_;
  const LoopForm& form_;
  const bool keeps_;
  const std::string name_, device_;
  const Attrs origin_ = with_origin({}, g_, n_);
  std::vector<LoopValue> variables_;
  NodeId loop_cond_, body_, executed_;
};

}  // namespace

Status lower_loop(Rewriting& r, NodeId n, bool keeps) {
  TARRY_ASSIGN(const LoopForm form, form_of(r.g.node(n).attrs));
  return Loop(r, n, form, keeps).run();
}

}  // namespace tarry
