// Every recorded training graph, placed and cut: no error, or TensorFlow's own for a true reason.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "placer/graph/import.hpp"
#include "placer/graph/read.hpp"
#include "placer/partition/partition.hpp"
#include "placer/place/place.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

// A CPU for each task that the graph names, and GPUs up to the highest that a node asks for.
DeviceSet devices_of(const GraphSpec& g) {
  std::map<std::string, int> gpus;
  for (const NodeSpec& n : g.nodes) {
    auto name = parse_device_name(n.device);
    if (!name || n.device.empty()) continue;
    if (!name->job) name->job = "localhost";
    int& highest = gpus.try_emplace(fmt::format("/job:{}/replica:0/task:{}", *name->job, name->task.value_or(0)), -1)
                       .first->second;
    if (name->type == "GPU") highest = std::max(highest, name->id.value_or(0));
  }
  if (gpus.empty()) gpus["/job:localhost/replica:0/task:0"] = -1;
  DeviceSet set;
  for (const auto& [task, highest] : gpus) {
    (void)set.add(task + "/device:CPU:0");
    for (int i = 0; i <= highest; ++i) (void)set.add(fmt::format("{}/device:GPU:{}", task, i));
  }
  return set;
}

class Trained : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Graph, Trained, ::testing::ValuesIn(list_graphs(kGraphs)),
                         [](const auto& info) { return info.param; });

TEST_P(Trained, is_placed_and_cut_by_task) {
  const auto spec = read_graph(kGraphs + "/" + GetParam() + ".pb.zst");
  ASSERT_TRUE(spec.ok()) << spec.status();
  const DeviceSet devices = devices_of(*spec);
  for (const bool soft : {false, true}) {
    auto g = import_graph(*spec);
    ASSERT_TRUE(g.ok()) << g.status();
    const Status placed = place(*g, devices, rules_2_15(), {.soft_placement = soft});
    if (!placed.ok()) {  // hard only: a node asks for a GPU that its op, or a ps, has not
      EXPECT_FALSE(soft) << placed;
      EXPECT_THAT(std::string(text_of(placed)), ::testing::HasSubstr("device:GPU"));
      continue;
    }
    int counter = 0;
    PartitionOptions options;
    options.by = CutBy::task;
    options.new_name = [&](std::string_view prefix) { return fmt::format("{}_S{}", prefix, ++counter); };
    options.incarnation = [](std::string_view) { return std::uint64_t{1}; };
    const auto parts = partition(*g, devices, options);
    ASSERT_TRUE(parts.ok()) << parts.status();
    for (const Partition& p : *parts) EXPECT_TRUE(import_graph(p.graph, made_by_itself()).ok()) << p.location;
  }
}

}  // namespace
}  // namespace tarry
