// The critical paths of what ships: their parts add up to the time exactly, and lead to what scenarios are about.

#include <gtest/gtest.h>

#include "results/critical_path.hpp"
#include "results/sound_path.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

Outcome run_with_causes(const std::string& name) {
  Job job = job_for(shipped(name)).value();
  job.keep_causes = true;
  return run_apart(job).value();
}

class CriticalPaths : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenario, CriticalPaths, ::testing::ValuesIn(case_names(kCases)),
                         [](const auto& info) { return info.param; });

TEST_P(CriticalPaths, add_up_to_the_time_of_the_run_and_of_every_aggregate_and_change_nothing) {
  const Outcome o = run_with_causes(GetParam());
  EXPECT_EQ(o.log.hash(), run_apart(job_for(shipped(GetParam())).value())->log.hash());
  std::vector<PathEnds> all;
  if (const auto run = ends_of_run(o.log)) all.push_back(*run);
  for (std::int64_t n = 1; n <= 20; ++n)
    if (const auto aggregate = ends_of_aggregate(o.log, n)) all.push_back(*aggregate);
  for (std::size_t t = 0; t < o.tasks.names.size(); ++t)
    if (const auto step = ends_of_step(o.log, TaskId{t}, 2)) all.push_back(*step);
  for (const PathEnds& ends : all) EXPECT_EQ(what_is_wrong(critical_path(o.log, o.causes, ends), o.log), "");
}

// Of the path of the whole run: the kind and the name with the most time, and its share in percent.
std::string most(const std::string& name) {
  const Outcome o = run_with_causes(name);
  const CriticalPath path = critical_path(o.log, o.causes, ends_of_run(o.log).value());
  const PathSum first = sums(path, o.log, o.tasks).front();
  return fmt::format("{}: {}, {} %", row_of(first.kind).name, first.who, 100 * first.time / (path.to - path.from));
}

TEST(CriticalPathOf, a_job_with_a_slow_worker_is_that_worker_s_computing) {
  EXPECT_EQ(most("082_slow_counts"), "computing: SparseSoftmaxCrossEntropyWithLogits on worker 3, 99 %");
}

TEST(CriticalPathOf, a_job_whose_workers_are_far_away_is_latency) {
  EXPECT_EQ(most("010_uneven_ps"), "latency: ps 0 to worker 2, 46 %");
}

}  // namespace
}  // namespace tarry
