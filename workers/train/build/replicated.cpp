#include "workers/train/build/replicated.hpp"

#include <map>

#include "workers/train/build/device_setter.hpp"
#include "workers/train/build/groups.hpp"
#include "workers/train/build/tower_nodes.hpp"
#include "workers/train/build/towers.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {
namespace {

class Replicas {
 public:
  Replicas(ClientProgram& program, const ReplicatedPlan& plan, GraphEditor& g, const TrainOp& train)
      : program_(program), plan_(plan), g_(g), train_(train), task_(*parse_device_name(program.task)) {
    const TowerNodes nodes(g, train, task_);
    for (const std::string& reader : nodes.in_order()) {
      const NodeSpec& n = g.at(reader);
      for (std::size_t i = 0; i < n.inputs.size(); ++i)
        if (!is_control(n.inputs[i])) uses_[variable_of(n.inputs[i])].push_back({reader, i});
    }
  }

  Status build() {
    for (const Gradient& gradient : train_.gradients) TARRY_RETURN_IF_ERROR(check_variable(gradient));
    init_ = take_group(g_, program_.local_init_op);
    if (init_.ops.empty())
      return invalid("its local_init_op '{}' is not one of tf.train.Scaffold", program_.local_init_op);
    std::vector<std::string> last = {train_.name};
    for (std::size_t i = 0; i < train_.gradients.size(); ++i) add_variable(i, last);
    add_group(g_, init_);
    std::erase(program_.targets, train_.name);
    program_.targets.push_back(
        add_group(g_, {g_.unique_name("replicated_step"), worker_device(g_, program_.task), last, {}}));
    return {};
  }

 private:
  [[nodiscard]] Status check_variable(const Gradient& gradient) const {
    if (gradient.is_sparse())
      return invalid("the gradient of {} has rows (IndexedSlices); replicated variables take dense gradients",
                     gradient.variable);
    if (const std::string& at = g_.at(gradient.variable).device; !ps_task_of(at))
      return invalid("the variable {} is on '{}'; replicated variables are on parameter servers", gradient.variable,
                     at);
    return {};
  }

  void add_variable(std::size_t i, std::vector<std::string>& last) {
    const NodeSpec v = g_.at(train_.gradients[i].variable);
    const std::string first = add_read(v, v.name + "/replicate", v.device, {});
    const std::string updated = add_updated(v, add_barrier(i));
    for (int k = 0; k < plan_.towers; ++k) {
      const NodeSpec copy = add_copy(v, k);
      init_.ops.push_back(add_assign(copy, "/Assign", first));
      last.push_back(add_assign(copy, "/update", updated));
    }
  }

  // ---- copies ----

  [[nodiscard]] static bool is_handle(const NodeSpec& v) { return v.op == "VarHandleOp"; }
  [[nodiscard]] static DataType type_of(const NodeSpec& v) { return *v.attrs.get<DataType>("dtype"); }

  [[nodiscard]] std::string device(const char* type, int id) const {
    DeviceName name = task_;
    name.type = type, name.id = id;
    return to_string(name);
  }

  NodeSpec add_copy(const NodeSpec& v, int k) {
    NodeSpec copy = v;
    copy.name = in_tower(k, v.name);
    copy.device = device("GPU", k);
    copy.attrs.erase("_class");
    if (is_handle(v)) copy.attrs.set("shared_name", copy.name);
    g_.insert(copy);
    const std::string read = is_handle(v) ? copy.name : add_read(copy, copy.name + "/read", copy.device, {});
    for (const auto& [reader, input] : uses_[v.name])
      if (tower_of(reader) == k) g_.at(reader).inputs[input] = read;
    return copy;
  }

  [[nodiscard]] int tower_of(const std::string& node) const {
    for (int k = 1; k < plan_.towers; ++k)
      if (node.starts_with(in_tower(k, ""))) return k;
    return 0;
  }

  // What a tower takes of a variable: its handle, its reference, or what reads the reference.
  [[nodiscard]] std::string variable_of(const std::string& input) const {
    const std::string node(node_of(input));
    const bool reads = g_.has(node) && g_.at(node).op == "Identity" && !g_.at(node).inputs.empty();
    const std::string read(reads ? node_of(g_.at(node).inputs[0]) : "");
    return g_.has(read) && g_.at(read).op != "VarHandleOp" && is_variable(g_.at(read)) ? read : node;
  }

