// Every scenario that ships, run twice: the same hash both times, and the outcome that is checked in beside it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/designs.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

struct Ran {
  Scenario scenario;
  Job job;
  Report report;
  std::vector<BrokenLaw> breaches;
};

Ran run(Scenario scenario) {
  Job job = job_for(scenario).value();
  job.audits = true;
  auto outcome = run_apart(job);
  check(outcome.ok(), scenario.file.c_str());
  auto designs = likely_designs(scenario, {.graphs_folder = kGraphs, .keep_kernels = false});
  check(designs.ok(), scenario.file.c_str());
  auto proofs = prove(job, *outcome, {}, *std::move(designs));
  check(proofs.ok(), scenario.file.c_str());
  Report report = make_report(scenario, job, *outcome, *proofs);
  return {std::move(scenario), std::move(job), std::move(report), std::move(outcome->breaches)};
}

Ran run(const std::string& name) { return run(shipped(name)); }

class Shipped : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenario, Shipped, ::testing::ValuesIn(case_names(kCases)),
                         [](const auto& info) { return info.param; });

TEST_P(Shipped, ends_as_expected_and_twice_the_same) {
  const Ran first = run(GetParam());
  EXPECT_EQ(to_string(run_apart(first.job)->log.hash()), first.report.hash);
  EXPECT_THAT(first.breaches, testing::IsEmpty());
  EXPECT_TRUE(meets_expectation(first.scenario, first.report));
  const auto expected = read_file(kCases + "/" + GetParam() + "/expected.json");
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(compare_with_expected(first.report, flow_engine(first.job), *expected), "");
}

// That of its own engine has the verdicts of expected.json.
TEST_P(Shipped, has_the_same_verdicts_whichever_engine_computes_its_flows) {
  Scenario scenario = shipped(GetParam());
  if (!has_flows(scenario.cluster)) return;
  FlowsBy& engine = scenario.cluster.network.engine;
  engine = flows_by(scenario.cluster) == FlowsBy::simgrid ? FlowsBy::shared : FlowsBy::simgrid;
  const Ran ran = run(scenario);
  EXPECT_THAT(ran.breaches, testing::IsEmpty());
  std::vector<std::string> kinds;
  for (const Verdict& v : ran.report.verdicts) kinds.push_back(v.kind);
  EXPECT_EQ(nlohmann::json(kinds),
            nlohmann::json::parse(*read_file(kCases + "/" + GetParam() + "/expected.json"))["verdicts"]);
}

TEST_P(Shipped, has_a_document) { EXPECT_TRUE(fs::exists(kCases + "/" + GetParam() + "/README.md")); }

// ---- the catalogue: field failures by thread (docs/rules/runtime.md#J) ----

std::string documents() {
  std::string all;
  for (const std::string& name : case_names(kCases)) all += *read_file(kCases + "/" + name + "/README.md");
  return all;
}

// All rows but two: 23 (a call delivered twice) and 29 (an abort between two instructions of one process), which no
// fault of a scenario can bring about; 6 has no thread.
TEST(Catalogue, has_a_document_for_each_of_28_threads) {
  const std::string all = documents();
  for (const char* thread : {"#20342", "#5022",  "tensorflow_on_slurm #6",
                             "#7898",  "#11753", "#2386",
                             "#24448", "#7970",  "#11071",
                             "#11660", "#41430", "#24953",
                             "#45291", "#38520", "#17653",
                             "#13337", "#21629", "#16611",
                             "#4713",  "#28096", "#6837",
                             "#7767",  "#13806", "#15660",
                             "#4498",  "#7353",  "#6780"})
    EXPECT_NE(all.find(thread), std::string::npos) << thread;
  EXPECT_TRUE(fs::exists(kCases + "/010_uneven_ps/README.md")) << "row 6, a report from the field";
}

// ---- what the documents say, row by row (docs/rules/runtime.md#F.5) ----

using Vectors = std::vector<std::vector<std::int64_t>>;

Vectors vectors(const Ran& r) {
  Vectors all;
  for (const Aggregate& g : r.report.contributions.accumulators.at(0).aggregates) all.push_back(g.by_worker);
  return all;
}

std::vector<std::int64_t> steps(const Ran& r) {
  std::vector<std::int64_t> all;
  for (const WorkerStory& w : r.report.contributions.workers) all.push_back(w.steps);
  return all;
}

std::vector<std::int64_t> dropped(const Ran& r) { return r.report.contributions.accumulators.at(0).dropped; }

double seconds_per_aggregate(const Ran& r) {
  const auto& a = r.report.contributions.accumulators.at(0).aggregates;
  return in_seconds(a.back().at - a.front().at) / static_cast<double>(a.size() - 1);
}

