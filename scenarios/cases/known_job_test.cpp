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
