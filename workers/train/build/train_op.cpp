#include "workers/train/build/train_op.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

// Arguments of update ops that are settings, not gradients.
bool is_setting(std::string_view arg) {
  static const std::set<std::string_view> kSettings = {"alpha", "lr",           "rho",         "momentum",    "epsilon",
                                                       "beta1", "beta2",        "beta1_power", "beta2_power", "l1",
                                                       "l2",    "l2_shrinkage", "lr_power",    "global_step"};
  return kSettings.contains(arg);
}

bool is_integer(DataType t) { return t == DataType::kInt32 || t == DataType::kInt64; }

// The output of a node with control flow as its name says it: "a:0" is "a".
std::string plain(const std::string& tensor) {
  return tensor.ends_with(":0") ? tensor.substr(0, tensor.size() - 2) : tensor;
}

class Finder {
 public:
  Finder(const GraphEditor& g, std::string train_op) : g_(g), scope_(std::move(train_op)) {
    for (const ModelVariable& v : find_variables(g)) variables_.insert(v.name);
  }

  // By variable, in order of creation.
  std::vector<Gradient> gradients() {
    for (const std::string& name : g_.names())
      if (const std::string variable = updated(name); !variable.empty()) ops_[variable].push_back(name);
    for (const auto& [variable, ops] : ops_)
      for (const std::string& tensor : entering(ops)) ++users_[tensor];
    std::vector<Gradient> found;
    for (const ModelVariable& v : find_variables(g_))
      if (ops_.contains(v.name)) found.push_back(gradient(v.name));
    return found;
  }

 private:
  // The variable that an op updates: "v" of NAME/update_v/...
  [[nodiscard]] std::string updated(const std::string& name) const {
    const std::string prefix = scope_ + "/update_";
    if (!name.starts_with(prefix)) return "";
    for (std::string scope = scope_of(name.substr(prefix.size())); !scope.empty(); scope = scope_of(scope))
      if (variables_.contains(scope)) return scope;
    return "";
  }

  [[nodiscard]] bool is_read(const std::string& input) const {
    const std::string node(node_of(input));
    if (variables_.contains(node) || !g_.has(node)) return true;
    const NodeSpec& n = g_.at(node);
    return (n.op == "Identity" || n.op == "ReadVariableOp") && !n.inputs.empty() && variables_.contains(n.inputs[0]);
  }

  // Tensors that are neither the optimizer's own nor read from variables.
  [[nodiscard]] std::set<std::string> entering(const std::vector<std::string>& ops) const {
    std::set<std::string> tensors;
    for (const std::string& op : ops) {
      const auto inputs = data_inputs(g_.at(op));
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (!is_under(node_of(inputs[i]), scope_) && !is_read(inputs[i]) && !is_setting(input_name(g_.at(op), i)))
          tensors.insert(plain(inputs[i]));
    }
    return tensors;
  }

  Gradient gradient(const std::string& variable) const {
    Gradient out{.variable = variable, .ops = ops_.at(variable)};
    for (const std::string& tensor : entering(out.ops)) {
      const DataType type = type_of(tensor, out.ops);
      if (is_integer(type))
        out.indices = tensor, out.index_type = type;
      else if (out.values.empty() || users_.at(tensor) < users_.at(out.values))
        out.values = tensor;  // one that all variables share is a setting
    }
    if (out.is_sparse()) out.dense_shape = shape_beside(out.indices);
    return out;
  }

  [[nodiscard]] DataType type_of(const std::string& tensor, const std::vector<std::string>& ops) const {
    for (const std::string& op : ops) {
      const auto inputs = data_inputs(g_.at(op));
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (plain(inputs[i]) == tensor) return input_type(g_.at(op), i);
    }
    return DataType::kInvalid;
  }

  // IndexedSlices of a gather carry the shape that the gradient's function made beside the indices; joined ones that of
  // the first.
  [[nodiscard]] std::string shape_beside(const std::string& indices) const {
    const std::string node(node_of(indices)), scope = scope_of(node);
    if (g_.has(node) && g_.at(node).op == "ConcatV2") return shape_beside(g_.at(node).inputs.at(0));
    for (const char* shape : {"/Cast", "/Shape"})
      if (g_.has(scope + shape)) return scope + shape;
    return "";
  }

  const GraphEditor& g_;
  std::string scope_;
  std::set<std::string> variables_;
  std::map<std::string, std::vector<std::string>> ops_;
  std::map<std::string, int> users_;  // variables whose updates take a tensor
};

