// Runs of a job that take its graphs from earlier runs.

#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

std::string hash_of_run(Job& job, std::uint64_t seed, KnownJob* known) {
  job.seed = seed;
  return to_string(run_here(job, known).log.hash());
}

// Incarnations, and with them the keys of all transfers, are drawn anew with each seed; a process that begins again has
// new ones within a run. Kernels remember what they gave out in other runs.
class KnownJobs : public testing::TestWithParam<const char*> {};

TEST_P(KnownJobs, a_run_that_finds_its_graphs_ready_is_the_run_that_makes_them) {
  Job job = job_for(shipped(GetParam())).value();
  KnownJob known;
  for (const std::uint64_t seed : {1, 2, 1, 3})
    EXPECT_EQ(hash_of_run(job, seed, &known), hash_of_run(job, seed, nullptr)) << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Scenarios, KnownJobs,
                         testing::Values("010_uneven_ps", "022_gpu_out_of_memory", "040_worker_dies",
                                         "047_chief_dies_checkpoint", "048_ps_dies", "055_async_worker_dies",
                                         "064_handwritten_sparse", "066_stale_sync"));

TEST(KnownJobs, what_a_run_found_out_is_kept_for_each_client) {
  Job job = job_for(shipped("010_uneven_ps")).value();
  KnownJob known;
  (void)hash_of_run(job, 1, &known);
  for (const ClientJob& client : job.clients) EXPECT_TRUE(known.keeps(client.program.graph.get()));
}

// ---- clients that have one graph ----

// The same job, but each client has a graph of its own.
Job with_own_graphs(Job job) {
  for (ClientJob& c : job.clients) {
    c.program.graph = std::make_shared<const GraphSpec>(own_graph(c.program));
    c.program.written_for.clear();
  }
  return job;
}

// How many graphs, and parts of graphs by task, a run makes.
std::size_t graphs_made(Job job) {
  KnownJob known;
  (void)hash_of_run(job, 1, &known);
  return known.size();
}

class SharedGraphs : public testing::TestWithParam<const char*> {};

TEST_P(SharedGraphs, workers_that_share_one_run_as_workers_that_each_have_their_own) {
  Job job = job_for(shipped(GetParam())).value(), apart = with_own_graphs(job);
  EXPECT_EQ(hash_of_run(job, 3, nullptr), hash_of_run(apart, 3, nullptr));
  for (Job* j : {&job, &apart})
    for (ClientJob& c : j->clients) c.options.session.device_filters.clear();
  EXPECT_EQ(hash_of_run(job, 3, nullptr), hash_of_run(apart, 3, nullptr)) << "each client sees all tasks";
}

TEST_P(SharedGraphs, a_graph_is_made_for_the_chief_and_one_for_all_others) {
  const Job job = job_for(shipped(GetParam())).value();
  const std::size_t clients = job.clients.size();
  EXPECT_LT(graphs_made(job) * clients, graphs_made(with_own_graphs(job)) * 3);
}

INSTANTIATE_TEST_SUITE_P(Scenarios, SharedGraphs,
                         testing::Values("059_async8", "073_waits_for_all", "093_short_job",
                                         "098_ps_restarted_checkpoint", "107_narrow_trunks", "110_grpc",
                                         "015_workers64_backup4"));

TEST(KnownJobs, a_run_that_computes_larger_values_finds_out_anew) {
  Job job = job_for(shipped("010_uneven_ps")).value();
  KnownJob known;
  for (const std::int64_t largest : {0, 4096}) {
    job.values_up_to = largest;
    EXPECT_EQ(hash_of_run(job, 1, &known), hash_of_run(job, 1, nullptr)) << "values up to " << largest;
  }
}

}  // namespace
}  // namespace tarry
