// Clusters drawn at random: what is drawn, what is found on them, and that nothing is found where nothing is planted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "properties/cluster/clusters.hpp"
#include "properties/cluster/planted.hpp"
#include "properties/cluster/saved.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

DrawnCluster drawn(std::uint64_t number, std::uint64_t seed = 1) {
  Random random = random_of_case(seed, number);
  return draw_cluster(random);
}

// ---- what is drawn ----

void expect_same(const TrainingSpec& read, const TrainingSpec& drawn) {
  EXPECT_EQ(read.start, drawn.start);
  EXPECT_EQ(read.queue_runner, drawn.queue_runner);
  EXPECT_EQ(read.device_filters, drawn.device_filters);
  EXPECT_EQ(read.fail_fast, drawn.fail_fast);
  EXPECT_EQ(read.save_steps, drawn.save_steps);
  EXPECT_EQ(read.save_every, drawn.save_every);
}

TEST(DrawnClusters, say_in_their_text_what_was_drawn) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    const DrawnCluster c = drawn(n);
    const Scenario s = scenario_of(c, "a job").value();
    expect_same(s.training, c.training);
    EXPECT_EQ(s.stop, c.stop);
    EXPECT_EQ(s.seed, c.seed);
    EXPECT_EQ(s.build->plan.protocol, c.protocol);
    EXPECT_EQ(s.build->plan.staleness, c.staleness);
    EXPECT_EQ(s.cluster.network.links, c.links);
    EXPECT_EQ(s.cluster.network.between_hosts.latency, c.latency);
    for (std::size_t i = 0; i < c.workers.size(); ++i) {
      const auto it = s.training.workers.find(TaskId{c.ps.size() + i});
      EXPECT_EQ(it == s.training.workers.end() ? ClientSpec() : it->second, c.workers[i].client);
    }
  }
}

TEST(DrawnClusters, are_scenarios_that_the_language_takes_and_jobs_that_can_run) {
  for (std::uint64_t n = 0; n < 300; ++n) {
    const DrawnCluster c = drawn(n);
    const auto scenario = scenario_of(c, title_of(1, n));
    ASSERT_TRUE(scenario.ok()) << scenario.status() << "\n" << scenario_text(c, "");
    ASSERT_EQ(scenario->cluster.tasks.size(), c.ps.size() + c.workers.size());
    EXPECT_EQ(scenario->cluster.tasks[c.ps.size()].name, "/job:worker/replica:0/task:0");
    EXPECT_EQ(scenario->cluster.hosts.size(), c.hosts);
    for (std::size_t i = 0; i < c.workers.size(); ++i)
      EXPECT_EQ(scenario->cluster.tasks[c.ps.size() + i].host.index(), c.workers[i].host);
    EXPECT_EQ(scenario_text(c, ""), scenario_text(drawn(n), ""));
    const auto job = job_for(*scenario);
    EXPECT_TRUE(job.ok()) << job.status() << "\n" << scenario_text(c, "");
  }
}

std::uint64_t least(const Reach& reach, const std::string& group, const std::vector<std::string>& buckets) {
  std::uint64_t all = ~std::uint64_t{0};
  for (const std::string& bucket : buckets) {
    const auto& counts = reach.groups.at(group);
    const auto it = counts.find(bucket);
    EXPECT_NE(it, counts.end()) << group << ": " << bucket;
    all = std::min(all, it == counts.end() ? 0 : it->second);
  }
  return all;
}

