// TensorFlow's own test of SyncReplicasOptimizer, row by row (docs/rules/runtime.md#I.5): worker i pushes gradients
// .1+.2i, .9+.2i and, for row 1 of a sparse variable, .1+.2i; plain gradient descent at rate 2; as many initial tokens
// as workers. The variables are larger than in that test, all of their elements alike.

#include <gtest/gtest.h>

#include "properties/conform/training_cluster.hpp"
#include "workers/train/build/readiness.hpp"

namespace tarry {
namespace {

AttrValue filled(const Shape& shape, float value) {
  return tensor_value(DataType::kFloat, shape, std::vector<float>(static_cast<std::size_t>(shape.elements()), value));
}

// Rows 0 and 1 are 3 and 4.
AttrValue table_of(const Shape& shape) {
  std::vector<float> all(static_cast<std::size_t>(shape.elements()), 0.0f);
  const auto columns = static_cast<std::size_t>(shape.dims[1]);
  std::fill_n(all.begin(), columns, 3.0f);
  std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(columns), columns, 4.0f);
  return tensor_value(DataType::kFloat, shape, all);
}

Shape shape_of(const GraphSpec& g, const std::string& variable) {
  const auto it = std::ranges::find(g.nodes, variable, &NodeSpec::name);
  return *it->attrs.get<Shape>("shape");
}

// What stands for the test's variables, gradients and rate in a recorded graph with the same servers: v0 is the kernel,
// v1 the bias, v_sparse the embedding.
std::map<std::string, AttrValue> constants(const GraphSpec& g, int worker) {
  const float i = static_cast<float>(worker);
  const Shape embedding = shape_of(g, "embedding");
  return {
      {"softmax/kernel/Initializer/truncated_normal", filled(shape_of(g, "softmax/kernel"), 0.0f)},
      {"softmax/bias/Initializer/zeros", filled(shape_of(g, "softmax/bias"), 1.0f)},
      {"embedding/Initializer/random_uniform", table_of(embedding)},
      {"gradients/softmax/MatMul_grad/tuple/control_dependency_1",
       filled(shape_of(g, "softmax/kernel"), .1f + .2f * i)},
      {"gradients/softmax/BiasAdd_grad/tuple/control_dependency_1", filled(shape_of(g, "softmax/bias"), .9f + .2f * i)},
      {"gradients/embedding_lookup_grad/Reshape", filled(Shape({1, embedding.dims[1]}), .1f + .2f * i)},
      {"gradients/embedding_lookup_grad/Reshape_1", tensor_value<std::int32_t>(DataType::kInt32, Shape({1}), {1})},
      {"GradientDescent/learning_rate", filled(Shape(), 2.0f)}};
}

ClientProgram as_in_the_test(ClientProgram p, int worker) {
  auto graph = std::make_shared<GraphSpec>(*p.graph);
  const auto values = constants(*graph, worker);
  for (NodeSpec& n : graph->nodes)
    if (const auto it = values.find(n.name); it != values.end())
      n = {n.name,
           "Const",
           n.device,
           {},
           {{"dtype", std::get<std::shared_ptr<const TensorSpec>>(it->second.value)->dtype}, {"value", it->second}}};
  p.graph = std::move(graph);
  return p;
}

class Replicas {
 public:
  Replicas(int workers, int to_aggregate)
      : programs_(built_programs("sync_sparse_w3_r3_ps2_task1",
                                 {.workers = workers, .replicas = to_aggregate, .num_tokens = workers})),
        spec_(training_cluster_of(2, workers)),
        world_(spec_, {}, 1, names_, [](Nanos, const Event&) {}),
        directory_(world_, infos()) {
    for (std::size_t t = 0; t < spec_.tasks.size(); ++t)
      directory_.start(TaskId{t}, std::make_unique<Worker>(directory_, TaskId{t},
                                                           WorkerOptions{.values_up_to = std::int64_t{1} << 40}));
    for (std::size_t w = 0; w < programs_.size(); ++w) start(w);
    sync();
  }

  // Their training steps, all at once: whether each has ended when nothing moves any more.
  std::vector<bool> run(const std::vector<std::size_t>& workers) {
    std::vector<std::shared_ptr<bool>> ended;
    for (const std::size_t w : workers) {
      ended.push_back(std::make_shared<bool>(false));
      sessions_[w]->run({}, {}, programs_[w].targets, Purpose::train, [done = ended.back()](auto fetched) {
        EXPECT_TRUE(fetched.ok()) << fetched.status();
        *done = true;
      });
    }
    settle();
    std::vector<bool> out;
    for (const auto& e : ended) out.push_back(*e);
    return out;
  }
  void run_one_by_one(const std::vector<std::size_t>& workers) {
    for (const std::size_t w : workers) EXPECT_TRUE(run({w})[0]) << w;
  }

  std::int64_t global_step() { return fetch(0, "global_step:0")->as<std::int64_t>()[0]; }
  std::int64_t local_step(std::size_t w) { return fetch(w, "sync_rep_local_step:0")->as<std::int64_t>()[0]; }
  float v0() { return fetch(0, "softmax/kernel:0")->as<float>()[7]; }
  float v1() { return fetch(0, "softmax/bias:0")->as<float>()[3]; }
  // The first two rows of the sparse variable.
  std::pair<float, float> rows() {
    const TensorRef t = fetch(0, "embedding:0");
    return {t->as<float>()[0], t->as<float>()[static_cast<std::size_t>(t->shape().dims[1])]};
  }