  std::string add_read(const NodeSpec& v, const std::string& name, const std::string& device,
                       const std::vector<std::string>& after) {
    NodeSpec read = is_handle(v) ? NodeSpec{name, "ReadVariableOp", v.device, {v.name}, {{"dtype", type_of(v)}}}
                                 : NodeSpec{name, "Identity", device, {v.name}, {{"T", type_of(v)}}};
    return add_behind(std::move(read), after);
  }

  // The server's value after the barrier, brought to the worker's CPU once for all towers.
  std::string add_updated(const NodeSpec& v, const std::vector<std::string>& after) {
    const std::string read = add_read(v, v.name + "/updated", device("CPU", 0), after);
    if (!is_handle(v)) return read;
    return g_.add({v.name + "/updated_here", "Identity", device("CPU", 0), {read}, {{"T", type_of(v)}}});
  }

  std::string add_assign(const NodeSpec& copy, const char* name, const std::string& value) {
    if (is_handle(copy))
      return g_.add({copy.name + name,
                     "AssignVariableOp",
                     copy.device,
                     {copy.name, value},
                     {{"dtype", type_of(copy)}, {"validate_shape", true}}});
    return g_.add(
        {copy.name + name,
         "Assign",
         copy.device,
         {copy.name, value},
         {{"T", type_of(copy)}, {"_class", colocation(copy.name)}, {"use_locking", true}, {"validate_shape", true}}});
  }

  // ---- the barrier ----

  // What comes after every worker's update of the variable.
  std::vector<std::string> add_barrier(std::size_t i) {
    const std::vector<std::string>& updates = train_.gradients[i].ops;
    if (plan_.workers == 1) return updates;
    const std::string& at = g_.at(train_.gradients[i].variable).device;
    const std::string token = add_behind(constant(fmt::format("{}{}_token", kReplicateQueue, i), at, DataType::kBool,
                                                  int_tensor(DataType::kBool, {0}, true)),
                                         updates);
    std::vector<std::string> met;
    for (int w = 0; w < plan_.workers; ++w)
      if (const std::string queue = add_queue(i, w, at); w != plan_.worker)
        met.push_back(add_behind(queue_op(queue, "_enqueue", "QueueEnqueueV2", "Tcomponents", {token}), updates));
    met.push_back(add_take(add_queue(i, plan_.worker, at)));
    return met;
  }

  std::string add_queue(std::size_t i, int worker, const std::string& at) {
    const std::string name = fmt::format("{}{}_{}", kReplicateQueue, i, worker);
    if (g_.has(name)) return name;
    return g_.insert({name,
                      "FIFOQueueV2",
                      at,
                      {},
                      {{"capacity", std::int64_t{plan_.workers}},
                       {"component_types", AttrList{.type = {DataType::kBool}}},
                       {"container", ""},
                       {"shapes", AttrList{.shape = {Shape()}}},
                       {"shared_name", name}}});
  }

  NodeSpec queue_op(const std::string& queue, const char* name, const char* op, const char* types,
                    std::vector<std::string> inputs) {
    inputs.insert(inputs.begin(), queue);
    return {queue + name,
            op,
            g_.at(queue).device,
            std::move(inputs),
            {{types, AttrList{.type = {DataType::kBool}}}, {"timeout_ms", std::int64_t{-1}}}};
  }

  std::string add_take(const std::string& queue) {
    const std::string count = g_.add(constant(queue + "_others", g_.at(queue).device, DataType::kInt32,
                                              int_tensor(DataType::kInt32, {plan_.workers - 1}, true)));
    return g_.add(queue_op(queue, "_DequeueMany", "QueueDequeueManyV2", "component_types", {count}));
  }

  std::string add_behind(NodeSpec n, const std::vector<std::string>& after) {
    for (const std::string& op : after) n.inputs.push_back("^" + op);
    return g_.add(std::move(n));
  }

  ClientProgram& program_;
  const ReplicatedPlan& plan_;
  GraphEditor& g_;
  const TrainOp& train_;
  DeviceName task_;
  std::map<std::string, std::vector<std::pair<std::string, std::size_t>>> uses_;  // inputs of towers, by variable
  Group init_;
};

}  // namespace

Status add_replicated(ClientProgram& program, const ReplicatedPlan& plan) {
  GraphEditor g(*program.graph);
  TARRY_ASSIGN(const TrainOp train, find_train_op(g, program));
  TARRY_RETURN_IF_ERROR(Replicas(program, plan, g, train).build());
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
