#include "workers/train/build/tower_nodes.hpp"

#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

bool holds_state(const NodeSpec& n) {
  const OpDef* op = ops_of_tf215().find(n.op);
  return op != nullptr && op->is_stateful && op->inputs.empty() && !op->outputs.empty() &&
         (op->outputs[0].is_ref || op->outputs[0].type == DataType::kResource);
}

}  // namespace

bool is_on_task(const std::string& device, const DeviceName& task) {
  const auto name = parse_device_name(device);
  return name && name->job == task.job && name->task == task.task;
}

TowerNodes::TowerNodes(const GraphEditor& g, const TrainOp& train, const DeviceName& worker) : worker_(worker) {
  for (const Gradient& gradient : train.gradients) trained_.insert(gradient.variable);
  for (const Gradient& gradient : train.gradients)
    for (const std::string* tensor : {&gradient.values, &gradient.indices}) need(g, *tensor);
  while (!todo_.empty()) {
    const NodeSpec& n = g.at(todo_.back());
    todo_.pop_back();
    for (const std::string& input : n.inputs) need(g, input);
    if (is_variable(n)) need_variable(g, n.name);
  }
  for (const std::string& name : g.names())
    if (has(name)) in_order_.push_back(name);
}

void TowerNodes::need(const GraphEditor& g, const std::string& tensor) {
  const std::string node(node_of(tensor));
  if (g.has(node) && !is_shared(g, g.at(node)) && nodes_.insert(node).second) todo_.push_back(node);
}

void TowerNodes::need_variable(const GraphEditor& g, const std::string& name) {
  for (const char* op : {"/Assign", "/IsInitialized/VarIsInitializedOp", "/read", "/Read/ReadVariableOp"})
    if (g.has(name + op)) need(g, name + op);
  if (g.has(name + "/Assign")) initialisers_.push_back(name + "/Assign");
}

bool TowerNodes::is_shared(const GraphEditor& g, const NodeSpec& n) const {
  if (holds_state(n)) return !is_variable(n) || trained_.contains(n.name) || !is_on_task(n.device, worker_);
  if (n.op != "Identity" || n.inputs.empty() || !g.has(node_of(n.inputs[0]))) return false;
  const NodeSpec& read = g.at(node_of(n.inputs[0]));
  return is_variable(read) && read.op != "VarHandleOp" && is_shared(g, read);
}

}  // namespace tarry
