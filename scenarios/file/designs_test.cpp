#include "scenarios/file/designs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<WhatIf> designs_of(const std::string& job) {
  const auto s = parse_scenario(
      "title: t\ncluster:\n  hosts: [server, host0, host1]\n"
      "  tasks: {ps/0: server, worker/0: host0, worker/1: host1}\n" +
          job + "\nstop: {time: 1s}\n",
      "s.yaml");
  return other_designs(s.value(), {kGraphs, false, {}}).value();
}

std::vector<Cause> causes(const std::vector<WhatIf>& all) {
  std::vector<Cause> out;
  for (const WhatIf& w : all) out.push_back(w.proof.cause);
  return out;
}

TEST(Designs, of_a_synchronous_job_are_without_tokens_with_a_backup_and_with_one_more_server) {
  const auto all = designs_of("build: {graph: softmax_async_ps1_task0}");
  ASSERT_THAT(causes(all), ElementsAre(Cause::tokens, Cause::replicas, Cause::servers));
  EXPECT_EQ(all[0].job.clients[0].options.num_tokens, 0);
  EXPECT_EQ(all[1].job.clients[0].program.sync->replicas_to_aggregate, 1);
  EXPECT_EQ(all[2].job.cluster.tasks.back().name, "/job:ps/replica:0/task:1");
  EXPECT_EQ(all[2].job.cluster.tasks.back().host, HostId{3u});
}

TEST(Designs, are_not_those_that_the_job_has_already) {
  EXPECT_THAT(causes(designs_of("build: {graph: softmax_async_ps1_task0, num_tokens: 0, replicas_to_aggregate: 1}")),
              ElementsAre(Cause::servers));
  EXPECT_THAT(causes(designs_of("build: {graph: softmax_async_ps1_task0}\ntraining: {num_tokens: 0}")),
              ElementsAre(Cause::replicas, Cause::servers));
}

TEST(Designs, of_a_job_with_several_chiefs_are_one_of_them_alone) {
  const auto all = designs_of("build: {graph: softmax_async_ps1_task0, chiefs: 2}");
  ASSERT_THAT(causes(all), ElementsAre(Cause::chiefs, Cause::tokens, Cause::replicas, Cause::servers));
  EXPECT_TRUE(all[0].job.clients[0].program.is_chief);
  EXPECT_FALSE(all[0].job.clients[1].program.is_chief);
}

TEST(Designs, of_an_asynchronous_job_are_one_more_server_and_of_programs_none) {
  EXPECT_THAT(causes(designs_of("build: {graph: softmax_async_ps1_task0, protocol: async}")),
              ElementsAre(Cause::servers));
  EXPECT_THAT(designs_of("programs: [{task: worker/0, graph: softmax_async_ps1_task0}]"), IsEmpty());
}

}  // namespace
}  // namespace tarry
