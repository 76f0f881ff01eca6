#include "placer/place/supported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/import.hpp"

namespace tarry {
namespace {

using ::testing::ElementsAre;
using Types = std::vector<std::string>;

// Asked in the order of the nodes' ids, as placement asks: an answer that is remembered must not serve a node that
// differs.
struct World {
  explicit World(std::vector<NodeSpec> nodes, PlaceOptions with = {})
      : options(std::move(with)), g(import(std::move(nodes))) {
    EXPECT_TRUE(devices.add("/job:a/replica:0/task:0/device:CPU:0").ok());
    EXPECT_TRUE(devices.add("/job:a/replica:0/task:0/device:GPU:0").ok());
  }

  Graph import(std::vector<NodeSpec> nodes) const {
    GraphSpec spec;
    spec.nodes = std::move(nodes);
    return import_graph(spec, ImportOptions{.ops = options.ops}).value();
  }

  std::vector<Types> answers() {
    Supported supported(devices, rules, options);
    std::vector<Types> all;
    for (const NodeId n : g.op_nodes()) {
      all.emplace_back();
      for (const auto& t : supported.lists()[*supported.of(g, n)]) all.back().push_back(t.type);
    }
    return all;
  }

  PlaceOptions options;
  DeviceSet devices;
  Rules rules = rules_2_15();
  Graph g;
};

NodeSpec handle(std::string name, DataType type) {
  return {std::move(name), "VarHandleOp", "", {}, {{"dtype", type}, {"shape", Shape()}}};
}

TEST(Supported, a_kernel_is_chosen_by_an_attribute_that_is_no_arguments_type) {
  World w({handle("a", DataType::kFloat), handle("b", DataType::kString), handle("c", DataType::kFloat)});
  EXPECT_THAT(w.answers(), ElementsAre(Types{"GPU", "CPU"}, Types{"CPU"}, Types{"GPU", "CPU"}));
}

TEST(Supported, a_node_that_asks_for_a_labelled_kernel_is_not_served_by_another) {
  const OpRegistry ops({{.name = "Make", .outputs = {{.name = "o", .type = DataType::kFloat}}}});
  const KernelRegistry kernels(
      {{.op = "Make", .device_type = "GPU"}, {.op = "Make", .device_type = "CPU", .label = "exact"}});
  World w({{"a", "Make"}, {"b", "Make", "", {}, {{"_kernel", "exact"}}}, {"c", "Make"}},
          {.kernels = &kernels, .ops = &ops});
  EXPECT_THAT(w.answers(), ElementsAre(Types{"GPU"}, Types{"CPU"}, Types{"GPU"}));
}

}  // namespace
}  // namespace tarry
