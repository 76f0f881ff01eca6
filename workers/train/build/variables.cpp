#include "workers/train/build/variables.hpp"

#include <algorithm>
#include <set>

#include "placer/device/merge.hpp"

namespace tarry {
namespace {

ModelVariable variable(const NodeSpec& n) {
  ModelVariable v{
      .name = n.name, .device = n.device, .slot_of = colocated_with(n), .is_resource = n.op == "VarHandleOp"};
  if (const auto* type = n.attrs.get<DataType>("dtype")) v.dtype = *type;
  if (const auto* shape = n.attrs.get<Shape>("shape")) v.shape = *shape;
  return v;
}

// A replica_device_setter's strategy: asked once for each variable that it places.
class Chooser {
 public:
  Chooser(int ps, PsStrategy strategy) : strategy_(strategy), load_(static_cast<std::size_t>(ps), 0) {}
  int next(const ModelVariable& v) {
    return strategy_ == PsStrategy::greedy ? lightest(v) : turn_++ % static_cast<int>(load_.size());
  }

 private:
  int lightest(const ModelVariable& v) {
    const auto least = std::ranges::min_element(load_);
    *least += v.shape.elements() * static_cast<std::int64_t>(type_size(v.dtype));
    return static_cast<int>(least - load_.begin());
  }

  PsStrategy strategy_;
  std::vector<std::int64_t> load_;
  int turn_ = 0;
};

bool is_placed(const ModelVariable& v) { return v.slot_of.empty() && ps_task_of(v.device); }

}  // namespace

bool is_variable(const NodeSpec& n) { return n.op == "VariableV2" || n.op == "Variable" || n.op == "VarHandleOp"; }

std::vector<ModelVariable> find_variables(const GraphEditor& graph) {
  std::vector<ModelVariable> found;
  std::set<std::string> names;
  for (const std::string& name : graph.names())
    if (const NodeSpec& n = graph.at(name); is_variable(n)) found.push_back(variable(n)), names.insert(name);
  for (ModelVariable& v : found)
    if (v.slot_of == v.name || !names.contains(v.slot_of)) v.slot_of.clear();
  return found;
}

StatusOr<std::vector<std::optional<int>>> choose_ps(const std::vector<ModelVariable>& variables, int ps,
                                                    PsStrategy strategy) {
  Chooser chooser(ps, strategy);
  std::vector<std::optional<int>> tasks;
  for (const ModelVariable& v : variables) {
    if (is_placed(v) && strategy == PsStrategy::greedy && !v.shape.fully_known())
      return invalid("variable {}: Shape {} is not fully defined; greedy placement counts its bytes", v.name,
                     to_string(v.shape));
    tasks.push_back(is_placed(v) ? std::optional(chooser.next(v)) : std::nullopt);
  }
  return tasks;
}

std::string within(const std::string& outer, const std::string& inner) {
  const auto more = parse_device_name(outer), less = parse_device_name(inner);
  return more && less ? to_string(ensure_specification(*more, *less)) : inner;
}

std::optional<int> ps_task_of(const std::string& device) {
  const auto name = parse_device_name(device);
  return name && name->job == "ps" ? name->task : std::nullopt;
}

std::string with_task(const std::string& device, int task) {
  auto name = parse_device_name(device);
  name->task = task;
  return to_string(*name);
}

}  // namespace tarry
