#include "workers/train/build/towers.hpp"

#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstring>
#include <map>
#include <set>

#include "workers/train/build/groups.hpp"
#include "workers/train/build/tower_nodes.hpp"

namespace tarry {
namespace {

template <typename Float>
AttrValue scalar(DataType type, Float value) {
  auto tensor = std::make_shared<TensorSpec>();
  tensor->dtype = type;
  tensor->content.resize(sizeof(value));
  std::memcpy(tensor->content.data(), &value, sizeof(value));
  return std::shared_ptr<const TensorSpec>(std::move(tensor));
}

class Towers {
 public:
  Towers(ClientProgram& program, int towers, GraphEditor& g, const TrainOp& train)
      : program_(program),
        towers_(towers),
        g_(g),
        train_(train),
        worker_(*parse_device_name(program.task)),
        model_(g, train, worker_) {}

  Status build() {
    for (const Gradient& gradient : train_.gradients)
      if (const DataType type = type_of(gradient); type != DataType::kFloat && type != DataType::kDouble)
        return invalid("the gradient of {} is {}; towers take the mean of float and double", gradient.variable,
                       type_name(type));
    for (int k = 0; k < towers_; ++k)
      if (const std::string scope = in_tower(k, ""); !g_.names_under(scope.substr(0, scope.size() - 1)).empty())
        return invalid("the graph has ops under {} already; towers need that scope", scope);
    TARRY_RETURN_IF_ERROR(add_initialisers());
    find_pinned();
    for (int k = 1; k < towers_; ++k) copy_model(k), copy_feeds(k);
    for (const std::string& name : model_.in_order()) put_on_gpu(g_.at(name), name, 0);
    for (const Gradient& gradient : train_.gradients) replace_gradient(g_, gradient, mean_of(gradient));
    if (!init_.ops.empty()) add_group(g_, init_);
    return {};
  }

 private:
  [[nodiscard]] DataType type_of(const Gradient& gradient) const {
    return *g_.at(gradient.variable).attrs.get<DataType>("dtype");
  }

  // ---- copies ----

  Status add_initialisers() {
    if (model_.initialisers().empty()) return {};
    init_ = take_group(g_, program_.local_init_op);
    if (init_.ops.empty())
      return invalid("its local_init_op '{}' is not one of tf.train.Scaffold", program_.local_init_op);
    for (int k = 1; k < towers_; ++k)
      for (const std::string& op : model_.initialisers()) init_.ops.push_back(in_tower(k, op));
    return {};
  }

  [[nodiscard]] std::string in(int k, const std::string& tensor) const {
    if (!model_.has(node_of(tensor))) return tensor;
    return is_control(tensor) ? "^" + in_tower(k, tensor.substr(1)) : in_tower(k, tensor);
  }

  // Nodes that the placer puts on one device: colocated ones, and those that take a handle with what made it. Where one
  // of them asks for another device than a GPU of the worker, all go there.
  void find_pinned() {
    std::map<std::string, std::string> parents;
    std::map<std::string, std::size_t> ranks;
    boost::associative_property_map rank(ranks);
    boost::associative_property_map parent(parents);
    boost::disjoint_sets sets(rank, parent);
    for (const std::string& name : g_.names()) sets.make_set(name);
    for (const std::string& name : g_.names()) {
      const NodeSpec& n = g_.at(name);
      if (const std::string with = colocated_with(n); g_.has(with)) sets.union_set(name, with);
      const std::vector<std::string> inputs = data_inputs(n);
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (const std::string from(node_of(inputs[i])); input_type(n, i) == DataType::kResource && g_.has(from))
          sets.union_set(name, from);
    }
    std::set<std::string> pinned;
    for (const std::string& name : g_.names())
      if (is_pinned(g_.at(name).device)) pinned.insert(sets.find_set(name));
    for (const std::string& name : model_.in_order())
      if (pinned.contains(sets.find_set(name))) pinned_.insert(name);
  }

  [[nodiscard]] bool is_pinned(const std::string& device) const {
    const auto name = parse_device_name(device);
    return name && ((name->type && *name->type != "GPU") || (name->job && !is_on_task(device, worker_)));
  }

  void put_on_gpu(NodeSpec& n, const std::string& original, int k) const {
    if (pinned_.contains(original)) return;
    DeviceName device = n.device.empty() ? worker_ : *parse_device_name(n.device);
    device.type = "GPU", device.id = k;
    n.device = to_string(device);
  }