Vectors repeated(const std::vector<std::int64_t>& v, int n) { return Vectors(static_cast<std::size_t>(n), v); }
Vectors operator+(Vectors a, const Vectors& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
using Counts = std::vector<std::int64_t>;

void expect_course(const std::string& name, const Vectors& by_worker, const Counts& step_counts, const Counts& drops) {
  const Ran r = run(name);
  EXPECT_EQ(vectors(r), by_worker);
  EXPECT_EQ(steps(r), step_counts);
  EXPECT_EQ(dropped(r), drops);
}

TEST(UnevenPs, the_worker_beside_the_ps_fills_the_first_five_aggregates_alone) {
  expect_course("010_uneven_ps", repeated({3, 0, 0}, 5) + repeated({1, 1, 1}, 25), Counts{40, 25, 25}, Counts{1, 1, 1});
}

TEST(UnevenPs, at_half_a_second_the_first_two_aggregates_are_uneven) {
  expect_course("030_local", (Vectors{{2, 1, 0}, {2, 0, 1}}) + repeated({1, 1, 1}, 28), Counts{32, 29, 29},
                Counts{1, 1, 1});
}

TEST(UnevenPs, without_initial_tokens_nothing_is_dropped) {
  const Ran r = run("031_no_tokens");
  EXPECT_EQ(vectors(r), repeated({1, 1, 1}, 30));
  EXPECT_EQ(dropped(r), (Counts{0, 0, 0}));
}

TEST(UnevenPs, two_workers_thirty_seconds_late_miss_ten_aggregates) {
  expect_course("032_late_push", repeated({3, 0, 0}, 10) + repeated({1, 1, 1}, 40), Counts{70, 40, 40},
                Counts{1, 1, 1});
}

TEST(UnevenPs, an_absent_worker_is_not_waited_for) {
  const Ran r = run("033_absent");
  for (const auto& v : vectors(r)) EXPECT_EQ(v[0] + v[1], 3);
  EXPECT_EQ(dropped(r), (Counts{1, 1}));
  EXPECT_NEAR(seconds_per_aggregate(r), 2.0, 0.05);
}

TEST(UnevenPs, an_absent_worker_and_no_tokens_is_a_deadlock_at_step_0) {
  const Ran r = run("034_absent_no_tokens");
  EXPECT_TRUE(vectors(r).empty());
  EXPECT_EQ(r.report.contributions.accumulators.at(0).left, (Counts{1, 1}));
  EXPECT_EQ(r.report.contributions.tokens_enqueued, 0);
}

TEST(Backup, two_hundred_aggregates_use_600_gradients_and_drop_about_202) {
  const Ran r = run("035_backup");
  const Counts d = dropped(r);
  EXPECT_EQ(vectors(r).size(), 200u);
  for (const auto& v : vectors(r)) EXPECT_EQ(v[0] + v[1] + v[2] + v[3], 3);
  EXPECT_NEAR(static_cast<double>(d[0] + d[1] + d[2] + d[3]), 202, 4);
}

TEST(Backup, with_one_dead_the_others_lose_a_quarter_of_their_work) {
  const Ran r = run("036_backup_dead");
  const Counts d = dropped(r);
  EXPECT_NEAR(static_cast<double>(d[0] + d[1] + d[2]) / (180.0 + static_cast<double>(d[0] + d[1] + d[2])), 0.25, 0.02);
  EXPECT_NEAR(seconds_per_aggregate(r), 1.33, 0.25);
}

TEST(Backup, one_five_times_slower_never_counts) {
  const Ran r = run("037_backup_slow");
  for (const auto& v : vectors(r)) EXPECT_EQ(v[3], 0);
  EXPECT_NEAR(static_cast<double>(dropped(r)[3]), 57, 3);
  EXPECT_NEAR(seconds_per_aggregate(r), 1.43, 0.05);
}

TEST(Cures, a_ps_apart_or_everywhere_is_fair) {
  EXPECT_EQ(vectors(run("011_ps_apart")), repeated({1, 1, 1}, 30));
  const Ran everywhere = run("012_ps_everywhere");
  ASSERT_EQ(everywhere.report.contributions.accumulators.size(), 3u);
  for (const AccumulatorStory& a : everywhere.report.contributions.accumulators)
    for (const Aggregate& g : a.aggregates) EXPECT_EQ(g.by_worker, (Counts{1, 1, 1}));
}

TEST(Seeds, another_seed_is_another_course_of_events) {
  auto scenario = shipped("035_backup");
  const auto job = [&](std::uint64_t seed) { return job_for(scenario, seed).value(); };
  EXPECT_NE(run_apart(job(1))->log.hash(), run_apart(job(2))->log.hash());
}

}  // namespace
}  // namespace tarry
