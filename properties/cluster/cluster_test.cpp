// Hunts for faults that break a job.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/read.hpp"
#include "properties/cluster/decisive.hpp"
#include "properties/cluster/hunted.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

// ---- schedules ----

// Every kind is possible and every moment comes: the workers have GPUs, the chief saves and takes its
// time to initialise, and there are tokens to spare.
Hunted with_all_that_faults_need() {
  Hunted h("040_worker_dies", kNeverStuck);
  h.scenario.training.save_steps = 5;
  h.scenario.training.soft_placement = true;
  h.scenario.training.num_tokens.reset();
  h.scenario.costs.rules.push_back({.node = "*kernel/Assign", .amount = Constant{kSecond}});  // others find no model
  for (TaskSpec& t : h.scenario.cluster.tasks)
    if (t.name.starts_with("/job:worker")) t.gpus.resize(2);
  h.job = job_for(h.scenario).value();
  return h;
}

template <class K>
constexpr bool kNeedsGpu = requires(K k) {
  k.index;
};

TEST(Schedules, of_a_cluster_without_gpus_have_no_faults_of_gpus) {
  const Hunted h("040_worker_dies", kNeverStuck);
  std::size_t drawn = 0;
  for (std::uint64_t n = 0; n < 200; ++n) {
    Random random = random_of_case(1, n);
    for (const Fault& f : draw_schedule(h.job.cluster, {.time = kSecond, .moments = {}}, 4, random).faults) {
      EXPECT_FALSE(std::visit([]<class K>(const K&) { return kNeedsGpu<K>; }, f.what));
      ++drawn;
    }
  }
  EXPECT_GT(drawn, 200u);
}

TEST(Schedules, name_only_gpus_that_their_tasks_have) {
  const Hunted h = with_all_that_faults_need();
  std::set<std::int64_t> gpus;
  for (std::uint64_t n = 0; n < 200; ++n) {
    Random random = random_of_case(1, n);
    for (const Fault& f : draw_schedule(h.job.cluster, {.time = kSecond, .moments = {}}, 4, random).faults)
      std::visit(
          [&](const auto& what) {
            EXPECT_EQ(problem_of(what, h.job.cluster), "");
            if constexpr (requires { what.index; }) gpus.insert(what.index.value);
          },
          f.what);
  }
  EXPECT_THAT(gpus, testing::ElementsAre(0, 1));
}

TEST(Schedules, of_one_number_are_the_same_and_of_many_use_every_kind_and_every_sort_of_moment) {
  const Hunted h = with_all_that_faults_need();
  const Course course = course_of(run_here(h.job));
  EXPECT_EQ(course.time, *h.job.stop.time);
  EXPECT_GT((course.moments.at({Moment::pushed, TaskId{1u}}).size()), 3u);
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

TEST(HuntCluster, runs_its_share_twice_and_tells_where_two_runs_differ) {
  Hunted h("040_worker_dies", {});
  h.job.planted = PlantedClusterBug::unsteady;
  ClusterHunt settings = h.with(StrategyKind::random, 60);
  const auto found = hunt(settings);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->findings.size(), 1u);
  const ClusterFinding& f = found->findings[0];
  EXPECT_EQ(f.number, 19u);  // the first of one in twenty
  EXPECT_EQ(f.broken.property, "determinism");
  EXPECT_THAT(f.broken.text, testing::HasSubstr("ns in the second run. In the first:"));
  settings.check_share = 0;
  EXPECT_TRUE(hunt(settings)->findings.empty());
  h.job.planted = PlantedClusterBug::none;
  settings.check_share = 100;
  EXPECT_TRUE(hunt(settings)->findings.empty());
}

