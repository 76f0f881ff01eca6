// Hunts for faults that break a job.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/hunt.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

struct Hunted {
  Scenario scenario;
  Job job;
  explicit Hunted(const std::string& name) : scenario(shipped(name)), job() {
    scenario.faults.clear();
    job = job_for(scenario).value();
  }
  [[nodiscard]] ClusterHunt with(std::vector<std::string> verdicts, std::uint64_t runs) const {
    return {.job = job, .verdicts = std::move(verdicts), .runs = runs};
  }
};

// ---- schedules ----

TEST(Schedules, of_one_number_are_the_same_and_of_many_use_every_kind_and_every_sort_of_moment) {
  const Hunted h("040_worker_dies");
  const Course course = course_of(run_here(h.job));
  EXPECT_EQ(course.time, *h.job.stop.time);
  EXPECT_GT((course.moments.at({Moment::pushed, TaskId{1u}})), 3);
  std::set<std::size_t> kinds;
  std::set<Moment> moments;
  std::size_t timed = 0, most = 0;
  for (std::uint64_t n = 0; n < 500; ++n) {
    Random random = random_of_case(1, n), again = random_of_case(1, n);
    const Schedule s = draw_schedule(h.job.cluster, course, 4, random);
    EXPECT_EQ(s, draw_schedule(h.job.cluster, course, 4, again));
    most = std::max(most, s.faults.size());
    for (const Fault& f : s.faults) {
      kinds.insert(f.what.index());
      if (const auto* t = std::get_if<Trigger>(&f.when)) moments.insert(t->moment);
      timed += std::holds_alternative<Nanos>(f.when) ? 1 : 0;
    }
    const auto read = parse_faults(faults_line(s.faults, h.job.cluster), h.scenario);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(*read, s.faults);
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<FaultKinds>);
  EXPECT_EQ(moments.size(), std::size(kMoments));
  EXPECT_GT(timed, 100u);
  EXPECT_EQ(most, 4u);
}

TEST(Schedules, become_smaller_until_nothing_is_left) {
  Schedule s;
  for (Nanos at = 1; at <= 5; ++at) s.faults.push_back({at, Kill{TaskId{0u}}});
  std::vector<std::size_t> sizes;
  for_each_smaller(s, [&](const Schedule& smaller) { return sizes.push_back(smaller.faults.size()), false; });
  EXPECT_THAT(std::vector(sizes.begin(), sizes.begin() + 8), testing::ElementsAre(2, 3, 4, 4, 4, 4, 4, 5));
  const auto down = shrink_greedily(
      s, [](const Schedule&) { return true; }, 1'000);
  EXPECT_TRUE(down.smallest.faults.empty());
}

// ---- hunts ----

TEST(HuntCluster, finds_the_death_that_hangs_a_synchronous_job_and_shrinks_it_to_one_fault) {
  const Hunted h("040_worker_dies");
  const ClusterHunt what = h.with({"stuck"}, 200);
  const auto report = hunt(what);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_TRUE(report->counterexample);
  const ClusterFinding& f = *report->counterexample;
  EXPECT_EQ(f.shrunk.smallest.faults.size(), 1u);
  EXPECT_EQ(f.checked, 1u);
  EXPECT_EQ(report->runs, f.number + 1);
  Job again = h.job;
  again.faults = f.shrunk.smallest.faults;
  EXPECT_EQ(run_here(again).log.hash(), f.broken.hash);
  EXPECT_FALSE(try_schedule(what, Schedule()).value());
}

TEST(HuntCluster, tells_the_same_of_every_run_whether_it_shares_what_does_not_depend_on_faults_or_not) {
  const Hunted h("035_backup");
  ClusterHunt what = h.with({"stuck", "failed", "progress_lost", "stalled", "went_on"}, 30);
  what.keep_going = true;
  const auto shared = hunt(what);
  ASSERT_TRUE(shared.ok()) << shared.status();
  const Course course = course_of(run_here(h.job));
  std::map<std::string, std::vector<std::uint64_t>> alone;
  for (std::uint64_t n = 0; n < 30; ++n) {
    Random random = random_of_case(1, n);
    const auto broken = try_schedule(what, draw_schedule(h.job.cluster, course, 4, random)).value();
    if (broken) alone[broken->verdict.kind].push_back(n);
  }
  EXPECT_EQ(shared->broken, alone);
  EXPECT_FALSE(alone.empty());
}

TEST(HuntCluster, finds_nothing_where_nothing_is_drawn_and_refuses_a_job_that_is_broken_already) {
  const Hunted h("040_worker_dies");
  const auto none = hunt(h.with({"stuck"}, 0));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->runs, 0u);
  EXPECT_FALSE(none->counterexample);
  const Hunted hangs("034_absent_no_tokens");
  EXPECT_THAT(std::string(text_of(hunt(hangs.with({"stuck"}, 5)).status())),
              testing::HasSubstr("the job gets the verdict stuck without any fault"));
}

}  // namespace
}  // namespace tarry
