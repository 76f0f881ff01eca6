// Towers and replicated variables: what a worker's graph becomes on several GPUs computes what it computed on one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/conform/training_cluster.hpp"
#include "workers/train/build/replicated.hpp"
#include "workers/train/build/towers.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kTowerPixels = 784;

const NodeSpec* find_node(const ClientProgram& p, const std::string& name) {
  const auto found = std::ranges::find(p.graph->nodes, name, &NodeSpec::name);
  return found == p.graph->nodes.end() ? nullptr : &*found;
}
std::string device_of(const ClientProgram& p, const std::string& name) {
  const NodeSpec* n = find_node(p, name);
  return n == nullptr ? "no such node" : n->device;
}
std::vector<std::string> inputs_of(const ClientProgram& p, const std::string& name) {
  const NodeSpec* n = find_node(p, name);
  return n == nullptr ? std::vector<std::string>{"no such node"} : n->inputs;
}

// ---- values ----

// Examples where they would be fed: tower t has those from `first + t * each` on.
struct Examples {
  int first = 0, each = 4;
};

NodeSpec pixels(const NodeSpec& n, int first, int count) {
  std::vector<float> values;
  for (int e = first; e < first + count; ++e)
    for (std::int64_t p = 0; p < kTowerPixels; ++p)
      values.push_back(static_cast<float>(hash64(fmt::format("{} {}", e, p)) % 1000) / 28'000.0f);
  return {
      n.name,
      "Const",
      n.device,
      {},
      {{"dtype", DataType::kFloat}, {"value", tensor_value(DataType::kFloat, Shape({count, kTowerPixels}), values)}}};
}
NodeSpec labels(const NodeSpec& n, int first, int count) {
  std::vector<std::int64_t> values;
  for (int e = first; e < first + count; ++e)
    values.push_back(static_cast<std::int64_t>(hash64(fmt::format("label {}", e)) % 10));
  return {n.name,
          "Const",
          n.device,
          {},
          {{"dtype", DataType::kInt64}, {"value", tensor_value(DataType::kInt64, Shape({count}), values)}}};
}

int tower_of(const std::string& name) {
  return name.starts_with("tower_1/") ? 1 : name.starts_with("tower_2/") ? 2 : 0;
}

void put_data_in(ClientProgram& program, const Examples& of, float rate = 1) {
  auto graph = std::make_shared<GraphSpec>(*program.graph);
  for (NodeSpec& n : graph->nodes) {
    const int first = of.first + tower_of(n.name) * of.each;
    if (n.op == "Placeholder" && n.name.ends_with("x")) n = pixels(n, first, of.each);
    if (n.op == "Placeholder" && n.name.ends_with("y")) n = labels(n, first, of.each);
    if (n.name.ends_with("/truncated_normal/stddev"))
      n.attrs.set("value", tensor_value<float>(DataType::kFloat, Shape(), {0.0f}));
    if (n.name.ends_with("GradientDescent/learning_rate"))
      n.attrs.set("value", tensor_value<float>(DataType::kFloat, Shape(), {0.5f * rate}));
  }
  program.graph = std::move(graph);
  program.feeds.clear();
}

struct TowerVariables {
  std::vector<float> kernel, bias;
};
std::string read_of(const std::string& graph) {
  return graph.find("_res_") != std::string::npos ? "/Read/ReadVariableOp:0" : "/read:0";
}
TowerVariables trained(TrainingCluster& cluster, const std::string& read) {
  cluster.train();
  return {cluster.read("softmax/kernel" + read), cluster.read("softmax/bias" + read)};
}
TowerVariables of_one(const std::string& graph, int examples, float rate) {
  auto alone = built_programs(graph, {.protocol = Protocol::asynchronous, .workers = 1, .ps = 1});
  put_data_in(alone[0], {0, examples}, rate);
  TrainingCluster cluster(1, 1, alone);
  return trained(cluster, read_of(graph));
}
void expect_near(const TowerVariables& a, const TowerVariables& b) {
  EXPECT_LT(farthest(a.kernel, b.kernel), 1e-5f);
  EXPECT_LT(farthest(a.bias, b.bias), 1e-5f);
  EXPECT_GT(farthest(a.bias, std::vector<float>(10, 0.0f)), 1e-2f) << "nothing was learnt";
}

class Towers : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Softmax, Towers, testing::Values("softmax_async_ps1_task0", "softmax_async_res_ps2_task1"));