  // What the runtime tells apart by name: frames of loops, state of variables; and who is colocated with whom.
  void rename(NodeSpec& n, int k) const {
    for (const char* attr : {"frame_name", "shared_name"})
      if (const auto* name = n.attrs.get<std::string>(attr); name != nullptr && !name->empty())
        n.attrs.set(attr, in_tower(k, *name));
    if (const std::string with = colocated_with(n); model_.has(with))
      n.attrs.set("_class", colocation(in_tower(k, with)));
  }

  // A loop's Merge takes what comes behind it, so all nodes are there before any has its inputs.
  void copy_model(int k) {
    for (const std::string& name : model_.in_order()) {
      NodeSpec n = g_.at(name);
      n.name = in_tower(k, name);
      n.inputs.clear();
      rename(n, k);
      put_on_gpu(n, name, k);
      g_.insert(std::move(n));
    }
    for (const std::string& name : model_.in_order())
      for (const std::string& input : g_.at(name).inputs) g_.at(in_tower(k, name)).inputs.push_back(in(k, input));
  }

  void copy_feeds(int k) {
    std::vector<Feed> copies;
    for (const Feed& feed : program_.feeds)
      if (model_.has(node_of(feed.tensor)) && feed.like.empty()) {
        copies.push_back(feed);
        copies.back().tensor = in_tower(k, feed.tensor);
        copies.back().like = feed.tensor;
      }
    program_.feeds.insert(program_.feeds.end(), copies.begin(), copies.end());
  }

  // ---- the mean ----

  [[nodiscard]] NodeSpec on_cpu(const std::string& name, const char* op, DataType type) const {
    DeviceName cpu = worker_;
    cpu.type = "CPU", cpu.id = 0;
    return {name, op, to_string(cpu), {}, {{"T", type}}};
  }

  [[nodiscard]] NodeSpec of_all(NodeSpec n, const std::string& tensor) const {
    n.attrs.set("N", std::int64_t{towers_});
    n.inputs.push_back(tensor);
    for (int k = 1; k < towers_; ++k) n.inputs.push_back(in(k, tensor));
    return n;
  }

  std::string joined(const std::string& name, const std::string& tensor, DataType type) {
    NodeSpec n = of_all(on_cpu(name, "ConcatV2", type), tensor);
    n.inputs.push_back(
        g_.add(constant(name + "_axis", n.device, DataType::kInt32, int_tensor(DataType::kInt32, {0}, true))));
    n.attrs.set("Tidx", DataType::kInt32);
    return g_.add(std::move(n));
  }

  std::string share_of(const std::string& name, const std::string& sum, DataType type) {
    NodeSpec n = on_cpu(name, "Mul", type);
    const double share = 1.0 / towers_;
    AttrValue value = type == DataType::kFloat ? scalar(type, static_cast<float>(share)) : scalar(type, share);
    n.inputs = {sum, g_.add(constant(name + "_share", n.device, type, std::move(value)))};
    return g_.add(std::move(n));
  }

  Replacement mean_of(const Gradient& gradient) {
    const DataType type = type_of(gradient);
    const std::string scope = "tower_mean/" + gradient.variable;
    if (gradient.is_sparse())
      return {share_of(scope + "/Mul", joined(scope + "/values", gradient.values, type), type),
              joined(scope + "/indices", gradient.indices, gradient.index_type), gradient.index_type};
    const std::string sum = g_.add(of_all(on_cpu(scope + "/AddN", "AddN", type), gradient.values));
    return {share_of(scope + "/Mul", sum, type), "", DataType::kInvalid};
  }

  ClientProgram& program_;
  int towers_;
  GraphEditor& g_;
  const TrainOp& train_;
  DeviceName worker_;
  TowerNodes model_;
  std::set<std::string> pinned_;  // nodes of the model that are no GPU's
  Group init_;                    // local_init_op, where the worker has variables of its own
};

}  // namespace

std::string in_tower(int tower, const std::string& name) { return fmt::format("tower_{}/{}", tower, name); }

Status add_towers(ClientProgram& program, int towers) {
  GraphEditor g(*program.graph);
  TARRY_ASSIGN(const TrainOp train, find_train_op(g, program));
  TARRY_RETURN_IF_ERROR(Towers(program, towers, g, train).build());
  program.graph = std::make_shared<const GraphSpec>(g.take());
  return {};
}

}  // namespace tarry