TEST(HuntCluster, says_what_is_left_only_where_there_is_an_end) {
  const Hunted h("055_async_worker_dies", {});
  EXPECT_EQ(hunt(h.with(StrategyKind::random, 16))->left, 0u);
  EXPECT_GT(hunt(h.with(StrategyKind::sweep, 16))->left, 1'000u);
}

TEST(HuntCluster, finds_the_death_that_hangs_a_synchronous_job_and_shrinks_it_to_one_fault) {
  const Hunted h("040_worker_dies", kNeverStuck);
  for (const StrategyText& s : strategies()) {
    const auto report = hunt(h.with(s.kind, 300));
    ASSERT_TRUE(report.ok()) << report.status();
    ASSERT_EQ(report->findings.size(), 1u) << s.key;
    const ClusterFinding& f = report->findings[0];
    EXPECT_EQ(f.shrunk.smallest.faults.size(), 1u);
    EXPECT_EQ(f.checked, 1u);
    EXPECT_EQ(report->runs, f.number + 1);
    Job again = h.job;
    again.faults = f.shrunk.smallest.faults;
    EXPECT_EQ(run_here(again).log.hash(), f.hash);
  }
}

// And whether runs share what does not depend on faults or not.
TEST(HuntCluster, finds_the_same_however_many_processes_look) {
  const Hunted h("035_backup", {.progress = 4 * kSecond, .never = {"stuck", "failed"}});
  ClusterHunt what = h.with(StrategyKind::portfolio, 70);
  what.keep_going = true;
  what.most_shrinks = 40;
  const auto one = hunt(what);
  what.processes = 3;
  const auto three = hunt(what);
  ASSERT_TRUE(one.ok() && three.ok()) << one.status() << three.status();
  EXPECT_EQ(one->broken, three->broken);
  EXPECT_EQ(one->features, three->features);
  EXPECT_GT(one->findings.size(), 1u);
  ASSERT_EQ(one->findings.size(), three->findings.size());
  for (std::size_t i = 0; i < one->findings.size(); ++i) {
    EXPECT_EQ(one->findings[i].hazard, three->findings[i].hazard);
    EXPECT_EQ(one->findings[i].runs, three->findings[i].runs);
    EXPECT_EQ(one->findings[i].hash, three->findings[i].hash);
    EXPECT_EQ(one->findings[i].shrunk.smallest, three->findings[i].shrunk.smallest);
    EXPECT_EQ(one->findings[i].shrunk.tried, three->findings[i].shrunk.tried);
    EXPECT_EQ(one->findings[i].verdicts, three->findings[i].verdicts);
    Trials alone(h.job, h.must);
    ASSERT_TRUE(alone.look_without_faults().ok());
    EXPECT_EQ(alone.run(one->findings[i].shrunk.smallest)->hash, one->findings[i].hash);
  }
}

TEST(HuntCluster, goes_past_what_is_known) {
  const Hunted h("040_worker_dies", kNeverStuck);
  ClusterHunt what = h.with(StrategyKind::portfolio, 300);
  const std::string first = hunt(what)->findings.at(0).hazard;
  what.known = {first};
  const auto report = hunt(what);
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_NE(report->findings[0].hazard, first);
  EXPECT_GT(report->known, 0u);
}

TEST(HuntCluster, ends_when_its_time_is_up) {
  const Hunted h("040_worker_dies", {.throughput = Share{0}});
  ClusterHunt what = h.with(StrategyKind::random, 1'000'000);
  std::uint64_t ran = 0;
  what.is_time_up = [&] { return ran > 20; };
  const auto report = hunt(what, [&](std::uint64_t done) { ran = done + 1; });
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->runs, 20u);
  EXPECT_EQ(report->left, 0u);  // random has no end
}

TEST(HuntCluster, finds_nothing_where_nothing_is_drawn_and_refuses_a_job_that_is_broken_already) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const auto none = hunt(h.with(StrategyKind::random, 0));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->runs, 0u);
  EXPECT_TRUE(none->findings.empty());
  const Hunted hangs("034_absent_no_tokens", kNeverStuck);
  EXPECT_THAT(std::string(text_of(hunt(hangs.with(StrategyKind::random, 5)).status())),
              testing::HasSubstr("the job breaks 'never stuck' without any fault"));
}

// ---- decisive moments ----