TEST_P(Towers, of_one_worker_learn_what_one_gpu_learns_from_all_their_examples) {
  auto job = built_programs(GetParam(), {.protocol = Protocol::asynchronous, .workers = 1, .ps = 2, .towers = 3});
  put_data_in(job[0], {0, 4});
  TrainingCluster cluster(2, 1, job, 3);
  expect_near(trained(cluster, read_of(GetParam())), of_one(GetParam(), 12, 1));
}

TEST_P(Towers, of_synchronous_workers_learn_what_one_gpu_learns_from_all_their_examples) {
  auto job = built_programs(GetParam(), {.workers = 2, .ps = 2, .num_tokens = 0, .towers = 2});
  for (int w = 0; w < 2; ++w) put_data_in(job[static_cast<std::size_t>(w)], {w * 8, 4});
  TrainingCluster cluster(2, 2, job, 2);
  expect_near(trained(cluster, read_of(GetParam())), of_one(GetParam(), 16, 1));
}

// Each worker applies its own gradient, so two workers make a step twice as long.
TEST_P(Towers, with_replicated_variables_see_what_all_workers_have_applied) {
  auto job = built_programs(GetParam(), {.protocol = Protocol::replicated, .workers = 2, .ps = 2, .towers = 2});
  for (int w = 0; w < 2; ++w) put_data_in(job[static_cast<std::size_t>(w)], {w * 8, 4});
  TrainingCluster cluster(2, 2, job, 2);
  const TowerVariables got = trained(cluster, read_of(GetParam()));
  expect_near(got, of_one(GetParam(), 16, 2));
}

TEST_P(Towers, have_the_servers_values_in_their_copies_after_a_step) {
  auto job = built_programs(GetParam(), {.protocol = Protocol::replicated, .workers = 1, .ps = 1, .towers = 2});
  put_data_in(job[0], {0, 4});
  TrainingCluster cluster(1, 1, job, 2);
  const TowerVariables server = trained(cluster, read_of(GetParam()));
  const bool is_handle = read_of(GetParam()) != "/read:0";
  for (const std::string tower : {is_handle ? "" : "tower_0/", "tower_1/"})
    EXPECT_EQ(cluster.read(tower + (is_handle ? "softmax/ReadVariableOp:0" : "softmax/kernel/read:0")), server.kernel);
}

// ---- structure ----

ClientProgram with_towers(const std::string& graph, int towers, Protocol protocol = Protocol::asynchronous) {
  return built_programs(graph, {.protocol = protocol, .workers = 2, .ps = 1, .towers = towers})[1];
}

TEST(TowersOf, a_worker_have_a_gpu_each_and_share_the_variables) {
  const ClientProgram p = with_towers("softmax_async_ps1_task0", 2);
  EXPECT_EQ(device_of(p, "softmax/MatMul"), "/job:worker/task:1/device:GPU:0");
  EXPECT_EQ(device_of(p, "tower_1/softmax/MatMul"), "/job:worker/task:1/device:GPU:1");
  EXPECT_THAT(inputs_of(p, "tower_1/softmax/MatMul"), ElementsAre("tower_1/x", "softmax/kernel/read"));
  EXPECT_EQ(find_node(p, "tower_1/softmax/kernel"), nullptr);
  EXPECT_EQ(find_node(p, "tower_2/softmax/MatMul"), nullptr);
}