TEST(DrawnClusters, reach_what_the_language_has) {
  Reach r;
  for (std::uint64_t n = 0; n < 2'000; ++n) r.note(drawn(n));
  EXPECT_GE(least(r, "workers", {"1", "2", "3", "4", "5", "6", "7", "8"}), 20u);
  EXPECT_GE(least(r, "ps", {"1", "2", "3"}), 200u);
  EXPECT_GE(least(r, "hosts", {"own", "one", "shared"}), 60u);
  EXPECT_GE(least(r, "protocol", {"sync", "sync with backup workers", "async", "stale_sync"}), 150u);
  EXPECT_GE(least(r, "replicas", {"below", "equal", "above"}), 100u);
  EXPECT_GE(least(r, "tokens", {"none", "below", "equal", "above"}), 60u);
  EXPECT_GE(least(r, "costs", {"constant", "normal", "lognormal", "exponential", "uniform", "list"}), 100u);
  EXPECT_GE(least(r, "stop", {"time", "steps", "global_step", "aggregates"}), 100u);
  EXPECT_GE(least(r, "clients", {"absent", "late", "leaves early", "looks first", "own costs"}), 60u);
  EXPECT_GE(least(r, "options",
                  {"old queue runner", "no device filters", "calls wait for tasks", "checkpoints",
                   "links shared by flows", "GPUs", "GPU memory", "few threads"}),
            60u);
  EXPECT_EQ(r.groups.at("graph").size(), 5u);
}

TEST(DrawnClusters, that_save_checkpoints_have_one_spoiled_before_the_chief_begins_anew) {
  std::set<std::string> kinds;
  for (std::uint64_t n = 0; n < 50; ++n) {
    const DrawnCluster c = drawn(n);
    if (!saves_checkpoints(c)) continue;
    Random random = random_of_case(2, n);
    const Schedule s = draw_spoiled_checkpoint(c, 40 * kSecond, random);
    for (const Fault& f : s.faults) {
      kinds.insert(std::visit([]<class K>(const K&) { return std::string(K::kKey); }, f.what));
      EXPECT_LT(std::get<Nanos>(f.when), 30 * kSecond);
    }
    EXPECT_TRUE(std::ranges::is_sorted(s.faults, {}, [](const Fault& f) { return std::get<Nanos>(f.when); }));
  }
  EXPECT_THAT(kinds, testing::ElementsAre("disconnect", "lose_checkpoints", "preempt", "slow_save", "tear_save"));
}

// ---- smaller ones ----

DrawnCase with_fault_of_the_third_worker() {
  DrawnCase c;
  c.cluster.ps = {0, 0};
  c.cluster.workers = {{.host = 1}, {.host = 2}, {.host = 3}, {.host = 4}};
  c.cluster.hosts = 5;
  c.cluster.stop.time = 10 * kSecond;
  c.schedule = {{{Trigger{Moment::pushed, TaskId{4u}}, Preempt{TaskId{4u}, kSecond}},
                 {kSecond, Part{{HostId{0u}, HostId{3u}}, kSecond}}}};
  return c;
}

std::string faults_of(const DrawnCase& c) {
  return faults_line(c.schedule.faults, scenario_of(c.cluster, "a job").value().cluster);
}

TEST(SmallerCases, keep_the_tasks_and_hosts_of_their_faults) {
  const DrawnCase c = with_fault_of_the_third_worker();
  EXPECT_EQ(faults_of(c), "preempt worker/2 back_after=1s after pushed:worker/2; part host0,host3 lasts=1s at 1s");
  std::set<std::string> lines;
  for_each_smaller(c, [&](const DrawnCase& smaller) {
    if (smaller.schedule.faults.size() == 2 && smaller.cluster.hosts < 5) lines.insert(faults_of(smaller));
    EXPECT_TRUE(scenario_of(smaller.cluster, "a job").ok()) << scenario_text(smaller.cluster, "");
    return false;
  });
  // A worker before it is left out, or one after it, or the host of one.
  EXPECT_THAT(lines, testing::Contains(
                         "preempt worker/1 back_after=1s after pushed:worker/1; part host0,host2 lasts=1s at 1s"));
  EXPECT_THAT(lines, testing::Contains(
                         "preempt worker/2 back_after=1s after pushed:worker/2; part host0,host3 lasts=1s at 1s"));
}

TEST(SmallerCases, end_at_the_least_cluster_that_still_fails) {
  for (std::uint64_t n = 0; n < 60; ++n) {
    const DrawnCluster big = drawn(n);
    const auto s = shrink_greedily(
        DrawnCase{big, {}}, [](const DrawnCase& c) { return c.cluster.stop.time.has_value(); }, 10'000);
    DrawnCluster least;
    least.ps = {0}, least.workers = {{.host = 0}}, least.stop.time = kSecond;
    EXPECT_EQ(scenario_text(s.smallest.cluster, ""), scenario_text(least, "")) << n;
  }
}

// ---- campaigns ----

ClustersHunt campaign(std::uint64_t runs, std::uint64_t seed = 1) {
  return {.graphs = kGraphs, .strategy = {.seed = seed}, .runs = runs};
}

std::string told(const ClustersReport& r) {
  std::string out;
  for (const DrawnFinding& f : r.findings)
    out += fmt::format("\n{}: {}\nhash {}, faults: {}\n{}", f.finding.broken.property, f.finding.broken.text,
                       to_string(f.finding.hash), faults_line(f.finding.shrunk.smallest.faults, f.scenario.cluster),
                       scenario_text(f.smallest, f.scenario.title));
  return out;
}

void expect_nothing(const ClustersReport& r) {
  EXPECT_EQ(r.broken, 0u) << told(r);
  EXPECT_TRUE(r.findings.empty());
}

TEST(DrawnCampaign, finds_nothing_where_nothing_is_planted) {
  const auto r = hunt(campaign(1'000));
  ASSERT_TRUE(r.ok()) << r.status();
  expect_nothing(*r);
  EXPECT_EQ(r->runs, 1'000u);
}

// Some minutes.
TEST(DrawnCampaign, DISABLED_finds_nothing_in_a_hundred_thousand_runs_and_reaches_every_mark) {
  ClustersHunt what = campaign(100'000, 20);
  what.keep_going = true;
  what.processes = 2;
  const auto r = hunt(what);
  ASSERT_TRUE(r.ok()) << r.status();
  expect_nothing(*r);
  EXPECT_TRUE(unreached(kMarks, r->marks.runs).empty()) << marks_in_words(kMarks, r->marks.runs);
}

TEST(DrawnCampaign, makes_as_many_runs_as_are_asked_for_and_says_why_clusters_are_left_out) {
  ClustersHunt what = campaign(137);
  what.each = 10;
  const auto r = hunt(what);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->runs, 137u);
  EXPECT_EQ(r->clusters, 14u);
  const auto none = hunt(campaign(0));
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->clusters, 0u);
}

TEST(DrawnCampaign, ends_when_every_job_breaks_by_itself_what_is_asked_for) {
  ClustersHunt what = campaign(100);
  what.must = {.progress = 1};
  const auto r = hunt(what);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_EQ(r->runs, 0u);
  EXPECT_GE(r->skipped.at("'progress' without any fault"), 20u);
}

TEST(DrawnCampaign, finds_the_same_however_many_processes_look) {
  ClustersHunt what = campaign(160);
  what.must = {.never = {"stuck"}};
  what.keep_going = true;
  what.each = 5;
  what.most_shrinks = 30;
  const auto one = hunt(what);
  what.processes = 3;
  const auto three = hunt(what);
  ASSERT_TRUE(one.ok() && three.ok()) << one.status() << three.status();
  EXPECT_GT(one->findings.size(), 0u);
  EXPECT_EQ(told(*one), told(*three));
  EXPECT_EQ(one->runs, three->runs);
  EXPECT_EQ(one->broken, three->broken);
  EXPECT_EQ(one->skipped, three->skipped);
  EXPECT_EQ(one->reach.groups, three->reach.groups);
  EXPECT_EQ(one->marks, three->marks);
  EXPECT_GT(one->reach.groups.at("verdicts").at("stuck"), 0u);
}

// ---- planted bugs ----

struct Planted {
  PlantedClusterBug bug;
  std::string_view law;
};
constexpr Planted kPlanted[] = {{PlantedClusterBug::stale_accepted, "law staleness"},
                                {PlantedClusterBug::token_lost, "law tokens_conserved"},
                                {PlantedClusterBug::sessions_kept, "law nothing_left"},
                                {PlantedClusterBug::filter_ignored, "law filters_kept"},
                                {PlantedClusterBug::checkpoint_listed_early, "law checkpoints_count"},
                                {PlantedClusterBug::session_not_anew, "law clients_recover"}};

TEST(DrawnCampaign, finds_planted_bugs_and_makes_their_clusters_small) {
  for (const Planted& p : kPlanted) {
    SCOPED_TRACE(p.law);
    ClustersHunt what = campaign(2'000);
    what.planted = p.bug;
    const auto r = hunt(what);
    ASSERT_TRUE(r.ok()) << r.status();
    ASSERT_EQ(r->findings.size(), 1u);
    const DrawnFinding& f = r->findings[0];
    EXPECT_EQ(f.finding.broken.property, p.law);
    EXPECT_LE(f.smallest.workers.size(), 2u);
    EXPECT_EQ(f.smallest.ps.size(), 1u);
    EXPECT_LE(f.finding.shrunk.smallest.faults.size(), 2u);
    EXPECT_LT(f.finding.shrunk.tried, what.most_shrinks);
    Trials healthy(job_for(f.scenario).value(), Must());
    EXPECT_TRUE(healthy.run(f.finding.shrunk.smallest)->broken.empty());
  }
}

// By hand: how many runs each planted bug takes.
TEST(DrawnCampaign, DISABLED_says_how_soon_it_finds_planted_bugs) {
  for (const KnownClusterBug& known : planted_cluster_bugs()) {
    ClustersHunt what = campaign(5'000);
    what.planted = known.bug;
    const auto r = hunt(what);
    ASSERT_TRUE(r.ok()) << r.status();
    fmt::print("{:<24} {:>5} runs, {} findings{}\n", known.name, r->runs, r->findings.size(), told(*r));
  }
}

// ---- findings on disk ----

TEST(SavedDrawnFindings, run_again_with_the_same_hash) {
  const Folder folder;
  ClustersHunt what = campaign(2'000);
  what.must = {.never = {"stuck"}};
  const auto r = hunt(what);
  ASSERT_TRUE(r.ok()) << r.status();
  ASSERT_EQ(r->findings.size(), 1u);
  const DrawnFinding& f = r->findings[0];
  EXPECT_EQ(f.finding.broken.property, "never stuck");
  const FoundBy by{f.scenario.title, scenario_text(f.smallest, f.scenario.title), what.must, "tarry hunt cluster"};
  const auto saved = save_finding(f.finding, f.scenario, by, {kGraphs, kHome + "/scenarios/cases"}, folder.path());
  ASSERT_TRUE(saved.ok()) << saved.status();
  const auto scenario = load_scenario(*saved);
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_EQ(run_here(job_for(*scenario).value()).log.hash(), f.finding.hash);
  EXPECT_EQ(scenario->must, what.must);
  EXPECT_TRUE(Trials(job_for(f.scenario).value(), what.must).look_without_faults().ok()) << "it is healthy by itself";
}

}  // namespace
}  // namespace tarry
