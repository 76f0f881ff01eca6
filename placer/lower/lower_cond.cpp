// If and Case become switches before and merges behind a call of each branch (docs/rules/runtime.md#A.6.2).

#include <algorithm>

#include "placer/lower/apart.hpp"
#include "placer/lower/rewriting.hpp"

namespace tarry {
namespace {

struct Branch {
  FuncRef function;
  std::string call, pivot;  // infixes of names
  int slot = 0;             // of a switch, where values for this branch leave it
};

struct CondForm {  // how a kind of conditional is written
  std::string_view switch_op;
  std::string chooser, merge;  // infixes of names
  // Before the name of its producer, in the attribute `_class` of a switch. Case lacks it, so nothing ties its switches
  // to their producers; nor do its other nodes take over what the Case itself says.
  std::string location;
  Attrs switch_attrs;  // beside the type
  std::vector<Branch> branches;
};

StatusOr<CondForm> form_of_if(const Attrs& attrs) {
  const FuncRef *yes = attrs.get<FuncRef>("then_branch"), *no = attrs.get<FuncRef>("else_branch");
  if (yes == nullptr) return invalid("Then branch function missing");
  if (no == nullptr) return invalid("Else branch function missing");
  return CondForm{
      "Switch", "switch_pred", "output", "loc:@", {}, {{*yes, "then", "pivot_t", 1}, {*no, "else", "pivot_f", 0}}};
}

StatusOr<CondForm> form_of_case(const Attrs& attrs) {
  const AttrList* functions = attrs.get<AttrList>("branches");
  if (functions == nullptr) return invalid("branch functions missing");
  CondForm form{
      "_SwitchN", "branch_index", "merge", "", {{"num_outs", static_cast<std::int64_t>(functions->func.size())}}, {}};
  for (const FuncRef& f : functions->func) {
    const auto number = static_cast<int>(form.branches.size());
    form.branches.push_back({f, fmt::format("branch{}", number), fmt::format("pivot_{}", number), number});
  }
  return form;
}

class Cond {
 public:
  Cond(Rewriting& r, NodeId n, const CondForm& form, bool keeps)
      : r_(r),
        g_(r.g),
        n_(n),
        form_(form),
        keeps_(keeps),
        name_(g_.name(n)),
        device_(g_.requested_device(n)),
        chosen_by_(r.input(n, 0)) {}

  Status run() {
    for (const Branch& b : form_.branches) call_names_.push_back(name(b.call));
    TARRY_RETURN_IF_ERROR(choose_by_a_bool());
    TARRY_RETURN_IF_ERROR(add_pivots());
    TARRY_RETURN_IF_ERROR(add_switches());
    for (const NodeId c : r_.control_inputs(n_)) r_.add_control_once(c, chooser_);
    TARRY_RETURN_IF_ERROR(add_calls());
    TARRY_RETURN_IF_ERROR(add_merges());
    const std::vector<OutEdge> consumers = r_.consumers(n_);
    g_.remove_node(n_);
    TARRY_RETURN_IF_ERROR(add_output());
    connect(consumers);
    return {};
  }

 private:
  [[nodiscard]] std::string name(std::string_view infix) { return r_.new_name(fmt::format("{}/{}", name_, infix), n_); }

  StatusOr<NodeId> add(std::string_view infix, std::string_view op, Attrs attrs, std::vector<NodeOutput> inputs,
                       std::vector<NodeId> controls = {}) {
    const AttrValue* beside = g_.node(n_).attrs.find("_class");
    if (beside != nullptr && !form_.location.empty()) attrs.set("_class", *beside);
    return r_.add(
        {name(infix), op, device_, with_origin(std::move(attrs), g_, n_), std::move(inputs), std::move(controls)}, n_);
  }

  [[nodiscard]] Attrs switch_attrs(DataType type) const {
    Attrs attrs = form_.switch_attrs;
    attrs.set("T", type);
    return attrs;
  }

  [[nodiscard]] const Branch& at_slot(int slot) const {
    return *std::ranges::find(form_.branches, slot, &Branch::slot);
  }

  // A conditional that runs apart takes a predicate of any type.
  Status choose_by_a_bool() {
    const DataType type = r_.type_of(chosen_by_);
    if (type == DataType::kBool || form_.switch_op != "Switch" || !runs_whole(g_, n_)) return {};
    TARRY_ASSIGN(const NodeId n, add("to_bool", "ToBool", {{"T", type}}, {chosen_by_}));
    chosen_by_ = {n, 0};
    return {};
  }

  // The switch of the predicate itself, and for each branch a node that is alive when the branch is taken.
  Status add_pivots() {
    const DataType type = r_.type_of(chosen_by_);
    TARRY_ASSIGN(chooser_, add(form_.chooser, form_.switch_op, switch_attrs(type), {chosen_by_, chosen_by_}));
    pivots_.resize(form_.branches.size());
    for (int slot = 0; slot < static_cast<int>(form_.branches.size()); ++slot) {
      TARRY_ASSIGN(pivots_[static_cast<std::size_t>(slot)],
                   add(at_slot(slot).pivot, "Identity", {{"T", type}}, {{chooser_, slot}}));
    }
    return {};
  }

