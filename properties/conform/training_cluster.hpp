// For tests of what built jobs compute: a small cluster whose clients train with real values, and whose variables can
// be read afterwards.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "placer/core/hash.hpp"
#include "scenarios/job/shipped_graphs.hpp"
#include "sim/world.hpp"
#include "workers/train/build/job_plan.hpp"
#include "workers/train/training_client.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {

inline constexpr int kSteps = 5;  // training steps of each client

// A constant's value.
template <class T>
AttrValue tensor_value(DataType type, Shape shape, const std::vector<T>& values) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = type;
  t->shape = std::move(shape);
  t->content.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return std::shared_ptr<const TensorSpec>(std::move(t));
}

inline ClusterSpec training_cluster_of(int ps, int workers, std::size_t gpus = 0) {
  ClusterSpec c;
  c.hosts.push_back({"host"});
  for (int i = 0; i < ps; ++i) c.tasks.push_back({fmt::format("/job:ps/replica:0/task:{}", i), HostId{0u}, 0, {}});
  for (int i = 0; i < workers; ++i) {
    c.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", i), HostId{0u}, 0, {}});
    c.tasks.back().gpus.resize(gpus);
  }
  return c;
}

class TrainingCluster {
 public:
  // Starts one client per program, at the first workers.
  TrainingCluster(int ps, int workers, std::vector<ClientProgram> programs, std::size_t gpus = 0)
      : spec_(training_cluster_of(ps, workers, gpus)),
        programs_(std::move(programs)),
        world_(spec_, {}, 1, names_, [](Nanos, const Event&) {}),
        directory_(world_, infos()) {
    for (std::size_t t = 0; t < spec_.tasks.size(); ++t)
      directory_.start(TaskId{t}, std::make_unique<Worker>(directory_, TaskId{t},
                                                           WorkerOptions{.values_up_to = std::int64_t{1} << 40}));
    for (std::size_t w = 0; w < programs_.size(); ++w)
      clients_.push_back(std::make_unique<TrainingClient>(directory_, TaskId{static_cast<std::size_t>(ps) + w},
                                                          programs_[w], options(), nullptr));
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
    MasterSession::create(directory_, find_task(spec_, "/job:worker/replica:0/task:0"), {programs_[0].graph},
                          {.soft_placement = true}, [&](auto s) {
                            session = *std::move(s);
                            session->run({}, {fetch}, {}, Purpose::other,
                                         [&](auto fetched) { got = std::move(fetched); });
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
    o.session.soft_placement = true;
    o.joins_gate = false;
    o.recovery_wait = 1'000'000;  // non-chiefs check for the model again soon
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

inline float farthest(const std::vector<float>& a, const std::vector<float>& b) {
  float most = a.size() == b.size() && !a.empty() ? 0 : 1e9f;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

inline std::vector<ClientProgram> built_programs(const std::string& graph, const JobPlan& plan) {
  const auto recorded = load_program(graph, std::string(TARRY_SOURCE_DIR) + "/scenarios/graphs", {});
  EXPECT_TRUE(recorded.ok()) << recorded.status();
  auto job = build_job(*recorded, plan);
  EXPECT_TRUE(job.ok()) << job.status();
  return *std::move(job);
}

}  // namespace tarry
