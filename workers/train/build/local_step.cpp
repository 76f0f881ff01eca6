#include "workers/train/build/local_step.hpp"

namespace tarry {
namespace {

constexpr char kName[] = "sync_rep_local_step";

std::string in_scope(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "/" + name;
}

NodeSpec assign_variable(std::string name, std::string device, std::string variable, std::string value, DataType type,
                         bool validates) {
  return {std::move(name),
          "AssignVariableOp",
          std::move(device),
          {std::move(variable), std::move(value)},
          {{"dtype", type}, {"validate_shape", validates}}};
}

}  // namespace

std::string StepAccess::read_handle(const std::string& scope, const std::string& variable, const std::string& device,
                                    const std::vector<std::string>& after) {
  NodeSpec n{in_scope(scope, "ReadVariableOp"), "ReadVariableOp", device, {variable}, {{"dtype", type()}}};
  for (const std::string& op : after) n.inputs.push_back("^" + op);
  return g_.add(std::move(n));
}

std::string StepAccess::global_step(const std::string& scope, const std::vector<std::string>& after) {
  return is_resource() ? read_handle(scope, global_step_, "", after) : global_step_ + "/read";
}

std::string StepAccess::local_step(const LocalStep& step, const std::string& scope) {
  return is_resource() ? read_handle(scope, step.variable, "", {}) : step.read;
}

LocalStep StepAccess::add_local_step(const std::string& worker) {
  LocalStep step{.variable = g_.unique_name(kName), .anchor = g_.add({.name = "NoOp", .op = "NoOp", .device = worker})};
  if (is_resource())
    add_handle(step, worker);
  else
    add_reference(step, worker);
  return step;
}

void StepAccess::add_reference(LocalStep& step, const std::string& worker) {
  const std::string& v = step.variable;
  const AttrValue beside = colocation(step.anchor);
  NodeSpec zero = constant(v + "/initial_value", worker, type(), int_tensor(type(), {0}, true));
  zero.attrs.set("_class", beside);
  g_.insert({v,
             "VariableV2",
             worker,
             {},
             {{"_class", beside}, {"container", ""}, {"dtype", type()}, {"shape", Shape()}, {"shared_name", ""}}});
  g_.insert(std::move(zero));
  g_.insert({v + "/Assign",
             "Assign",
             worker,
             {v, v + "/initial_value"},
             {{"T", type()}, {"_class", beside}, {"use_locking", true}, {"validate_shape", true}}});
  step.read = g_.insert({v + "/read", "Identity", worker, {v}, {{"T", type()}, {"_class", beside}}});
}

void StepAccess::add_handle(LocalStep& step, const std::string& worker) {
  const std::string& v = step.variable;
  const AttrValue beside = colocation(step.anchor);
  NodeSpec zero = constant(v + "/Initializer/initial_value", worker, type(), int_tensor(type(), {0}, true));
  zero.attrs.set("_class", beside);
  g_.insert({v,
             "VarHandleOp",
             worker,
             {},
             {{"_class", beside},
              {"allowed_devices", AttrList{}},
              {"container", ""},
              {"debug_name", v + "/"},
              {"dtype", type()},
              {"shape", Shape()},
              {"shared_name", v}}});
  g_.insert({v + "/IsInitialized/VarIsInitializedOp", "VarIsInitializedOp", worker, {v}, {{"_class", beside}}});
  g_.insert(assign_variable(v + "/Assign", worker, v, g_.insert(std::move(zero)), type(), false));
  g_.insert({v + "/Read/ReadVariableOp", "ReadVariableOp", worker, {v}, {{"_class", beside}, {"dtype", type()}}});
}

std::pair<std::string, std::string> StepAccess::assign(const LocalStep& step, std::string value,
                                                       const std::string& device) {
  if (!is_resource()) {
    const NodeSpec& v = g_.at(step.variable);
    const std::string op =
        g_.add({"Assign",
                "Assign",
                v.device,
                {step.variable, std::move(value)},
                {{"T", type()}, {"_class", colocation(step.anchor)}, {"use_locking", true}, {"validate_shape", true}}});
    return {op, op};
  }
  const std::string op =
      g_.add(assign_variable("AssignVariableOp", device, step.variable, std::move(value), type(), true));
  return {read_handle("", step.variable, device, {op}), op};
}

}  // namespace tarry