TEST(TowersOf, a_worker_are_averaged_on_its_cpu) {
  const ClientProgram p = with_towers("softmax_async_ps1_task0", 2);
  EXPECT_EQ(device_of(p, "tower_mean/softmax/bias/AddN"), "/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(inputs_of(p, "tower_mean/softmax/bias/AddN").size(), 2u);
  EXPECT_THAT(inputs_of(p, "tower_mean/softmax/bias/Mul"),
              ElementsAre("tower_mean/softmax/bias/AddN", "tower_mean/softmax/bias/Mul_share"));
  EXPECT_EQ(inputs_of(p, "GradientDescent/update_softmax/bias/ApplyGradientDescent").at(2),
            "tower_mean/softmax/bias/Mul");
}

TEST(TowersOf, a_worker_are_fed_alike) {
  std::vector<std::string> fed;
  for (const Feed& f : with_towers("softmax_async_ps1_task0", 3).feeds)
    if (!f.optional) fed.push_back(f.tensor);
  EXPECT_THAT(fed, ElementsAre("x:0", "y:0", "tower_1/x:0", "tower_1/y:0", "tower_2/x:0", "tower_2/y:0"));
}

TEST(TowersOf, a_worker_have_frames_of_their_own) {
  const ClientProgram p = with_towers("lstm_lm_ps3_task0", 2);
  std::set<std::string> frames;
  for (const NodeSpec& n : p.graph->nodes)
    if (n.op == "Enter") frames.insert(*n.attrs.get<std::string>("frame_name"));
  std::set<std::string> of_second;
  for (const std::string& f : frames)
    if (f.starts_with("tower_1/")) of_second.insert(f);
  EXPECT_THAT(of_second, testing::Not(IsEmpty()));
  EXPECT_EQ(frames.size(), 2 * of_second.size());
}

// The ops behind an op without data, and so on.
std::set<std::string> behind(const ClientProgram& p, const std::string& name) {
  std::set<std::string> found;
  std::vector<std::string> todo = {name};
  while (!todo.empty()) {
    const std::string node = todo.back();
    todo.pop_back();
    if (!found.insert(node).second) continue;
    for (const std::string& input : inputs_of(p, node))
      if (is_control(input)) todo.push_back(input.substr(1));
  }
  return found;
}

TEST(TowersOf, a_worker_have_its_own_variables_each_and_local_init_op_sets_them) {
  const ClientProgram p = with_towers("resnet50_b64", 2);
  EXPECT_EQ(device_of(p, "images"), "/job:worker/task:1/device:GPU:0");
  EXPECT_EQ(device_of(p, "tower_1/images"), "/job:worker/task:1/device:GPU:1");
  EXPECT_THAT(inputs_of(p, "tower_1/transpose/ReadVariableOp"), ElementsAre("tower_1/images"));
  EXPECT_EQ(device_of(p, "tower_1/transpose/ReadVariableOp"), "/job:worker/task:1/device:GPU:1");
  ASSERT_NE(find_node(p, "tower_1/images"), nullptr);
  EXPECT_EQ(colocated_with(*find_node(p, "tower_1/images")), "tower_1/images");
  EXPECT_EQ(*find_node(p, "tower_1/images")->attrs.get<std::string>("shared_name"), "tower_1/images");
  EXPECT_THAT(behind(p, p.local_init_op), testing::IsSupersetOf({"images/Assign", "tower_1/images/Assign"}));
}

TEST(TowersOf, a_worker_share_the_variables_that_it_trains_itself) {
  const ClientProgram p = with_towers("lstm_lm_ps3_task0", 2);
  const std::string kernel = "rnn/multi_rnn_cell/cell_0/lstm_cell/kernel";
  ASSERT_THAT(device_of(p, kernel), HasSubstr("/job:worker/task:1"));
  EXPECT_EQ(find_node(p, "tower_1/" + kernel), nullptr);
  EXPECT_NE(find_node(p, "tower_mean/" + kernel + "/Mul"), nullptr);
}

TEST(TowersOf, a_worker_leave_on_its_cpu_what_is_colocated_with_an_op_there) {
  const ClientProgram p = with_towers("lstm_lm_ps3_task0", 2);
  for (const char* name : {"rnn/while/Select", "tower_1/rnn/while/Select", "tower_1/rnn/while/Select_4"})
    EXPECT_THAT(device_of(p, name), testing::Not(HasSubstr("GPU"))) << name;
  EXPECT_THAT(device_of(p, "tower_1/rnn/while/Select_1"), HasSubstr("GPU:1"));
}

TEST(TowersOf, a_worker_need_a_scope_of_their_own) {
  ClientProgram p = shipped_program("softmax_async_ps1_task0");
  auto graph = std::make_shared<GraphSpec>(*p.graph);
  graph->nodes.push_back({"tower_1/x", "NoOp", "", {}, {}});
  p.graph = std::move(graph);
  const auto refused = build_job(p, {.protocol = Protocol::asynchronous, .workers = 1, .towers = 2});
  EXPECT_THAT(std::string(text_of(refused.status())),
              HasSubstr("towers: the graph has ops under tower_1/ already; towers need that scope"));
}

TEST(TowersOf, a_worker_say_which_feed_they_are_fed_like) {
  for (const Feed& f : with_towers("softmax_async_ps1_task0", 3).feeds)
    EXPECT_EQ(f.like, f.tensor.starts_with("tower_") ? f.tensor.substr(f.tensor.find('/') + 1) : "") << f.tensor;
}

TEST(Replicated, steps_count_and_set_every_copy) {
  const ClientProgram p = with_towers("softmax_async_ps1_task0", 2, Protocol::replicated);
  ASSERT_EQ(p.targets.size(), 1u);
  EXPECT_THAT(
      behind(p, p.targets[0]),
      testing::IsSupersetOf({"GradientDescent", "tower_0/softmax/kernel/update", "tower_1/softmax/kernel/update",
                             "tower_0/softmax/bias/update", "tower_1/softmax/bias/update"}));
}

TEST(TowersOf, a_worker_join_gradients_of_rows) {
  const ClientProgram p = with_towers("sync_sparse_w3_r3_ps2_task0", 2);
  ASSERT_NE(find_node(p, "tower_mean/embedding/values"), nullptr);
  EXPECT_EQ(find_node(p, "tower_mean/embedding/values")->op, "ConcatV2");
  EXPECT_EQ(find_node(p, "tower_mean/embedding/indices")->op, "ConcatV2");
}

TEST(TowersOf, one_gpu_are_the_graph_as_it_was) {
  const ClientProgram p = with_towers("softmax_async_ps1_task0", 1);
  EXPECT_THAT(device_of(p, "softmax/MatMul"), testing::Not(HasSubstr("GPU")));
  EXPECT_EQ(find_node(p, "tower_mean/softmax/bias/AddN"), nullptr);
}

TEST(Replicated, variables_follow_when_every_worker_has_updated_them) {
  const ClientProgram p = with_towers("softmax_async_ps1_task0", 2, Protocol::replicated);
  EXPECT_THAT(inputs_of(p, "tower_1/softmax/MatMul"), ElementsAre("tower_1/x", "tower_1/softmax/kernel/read"));
  EXPECT_THAT(inputs_of(p, "softmax/MatMul"), ElementsAre("x", "tower_0/softmax/kernel/read"));
  EXPECT_EQ(device_of(p, "tower_1/softmax/kernel"), "/job:worker/task:1/device:GPU:1");
  EXPECT_THAT(inputs_of(p, "tower_1/softmax/kernel/update"),
              ElementsAre("tower_1/softmax/kernel", "softmax/kernel/updated"));
  EXPECT_THAT(inputs_of(p, "softmax/kernel/updated"),
              ElementsAre("softmax/kernel", "^replicate_variable_0_0_enqueue", "^replicate_variable_0_1_DequeueMany"));
  EXPECT_THAT(inputs_of(p, "replicate_variable_0_0_enqueue").back(),
              "^GradientDescent/update_softmax/kernel/ApplyGradientDescent");
}

TEST(Replicated, variables_wait_for_a_token_of_every_other_worker) {
  const ClientProgram p =
      built_programs("softmax_async_ps1_task0", {.protocol = Protocol::replicated, .workers = 3})[1];
  const NodeSpec expected =
      constant("replicate_variable_0_1_others", "", DataType::kInt32, int_tensor(DataType::kInt32, {2}, true));
  ASSERT_NE(find_node(p, expected.name), nullptr);
  EXPECT_EQ(**find_node(p, expected.name)->attrs.get<std::shared_ptr<const TensorSpec>>("value"),
            **expected.attrs.get<std::shared_ptr<const TensorSpec>>("value"));
}

TEST(Replicated, variables_of_a_single_worker_wait_for_nobody) {
  const ClientProgram p =
      built_programs("softmax_async_ps1_task0", {.protocol = Protocol::replicated, .workers = 1, .ps = 1})[0];
  EXPECT_THAT(inputs_of(p, "softmax/kernel/updated"),
              ElementsAre("softmax/kernel", "^GradientDescent/update_softmax/kernel/ApplyGradientDescent"));
  EXPECT_EQ(find_node(p, "replicate_variable_0_0"), nullptr);
}

TEST(Replicated, variables_with_gradients_of_rows_are_refused) {
  const auto refused = build_job(shipped_program("sync_sparse_w3_r3_ps2_task0"),
                                 {.protocol = Protocol::replicated, .workers = 2, .ps = 1});
  EXPECT_THAT(
      std::string(text_of(refused.status())),
      HasSubstr("the gradient of embedding has rows (IndexedSlices); replicated variables take dense gradients"));
}

TEST(Replicated, variables_are_on_parameter_servers) {
  ClientProgram p = shipped_program("softmax_async_ps1_task0");
  auto graph = std::make_shared<GraphSpec>(*p.graph);
  for (NodeSpec& n : graph->nodes)
    if (n.name == "softmax/bias") n.device = "/job:worker/task:0";
  p.graph = std::move(graph);
  const auto refused = build_job(p, {.protocol = Protocol::replicated, .workers = 2});
  EXPECT_THAT(std::string(text_of(refused.status())),
              HasSubstr("the variable softmax/bias is on '/job:worker/task:0'; replicated variables are on parameter "
                        "servers"));
}

}  // namespace
}  // namespace tarry