TEST(DecisiveMoments, are_found_where_the_fault_happens_that_hangs_the_job) {
  const Hunted h("040_worker_dies", kNeverStuck);
  Trials trials(h.job, h.must);
  ASSERT_TRUE(trials.look_without_faults().ok());
  ClusterFinding f;
  f.shrunk.smallest = {{{20 * kSecond, Kill{TaskId{3u}}}}};
  f.broken = trials.run(f.shrunk.smallest)->broken.at(0);
  const auto moment = decisive_moment(trials, f, {.most_faults = 1});
  ASSERT_TRUE(moment.ok()) << moment.status();
  EXPECT_EQ(moment->curve.size(), 10u);
  EXPECT_TRUE(std::ranges::is_sorted(moment->curve, {}, &Fate::at));
  EXPECT_GT(moment->curve.back().broken, moment->curve.back().runs * 3 / 4);  // a later fault may bring it back
  EXPECT_LT(moment->curve.front().broken, moment->curve.front().runs / 2);
  EXPECT_EQ(moment->to, 20 * kSecond);
  EXPECT_GT(moment->from, 19 * kSecond);
  EXPECT_THAT(moment->events, testing::Contains(testing::HasSubstr("worker 2: its process ends")));
}

// ---- a limit of time ----

// Finds what the portfolio finds first, when the time is up after so many runs, and then after so many tries.
ClusterReport found_until(const Hunted& h, std::uint64_t runs, std::uint64_t tries, std::uint64_t all = 60) {
  ClusterHunt what = h.with(StrategyKind::portfolio, all);
  std::uint64_t ran = 0, tried = 0;
  what.watch = [&](std::uint64_t, std::uint64_t so_far) { tried = so_far + 1; };
  what.is_time_up = [&] { return ran > runs || tried > tries; };
  return hunt(what, [&](std::uint64_t done) { ran = done + 1; }).value();
}
constexpr std::uint64_t kNoLimit = 1'000'000;

TEST(TimeLimits, end_shrinking_and_the_finding_says_so) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const ClusterFinding whole = found_until(h, kNoLimit, kNoLimit).findings.at(0);
  EXPECT_FALSE(whole.is_cut_short);
  EXPECT_GT(whole.checked, 0u);
  ASSERT_GT(whole.found.faults.size(), whole.shrunk.smallest.faults.size());
  const ClusterFinding none = found_until(h, kNoLimit, 0).findings.at(0);  // up within the first try
  EXPECT_TRUE(none.is_cut_short);
  EXPECT_EQ(none.shrunk.smallest, none.found);
  EXPECT_EQ(none.checked, 0u);
  const ClusterFinding some = found_until(h, kNoLimit, 2).findings.at(0);
  EXPECT_TRUE(some.is_cut_short);
  EXPECT_LT(some.shrunk.tried, whole.shrunk.tried);
}

TEST(TimeLimits, give_up_the_run_that_is_under_way) {
  const Hunted h("040_worker_dies", kNeverStuck);
  EXPECT_EQ(found_until(h, 0, kNoLimit).runs, 0u);
  Trials trials(h.job, h.must);
  ASSERT_TRUE(trials.look_without_faults().ok());
  int asked = 0;
  const auto given_up = trials.run({}, {.is_time_up = [&] { return ++asked > 1; }});
  EXPECT_TRUE(is_given_up(given_up.status())) << given_up.status();
  EXPECT_LT(asked, 6);  // soon after the answer that it is
  EXPECT_TRUE(trials.run({}, {.is_time_up = [] { return false; }}).ok());
}

TEST(TimeLimits, leave_no_finding_untold) {
  const Hunted h("040_worker_dies", kNeverStuck);
  const std::uint64_t first = found_until(h, kNoLimit, kNoLimit).findings.at(0).number;
  const ClusterReport cut = found_until(h, first + 1, kNoLimit);  // up in the run after the one that breaks it
  ASSERT_EQ(cut.findings.size(), 1u);
  EXPECT_EQ(cut.findings[0].shrunk.smallest, cut.findings[0].found);
}

TEST(TimeLimits, are_watched_while_a_finding_is_shrunk) {
  const Hunted h("040_worker_dies", kNeverStuck);
  ClusterHunt what = h.with(StrategyKind::portfolio, 60);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> seen;
  what.watch = [&](std::uint64_t run, std::uint64_t tried) { seen.emplace_back(run, tried); };
  const ClusterFinding f = hunt(what).value().findings.at(0);
  ASSERT_EQ(seen.size(), f.shrunk.tried);
  EXPECT_EQ(seen.back(), std::pair(f.number, f.shrunk.tried - 1));
}

}  // namespace
}  // namespace tarry
