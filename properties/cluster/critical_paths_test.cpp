// Critical paths of clusters drawn at random, with and without faults: their parts add up to the time exactly.

#include <gtest/gtest.h>

#include "properties/cluster/clusters.hpp"
#include "results/sound_path.hpp"
#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

// The path of the run of a drawn cluster, and how many there were.
void expect_sound_path(std::uint64_t number, std::size_t& paths) {
  Random random = random_of_case(1, number);
  const DrawnCluster cluster = draw_cluster(random);
  if (cluster.nic > 0) return;  // flows need a process of their own; what ships has them
  Job job = job_for(scenario_of(cluster, "a job").value()).value();
  job.keep_causes = true;
  const Outcome o = run_here(job);
  const auto ends = ends_of_run(o.log);
  if (!ends) return;
  EXPECT_EQ(what_is_wrong(critical_path(o.log, o.causes, *ends), o.log), "") << "cluster " << number;
  ++paths;
}

TEST(DrawnCriticalPaths, add_up_to_the_time_of_the_run) {
  std::size_t paths = 0;
  for (std::uint64_t n = 0; n < 300; ++n) expect_sound_path(n, paths);
  EXPECT_GT(paths, 150u);
}

TEST(DrawnCriticalPaths, DISABLED_of_thousands_add_up_to_the_time_of_the_run) {
  std::size_t paths = 0;
  for (std::uint64_t n = 0; n < 10'000; ++n) expect_sound_path(n, paths);
  EXPECT_GT(paths, 5'000u);
}

}  // namespace
}  // namespace tarry
