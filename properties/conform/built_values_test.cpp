// The values that built jobs compute: synchronous training on W workers gives what one worker gives on all their
// examples.

#include <gtest/gtest.h>

#include "properties/conform/training_cluster.hpp"

namespace tarry {
namespace {

constexpr int kWorkers = 3, kExamples = 4;  // examples of each worker
constexpr std::int64_t kPixels = 784;

// ---- a small data set, in the graph where it would be fed ----

// Pixels whose squares add up to about a third, and a label for each example from `first` on.
AttrValue pixels(int first, int count) {
  std::vector<float> values;
  for (int e = first; e < first + count; ++e)
    for (std::int64_t p = 0; p < kPixels; ++p)
      values.push_back(static_cast<float>(hash64(fmt::format("{} {}", e, p)) % 1000) / 28'000.0f);
  return tensor_value(DataType::kFloat, Shape({count, kPixels}), values);
}
AttrValue labels(int first, int count) {
  std::vector<std::int64_t> values;
  for (int e = first; e < first + count; ++e)
    values.push_back(static_cast<std::int64_t>(hash64(fmt::format("label {}", e)) % 10));
  return tensor_value(DataType::kInt64, Shape({count}), values);
}

void put_data_in(ClientProgram& program, int first, int count) {
  auto graph = std::make_shared<GraphSpec>(*program.graph);
  for (NodeSpec& n : graph->nodes) {
    if (n.name == "x") n = {"x", "Const", n.device, {}, {{"dtype", DataType::kFloat}, {"value", pixels(first, count)}}};
    if (n.name.ends_with("/truncated_normal/stddev"))
      n.attrs.set("value",
                  tensor_value<float>(DataType::kFloat, Shape(), {0.0f}));  // each job would draw its own first values
    if (n.name == "y") n = {"y", "Const", n.device, {}, {{"dtype", DataType::kInt64}, {"value", labels(first, count)}}};
  }
  program.graph = std::move(graph);
  program.feeds.clear();
}

struct Variables {
  std::vector<float> kernel, bias;
};
Variables trained(TrainingCluster cluster, bool is_resource) {
  cluster.train();
  const std::string read = is_resource ? "/Read/ReadVariableOp:0" : "/read:0";
  return {cluster.read("softmax/kernel" + read), cluster.read("softmax/bias" + read)};
}

class Trained : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Softmax, Trained, testing::Values("softmax_async_ps1_task0", "softmax_async_res_ps2_task1"));

TEST_P(Trained, of_synchronous_training_are_those_of_one_worker_with_all_examples) {
  const bool is_resource = std::string(GetParam()).find("_res_") != std::string::npos;
  auto together = built_programs(GetParam(), {.workers = kWorkers, .ps = 2, .num_tokens = 0});
  for (int w = 0; w < kWorkers; ++w) put_data_in(together[static_cast<std::size_t>(w)], w * kExamples, kExamples);
  auto alone = built_programs(GetParam(), {.protocol = Protocol::asynchronous, .workers = 1, .ps = 1});
  put_data_in(alone[0], 0, kWorkers * kExamples);
  const Variables parallel = trained(TrainingCluster(2, kWorkers, together), is_resource),
                  sequential = trained(TrainingCluster(1, 1, alone), is_resource);
  EXPECT_LT(farthest(parallel.kernel, sequential.kernel), 1e-5f);
  EXPECT_LT(farthest(parallel.bias, sequential.bias), 1e-5f);
  EXPECT_GT(farthest(parallel.bias, std::vector<float>(10, 0.0f)), 1e-2f) << "nothing was learnt";
}

}  // namespace
}  // namespace tarry