 private:
  std::vector<TaskInfo> infos() const {
    std::vector<TaskInfo> infos;
    for (const TaskSpec& t : spec_.tasks) infos.push_back({t.name, device_names(t), hash64(t.name) | 1});
    return infos;
  }
  void settle() {
    world_.run([] { return false; });
  }

  void start(std::size_t w) {
    ClientProgram& p = programs_[w] = as_in_the_test(programs_[w], static_cast<int>(w));
    sessions_.emplace_back();
    MasterSession::create(directory_, TaskId{w + 2}, {p.graph, change_of(p)}, {},
                          [this, w](auto s) { sessions_[w] = *std::move(s); });
    settle();
    if (p.is_chief) target(w, p.init_op);
    for (const std::string& op : {p.local_init_op, p.sync->local_init_op, p.is_chief ? p.sync->init_tokens_op : ""})
      target(w, op);
  }
  void target(std::size_t w, const std::string& op) {
    if (op.empty()) return;
    sessions_[w]->run({}, {}, {op}, Purpose::other,
                      [](auto fetched) { EXPECT_TRUE(fetched.ok()) << fetched.status(); });
    settle();
  }

  // The chief's thread.
  void sync() {
    sessions_[0]->run({}, {}, programs_[0].sync->chief_runner.enqueue_ops, Purpose::sync, [this](auto fetched) {
      if (fetched.ok()) sync();
    });
  }

  TensorRef fetch(std::size_t w, const std::string& tensor) {
    TensorRef got;
    sessions_[w]->run({}, {tensor}, {}, Purpose::other, [&](auto fetched) { got = (*fetched)[0]; });
    settle();
    return got;
  }

  std::vector<ClientProgram> programs_;
  ClusterSpec spec_;
  NameTable names_;
  World world_;
  Directory directory_;
  std::vector<std::unique_ptr<MasterSession>> sessions_;
};

struct Values {
  float v0, v1, row0, row1;
};
void expect_values(Replicas& r, std::int64_t global_step, Values v) {
  EXPECT_EQ(r.global_step(), global_step);
  EXPECT_NEAR(r.v0(), v.v0, 1e-5);
  EXPECT_NEAR(r.v1(), v.v1, 1e-5);
  EXPECT_NEAR(r.rows().first, v.row0, 1e-5);
  EXPECT_NEAR(r.rows().second, v.row1, 1e-5);
}

TEST(SyncReplicasOptimizerRows, two_workers_take_initial_tokens_are_dropped_once_and_go_on_together) {
  Replicas r(2, 2);
  expect_values(r, 0, {0, 1, 3, 4});
  r.run_one_by_one({0, 1});
  expect_values(r, 1, {-.4f, -1, 3, 3.6f});
  for (const std::size_t w : {0, 1}) EXPECT_EQ(r.local_step(w), 0);
  r.run_one_by_one({0, 1});  // with the tokens of the start: dropped
  expect_values(r, 1, {-.4f, -1, 3, 3.6f});
  for (const std::size_t w : {0, 1}) EXPECT_EQ(r.local_step(w), 1);
  EXPECT_EQ(r.run({0, 1}), (std::vector<bool>{true, true}));
  expect_values(r, 2, {-.8f, -3, 3, 3.2f});
}

TEST(SyncReplicasOptimizerRows, three_workers_with_one_backup) {
  Replicas r(3, 2);
  r.run_one_by_one({0, 2});
  expect_values(r, 1, {-.6f, -1.2f, 3, 3.4f});
  r.run_one_by_one({1});  // stale
  expect_values(r, 1, {-.6f, -1.2f, 3, 3.4f});
  r.run_one_by_one({0, 1, 2});  // all three are
  expect_values(r, 1, {-.6f, -1.2f, 3, 3.4f});
  for (const std::size_t w : {0, 2}) EXPECT_EQ(r.local_step(w), 1);
}

TEST(SyncReplicasOptimizerRows, a_worker_alone_blocks_until_a_second_one_comes) {
  Replicas r(3, 2);
  r.run_one_by_one({0, 2});
  r.run_one_by_one({1});
  r.run_one_by_one({0, 1, 2});
  EXPECT_FALSE(r.run({0})[0]);
  EXPECT_EQ(r.global_step(), 1);
  r.run({1});
  expect_values(r, 2, {-1, -3.2f, 3, 3});
}

// testFetchVariableList: Adam's beta powers are model variables; the local step is none of them.
TEST(SyncReplicasOptimizerRows, adams_beta_powers_are_model_variables_and_the_local_step_is_a_local_one) {
  const auto job = built_programs("sync_mlp_adam_w3_ps2_task1", {.workers = 2});
  const GraphEditor g(*job[0].graph);
  const auto global = reported_variables(g, report_scope(g, job[0].ready_for_local_init)),
             all = reported_variables(g, report_scope(g, job[0].ready));
  const auto has = [](const std::vector<std::string>& names, const char* name) {
    return std::ranges::find(names, name) != names.end();
  };
  for (const char* power : {"beta1_power", "beta2_power"}) EXPECT_TRUE(has(global, power)) << power;
  EXPECT_FALSE(has(global, "sync_rep_local_step"));
  EXPECT_TRUE(has(all, "sync_rep_local_step"));
}

}  // namespace
}  // namespace tarry
