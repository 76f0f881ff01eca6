// For tests of the partitioner: small graphs whose nodes are named after their devices, and their cut.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/graph/import.hpp"
#include "placer/partition/partition.hpp"

namespace tarry {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Pair;
using ::testing::SizeIs;

struct N {
  std::string name, op;
  std::vector<std::string> inputs = {};
  Attrs attrs = {};
};

inline const Attrs kFloat = {{"T", DataType::kFloat}};
inline const Attrs kInt = {{"T", DataType::kInt32}};

inline N input(std::string name, DataType t = DataType::kFloat) {
  return {std::move(name), "Placeholder", {}, {{"dtype", t}}};
}
inline N add(std::string name, std::vector<std::string> inputs, Attrs attrs = kFloat) {
  return {std::move(name), "Add", std::move(inputs), std::move(attrs)};
}

// Names begin with their device: A and B are CPUs of one task, G its GPU, R the CPU of another task.
inline DeviceSet devices() {
  DeviceSet set;
  for (const char* d : {"/job:a/replica:0/task:0/device:CPU:0", "/job:a/replica:0/task:0/device:CPU:1",
                        "/job:a/replica:0/task:0/device:GPU:0", "/job:b/replica:0/task:0/device:CPU:0"})
    EXPECT_TRUE(set.add(d, "", 82).ok());
  return set;
}

inline Graph graph_of(const std::vector<N>& nodes) {
  GraphSpec spec;
  spec.versions.producer = 21;
  for (const N& n : nodes) spec.nodes.push_back({n.name, n.op, "", n.inputs, n.attrs});
  Graph g = import_graph(spec).value();
  for (const NodeId n : g.op_nodes()) g.node(n).assigned = DeviceId{std::string_view("ABGR").find(g.name(n)[0])};
  return g;
}

inline PartitionOptions by_device(const DeviceSet& set) {
  PartitionOptions o;
  o.new_name = [next = 0](std::string_view prefix) mutable { return fmt::format("{}/_{}", prefix, next++); };
  o.incarnation = [&set](std::string_view name) {
    return set.find(name).valid() ? set[set.find(name)].incarnation : 0;
  };
  return o;
}

struct Cut {
  Status status;
  std::vector<Partition> parts;

  [[nodiscard]] const NodeSpec& node(const std::string& name) const {
    static const NodeSpec none;
    for (const Partition& p : parts)
      for (const NodeSpec& n : p.graph.nodes)
        if (n.name == name) return n;
    ADD_FAILURE() << "no node " << name;
    return none;
  }
  [[nodiscard]] std::vector<std::string> names(std::size_t part) const {
    std::vector<std::string> out;
    for (const NodeSpec& n : parts[part].graph.nodes)
      out.push_back(n.op == "Placeholder" || n.op == "Add" ? n.name : fmt::format("{} {}", n.op, n.name));
    return out;
  }
  [[nodiscard]] std::vector<const NodeSpec*> all(std::string_view op) const {
    std::vector<const NodeSpec*> out;
    for (const Partition& p : parts)
      for (const NodeSpec& n : p.graph.nodes)
        if (n.op == op) out.push_back(&n);
    return out;
  }
};

inline Cut cut(Graph g, const std::function<void(PartitionOptions&)>& change = {}) {
  const DeviceSet set = devices();
  PartitionOptions o = by_device(set);
  if (change) change(o);
  auto parts = partition(g, set, o);
  return parts.ok() ? Cut{Status(), *std::move(parts)} : Cut{parts.status(), {}};
}
inline Cut cut(const std::vector<N>& nodes) { return cut(graph_of(nodes)); }

}  // namespace tarry