  // The switch of an input stands beside the input.
  Status add_switches() {
    for (int slot = 1; slot < g_.input_count(n_); ++slot) {
      const NodeOutput from = r_.input(n_, slot);
      AttrList beside;
      beside.s.push_back(fmt::format("{}{}", form_.location, g_.name(from.node)));
      Attrs attrs = switch_attrs(r_.type_of(from));
      attrs.set("_class", std::move(beside));
      TARRY_ASSIGN(const NodeId s, r_.add({name(g_.name(from.node)),
                                           form_.switch_op,
                                           r_.device_of(from.node),
                                           with_origin(std::move(attrs), g_, from.node),
                                           {from, chosen_by_},
                                           {}},
                                          n_));
      switches_.push_back(s);
    }
    return {};
  }

  Status add_calls() {
    for (std::size_t i = 0; i < form_.branches.size(); ++i) {
      const Branch& b = form_.branches[i];
      std::vector<NodeOutput> inputs;
      for (const NodeId s : switches_) inputs.push_back({s, b.slot});
      TARRY_ASSIGN(const NodeId call,
                   r_.add(with_callers(call_of(b.function, call_names_[i], device_, std::move(inputs)), g_, n_), n_));
      TARRY_RETURN_IF_ERROR(check_results(g_, call, *g_.node(n_).output_types, name_));
      g_.add_control_edge(pivots_[static_cast<std::size_t>(b.slot)], call);
      calls_.push_back(call);
    }
    return {};
  }

  Status add_merges() {
    const auto count = static_cast<std::int64_t>(calls_.size());
    for (int slot = 0; slot < g_.output_count(calls_.front()); ++slot) {
      std::vector<NodeOutput> inputs;
      for (const NodeId c : calls_) inputs.push_back({c, slot});
      const DataType type = r_.type_of(inputs.front());
      TARRY_ASSIGN(const NodeId m, add(form_.merge, "Merge", {{"T", type}, {"N", count}}, std::move(inputs)));
      merges_.push_back(m);
    }
    std::vector<NodeOutput> pivots;
    for (const Branch& b : form_.branches) pivots.push_back({pivots_[static_cast<std::size_t>(b.slot)], 0});
    TARRY_ASSIGN(executed_, add("branch_executed", "Merge", {{"T", r_.type_of(chosen_by_)}, {"N", count}},
                                std::move(pivots), calls_));
    return {};
  }

  Status add_output() {
    if (!keeps_ || merges_.empty()) return r_.add({name_, "NoOp", device_, {}, {}, {executed_}}, n_).status();
    AttrList types;
    std::vector<NodeOutput> results;
    for (const NodeId m : merges_) {
      types.type.push_back(g_.output_type(m, 0));
      results.push_back({m, 0});
    }
    return r_.add({name_, "IdentityN", device_, {{"T", std::move(types)}}, std::move(results), {executed_}}, n_)
        .status();
  }

  void connect(const std::vector<OutEdge>& consumers) {
    for (const OutEdge& c : consumers) {
      if (c.dst_slot == kControlSlot)
        r_.add_control_once(executed_, c.dst);
      else
        g_.add_edge(merges_[static_cast<std::size_t>(c.src_slot)], 0, c.dst, c.dst_slot);
    }
  }

  Rewriting& r_;
  Graph& g_;
  const NodeId n_;
  const CondForm& form_;
  const bool keeps_;
  const std::string name_, device_;
  NodeOutput chosen_by_;
  NodeId chooser_, executed_;
  std::vector<std::string> call_names_;
  std::vector<NodeId> pivots_, switches_, calls_, merges_;  // pivots_ by slot, calls_ by branch
};

}  // namespace

NewNode call_of(const FuncRef& f, std::string name, std::string device, std::vector<NodeOutput> inputs) {
  std::vector<AttrEntry> attrs{{"_lower_as_multi_device_function", true}};
  if (f.attrs != nullptr) attrs.insert(attrs.end(), f.attrs->begin(), f.attrs->end());
  return {std::move(name), f.name, std::move(device), Attrs(std::move(attrs)), std::move(inputs), {}};
}

Status lower_cond(Rewriting& r, NodeId n, bool keeps) {
  const bool is_case = r.g.op_name(n) == "Case" || r.g.op_name(n) == "StatelessCase";
  TARRY_ASSIGN(const CondForm form, is_case ? form_of_case(r.g.node(n).attrs) : form_of_if(r.g.node(n).attrs));
  if (form.branches.empty()) return invalid("Node '{}': it has no branches", r.g.name(n));
  return Cond(r, n, form, keeps).run();
}

}  // namespace tarry
