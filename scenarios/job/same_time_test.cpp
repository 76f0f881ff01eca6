// A network is not told again beside the card or the path that makes it slow.

#include "scenarios/job/same_time.hpp"

#include <gmock/gmock.h>

#include "results/verdict.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

constexpr Nanos kStepTime = 100'000'000;
constexpr std::uint64_t kSlowCard = 100'000, kWideCard = 100'000'000;  // of which the model takes 0.3 s, and 0.3 ms

// Three synchronous workers with steps of 0.1 s, and a server.
Job three_of_cards(std::uint64_t bandwidth) {
  Job job;
  job.cluster.network.engine = FlowsBy::shared;
  for (std::size_t h = 0; h < 4; ++h) {
    job.cluster.hosts.push_back({.name = fmt::format("host{}", h), .nic_bandwidth = bandwidth});
    const std::string name = h == 0 ? "ps/replica:0/task:0" : fmt::format("worker/replica:0/task:{}", h - 1);
    job.cluster.tasks.push_back({"/job:" + name, HostId{h}});
  }
  for (std::size_t w = 0; w < 3; ++w) {
    TrainOptions options;
    options.num_tokens = 0;
    options.session.device_filters = {"/job:ps", fmt::format("/job:worker/task:{}", w)};
    job.clients.push_back(
        {TaskId{w + 1}, shipped_program(fmt::format("sync_softmax_w3_r3_ps1_task{}", w), {.batch = 4}), options});
  }
  job.costs.rules = {{.op = "SparseSoftmaxCrossEntropyWithLogits", .amount = Constant{kStepTime}}};
  job.stop.aggregates = 20;
  return job;
}

std::vector<std::string> told_of(const Job& job) {
  const Outcome o = run_apart(job).value();
  std::vector<std::string> kinds;
  for (const Verdict& v : judge(o.log, read_contributions(o.log), o.tasks, prove(job, o).value()))
    kinds.push_back(v.kind);
  return kinds;
}

TEST(SameTime, is_that_of_a_slow_card_and_of_the_network) {
  Job job = three_of_cards(kWideCard);
  EXPECT_THAT(told_of(job), ElementsAre("fair"));
  job.cluster.hosts[3].nic_bandwidth = kSlowCard;
  EXPECT_THAT(told_of(job), ElementsAre("slow_card", "fair"));
}

TEST(SameTime, is_that_of_two_slow_cards_together_and_of_the_network) {
  Job job = three_of_cards(kWideCard);
  job.cluster.hosts[2].nic_bandwidth = job.cluster.hosts[3].nic_bandwidth = kSlowCard;
  EXPECT_THAT(told_of(job), ElementsAre("slow_card", "fair"));
}

TEST(SameTime, is_not_that_of_a_slow_card_in_a_network_that_is_slow_for_all) {
  Job job = three_of_cards(10 * kSlowCard);
  job.cluster.hosts[3].nic_bandwidth = kSlowCard;
  EXPECT_THAT(told_of(job), ElementsAre("slow_card", "network_bound", "fair"));
}

TEST(SameTime, is_that_of_a_far_worker_and_of_latency) {
  Job job = three_of_cards(kWideCard);
  set_link(job.cluster.network, HostId{0u}, HostId{2u}, {.latency = kStepTime});
  EXPECT_THAT(told_of(job), ElementsAre("far", "fair"));
  job.cluster.network.between_hosts.latency = kStepTime / 4;
  EXPECT_THAT(told_of(job), ElementsAre("far", "latency_bound", "fair"));
}

TEST(SameTime, is_that_of_a_narrow_path_and_of_the_network) {
  Job job = three_of_cards(kWideCard);
  set_link(job.cluster.network, HostId{0u}, HostId{2u}, {.bandwidth = kSlowCard});
  EXPECT_THAT(told_of(job), ElementsAre("far", "fair"));
}

}  // namespace
}  // namespace tarry
