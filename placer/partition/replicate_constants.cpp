#include "placer/partition/replicate_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace tarry {
namespace {

constexpr std::int64_t kMostElements = 16;

class Replicator {
 public:
  Replicator(Graph& g, const DeviceSet& devices) : g_(g), devices_(devices) {}

  void run() {
    for (const NodeId n : g_.op_nodes()) {
      if (!may_be_copied(n)) continue;
      const Readers readers = readers_of(n);
      if (readers.size() > 1 && !readers.contains("")) copy_to_each(n, readers);
    }
  }

 private:
  using Readers = std::map<std::string, std::vector<EdgeId>>;  // by the CPU:0 of their task; "" = a task without one

  [[nodiscard]] bool may_be_copied(NodeId n) const {
    const auto* value = g_.op_name(n) == "Const" || g_.op_name(n) == "HostConst"
                            ? g_.node(n).attrs.get<std::shared_ptr<const TensorSpec>>("value")
                            : nullptr;
    if (value == nullptr || !(*value)->unread.empty() || (*value)->shape.elements() > kMostElements ||
        devices_[g_.node(n).assigned].parsed.type != "CPU")
      return false;
    return std::ranges::none_of(g_.out_edges(n), [this](EdgeId e) { return g_.edge(e).is_control(); });
  }

  [[nodiscard]] Readers readers_of(NodeId n) const {
    Readers readers;
    for (const EdgeId e : g_.out_edges(n)) {
      DeviceName cpu = devices_[g_.node(g_.edge(e).dst).assigned].parsed;
      cpu.type = "CPU";
      cpu.id = 0;
      const std::string name = to_string(cpu);
      readers[devices_.find(name).valid() ? name : ""].push_back(e);
    }
    return readers;
  }

  void copy_to_each(NodeId n, const Readers& readers) {
    for (const auto& [device, edges] : readers) {
      const NodeId copy = copy_of(n, devices_.find(device));
      for (const EdgeId e : edges) {
        const Edge edge = g_.edge(e);
        g_.remove_edge(e);
        g_.add_edge(copy, edge.src_slot, edge.dst, edge.dst_slot);
      }
      for (const NodeId before : predecessors(n)) g_.add_control_edge(before, copy);
    }
    g_.remove_node(n);
  }

  NodeId copy_of(NodeId n, DeviceId device) {
    const Node node = g_.node(n);
    const NodeId copy = g_.add_node(fmt::format("{}/replicate/_{}", g_.name(n), names_++), *node.op,
                                    g_.requested_device(n), node.attrs, *node.input_types, *node.output_types);
    g_.node(copy).assigned = device;
    return copy;
  }

  [[nodiscard]] std::vector<NodeId> predecessors(NodeId n) const {
    std::vector<NodeId> nodes;
    for (const EdgeId e : g_.in_edges(n)) nodes.push_back(g_.edge(e).src);
    return nodes;
  }

  Graph& g_;
  const DeviceSet& devices_;
  std::size_t names_ = 0;
};

}  // namespace

void replicate_constants(Graph& g, const DeviceSet& devices) { Replicator(g, devices).run(); }

}  // namespace tarry