bool counts_steps(const NodeSpec& n, const std::string& global_step) {
  return (n.op == "AssignAdd" || n.op == "AssignAddVariableOp") && !n.inputs.empty() && !global_step.empty() &&
         n.inputs[0] == global_step;
}

// The ops that count steps, among those that a step runs.
class Counters {
 public:
  Counters(const GraphEditor& g, const std::string& global_step) : g_(g), global_step_(global_step) {}

  std::vector<std::string> behind(const std::vector<std::string>& targets) {
    for (const std::string& target : targets) reach(target);
    while (!open_.empty()) {
      const NodeSpec& n = g_.at(open_.back());
      open_.pop_back();
      if (counts_steps(n, global_step_))
        found_.push_back(n.name);
      else
        for (const std::string& input : n.inputs) reach(std::string(node_of(input)));
    }
    std::ranges::sort(found_);
    return std::move(found_);
  }

 private:
  void reach(const std::string& node) {
    if (g_.has(node) && seen_.insert(node).second) open_.push_back(node);
  }

  const GraphEditor& g_;
  const std::string& global_step_;
  std::set<std::string> seen_;
  std::vector<std::string> open_, found_;
};

// Sets the type of one input, and of what follows from it further on.
void retype(GraphEditor& g, const std::vector<std::string>& ops, const std::string& tensor, DataType type) {
  for (const std::string& op : ops)
    for (std::size_t i = 0; i < data_inputs(g.at(op)).size(); ++i) {
      if (plain(g.at(op).inputs[i]) != tensor || input_type(g.at(op), i) == type) continue;
      const std::string attr = set_input_type(g.at(op), i, type);
      const OpDef* def = ops_of_tf215().find(g.at(op).op);
      for (std::size_t slot = 0; !attr.empty() && slot < def->outputs.size(); ++slot)
        if (def->outputs[slot].type_attr == attr) retype(g, ops, slot == 0 ? op : fmt::format("{}:{}", op, slot), type);
    }
}

}  // namespace

StatusOr<TrainOp> find_train_op(const GraphEditor& g, const ClientProgram& program) {
  std::vector<std::string> asked = program.targets, fetched;
  for (const std::string& fetch : program.fetches) fetched.emplace_back(node_of(fetch));
  const std::vector<std::string>& step = asked.empty() ? fetched : program.targets;  // what the error names
  asked.insert(asked.end(), fetched.begin(), fetched.end());
  const std::vector<std::string> counters = Counters(g, program.global_step).behind(asked);
  if (counters.size() != 1)
    return invalid("its training step ({}) runs {} in place of one optimizer's apply_gradients with the global step",
                   step.empty() ? "no op" : fmt::format("{}", fmt::join(step, ", ")),
                   counters.empty() ? "none" : fmt::format("{}", fmt::join(counters, ", ")));
  const std::string& target = counters[0];
  TrainOp found{target, program.global_step, Finder(g, target).gradients()};
  if (found.gradients.empty())
    return invalid(
        "Must supply at least one variable: {} updates none; a graph with several optimizers, which count their "
        "steps apart, can be built with 'protocol: async' only",
        target);
  for (const Gradient& gradient : found.gradients)
    if (gradient.values.empty())
      return invalid("no gradient of {} enters the ops under {}/update_{}", gradient.variable, target,
                     gradient.variable);
  return found;
}

void replace_step(GraphEditor& g, ClientProgram& program, const std::string& from, const std::string& to) {
  g.replace_inputs([&](const NodeSpec& n, std::string& input) {
    if (input == "^" + from && !is_under(n.name, from)) input = "^" + to;
  });
  std::ranges::replace(program.targets, from, to);
  if (std::erase_if(program.fetches, [&](const std::string& fetch) { return node_of(fetch) == from; }) > 0)
    if (std::ranges::count(program.targets, to) == 0) program.targets.push_back(to);
}

void replace_gradient(GraphEditor& g, const Gradient& gradient, const Replacement& with) {
  for (const std::string& op : gradient.ops)
    for (std::string& input : g.at(op).inputs) {
      if (is_control(input)) continue;
      if (plain(input) == gradient.values)
        input = with.values;
      else if (gradient.is_sparse() && plain(input) == gradient.indices)
        input = with.indices;
    }
  if (gradient.is_sparse()) retype(g, gradient.ops, with.indices, with.index_type);
}

}  // namespace tarry
