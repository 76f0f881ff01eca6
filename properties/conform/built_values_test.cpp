// The values that built jobs compute: synchronous training on W workers gives what one worker gives on all their examples.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "placer/core/hash.hpp"
#include "scenarios/programs.hpp"
#include "sim/world.hpp"
#include "workers/train/build/job_plan.hpp"
#include "workers/train/training_client.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {
namespace {

constexpr int kWorkers = 3, kExamples = 4, kSteps = 5;  // examples of each worker
constexpr std::int64_t kPixels = 784;

// ---- a small data set, in the graph where it would be fed ----

template <class T>
AttrValue tensor(DataType type, Shape shape, const std::vector<T>& values) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = type;
  t->shape = std::move(shape);
  t->content.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return std::shared_ptr<const TensorSpec>(std::move(t));
}

// Pixels whose squares add up to about a third, and a label for each example from `first` on.
AttrValue pixels(int first, int count) {
  std::vector<float> values;
  for (int e = first; e < first + count; ++e)
    for (std::int64_t p = 0; p < kPixels; ++p) values.push_back(static_cast<float>(hash64(fmt::format("{} {}", e, p)) % 1000) / 28'000.0f);
  return tensor(DataType::kFloat, Shape({count, kPixels}), values);
}
AttrValue labels(int first, int count) {
  std::vector<std::int64_t> values;
  for (int e = first; e < first + count; ++e) values.push_back(static_cast<std::int64_t>(hash64(fmt::format("label {}", e)) % 10));
  return tensor(DataType::kInt64, Shape({count}), values);
}

void put_data_in(ClientProgram& program, int first, int count) {
  auto graph = std::make_shared<GraphSpec>(*program.graph);
  for (NodeSpec& n : graph->nodes) {
    if (n.name == "x") n = {"x", "Const", n.device, {}, {{"dtype", DataType::kFloat}, {"value", pixels(first, count)}}};
    if (n.name.ends_with("/truncated_normal/stddev")) n.attrs.set("value", tensor<float>(DataType::kFloat, Shape(), {0.0f}));  // each job would draw its own first values
    if (n.name == "y") n = {"y", "Const", n.device, {}, {{"dtype", DataType::kInt64}, {"value", labels(first, count)}}};
  }
  program.graph = std::move(graph);
  program.feeds.clear();
}

// ---- a cluster that trains, and tells its variables afterwards ----

ClusterSpec cluster_of(int ps, int workers) {
  ClusterSpec c;
  c.hosts.push_back({"host"});
  for (int i = 0; i < ps; ++i) c.tasks.push_back({fmt::format("/job:ps/replica:0/task:{}", i), HostId{0u}, 0, {}});
  for (int i = 0; i < workers; ++i) c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", i), HostId{0u}, 0, {}});
  return c;
}

class Cluster {
 public:
  Cluster(int ps, std::vector<ClientProgram> programs) : spec_(cluster_of(ps, static_cast<int>(programs.size()))), programs_(std::move(programs)), world_(spec_, {}, 1, names_, [](Nanos, const Event&) {}), directory_(world_, infos()) {
    for (std::size_t t = 0; t < spec_.tasks.size(); ++t) directory_.start(TaskId{t}, std::make_unique<Worker>(directory_, TaskId{t}, WorkerOptions{.values_up_to = std::int64_t{1} << 40}));
    for (std::size_t w = 0; w < programs_.size(); ++w) clients_.push_back(std::make_unique<TrainingClient>(directory_, TaskId{static_cast<std::size_t>(ps) + w}, programs_[w], options(), nullptr));
  }

  void train() {
    for (const auto& c : clients_) c->start();
    world_.run([this] { return std::ranges::all_of(clients_, [](const auto& c) { return c->is_finished(); }); });
    for (const auto& c : clients_) EXPECT_EQ(c->outcome(), absl::OkStatus());
    for (const auto& c : clients_) EXPECT_EQ(c->steps(), kSteps);
  }

  std::vector<float> read(const std::string& fetch) {
    StatusOr<std::vector<TensorRef>> got;
    std::unique_ptr<MasterSession> session;
    MasterSession::create(directory_, find_task(spec_, "/job:worker/replica:0/task:0"), programs_[0].graph, {}, [&](auto s) {
      session = *std::move(s);
      session->run({}, {fetch}, {}, Purpose::other, [&](auto fetched) { got = std::move(fetched); });
    });
    world_.run([] { return false; });
    EXPECT_TRUE(got.ok()) << got.status();
    const auto values = (*got)[0]->as<float>();
    return {values.begin(), values.end()};
  }

 private:
  static TrainOptions options() {
    TrainOptions o;
    o.steps = kSteps;
    o.joins_gate = false;
    o.recovery_wait = 1'000'000;  // the others look for the model again soon
    return o;
  }
  std::vector<TaskInfo> infos() const {
    std::vector<TaskInfo> infos;
    for (const TaskSpec& t : spec_.tasks) infos.push_back({t.name, device_names(t), hash64(t.name) | 1});
    return infos;
  }

  ClusterSpec spec_;
  std::vector<ClientProgram> programs_;
  NameTable names_;
  World world_;
  Directory directory_;
  std::vector<std::unique_ptr<TrainingClient>> clients_;
};

std::vector<ClientProgram> built(const std::string& graph, const JobPlan& plan) {
  const auto recorded = load_program(graph, std::string(TARRY_SOURCE_DIR) + "/scenarios/graphs", {});
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  auto job = build_job(*recorded, plan);
  EXPECT_TRUE(job.ok()) << job.status();
  return *std::move(job);
}

struct Variables {
  std::vector<float> kernel, bias;
};
Variables trained(Cluster cluster, bool is_resource) {
  cluster.train();
  const std::string read = is_resource ? "/Read/ReadVariableOp:0" : "/read:0";
  return {cluster.read("softmax/kernel" + read), cluster.read("softmax/bias" + read)};
}

float farthest(const std::vector<float>& a, const std::vector<float>& b) {
  float most = a.size() == b.size() && !a.empty() ? 0 : 1e9f;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

class Values : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Softmax, Values, testing::Values("softmax_async_ps1_task0", "softmax_async_res_ps2_task1"));

TEST_P(Values, of_synchronous_training_are_those_of_one_worker_with_all_examples) {
  const bool is_resource = std::string(GetParam()).find("_res_") != std::string::npos;
  auto together = built(GetParam(), {.workers = kWorkers, .ps = 2, .num_tokens = 0});
  for (int w = 0; w < kWorkers; ++w) put_data_in(together[static_cast<std::size_t>(w)], w * kExamples, kExamples);
  auto alone = built(GetParam(), {.protocol = Protocol::asynchronous, .workers = 1, .ps = 1});
  put_data_in(alone[0], 0, kWorkers * kExamples);
  const Variables parallel = trained(Cluster(2, together), is_resource), sequential = trained(Cluster(1, alone), is_resource);
  EXPECT_LT(farthest(parallel.kernel, sequential.kernel), 1e-5f);
  EXPECT_LT(farthest(parallel.bias, sequential.bias), 1e-5f);
  EXPECT_GT(farthest(parallel.bias, std::vector<float>(10, 0.0f)), 1e-2f) << "nothing was learnt";
}

}  // namespace
}  // namespace tarry
