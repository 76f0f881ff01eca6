// Bugs planted in the runtime: random faults find them as fast as planted.txt says.

#include "properties/cluster/planted.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "properties/cluster/recorded.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

const std::string kFindingsOfBugs = TARRY_SOURCE_DIR "/properties/cluster/planted_findings.txt";
const std::string kTable = TARRY_SOURCE_DIR "/properties/cluster/planted.txt";

constexpr std::uint64_t kMost = 2'000;  // runs

Job job_of(const std::string& name) { return job_for(shipped(name)).value(); }

RunsNeeded row_of(std::string_view bug) {
  const auto table = read_runs_needed(kTable);
  const auto row = std::ranges::find(table, bug, &RunsNeeded::bug);
  EXPECT_NE(row, table.end()) << bug << " is not in planted.txt";
  return row == table.end() ? RunsNeeded() : *row;
}

TEST(PlantedClusterBugs, are_told_by_a_law_as_fast_as_the_table_says) {
  PlantedHunt hunt(job_of);
  std::vector<std::string> late;
  for (const KnownClusterBug& known : planted_cluster_bugs()) {
    SCOPED_TRACE(known.name);
    const RunsNeeded row = row_of(known.name);
    EXPECT_EQ(row.law, known.law);
    EXPECT_LE(row.most, kMost);
    const auto found = hunt.find(known.bug, 1, kMost);
    ASSERT_TRUE(found);
    if (found->runs > row.most) late.push_back(fmt::format("{} after {} runs", known.name, found->runs));
  }
  // The table has what 95 % of the seeds need, so that of 21 bugs one or two may take longer.
  EXPECT_LE(late.size(), 2u) << testing::PrintToString(late);
}

// The schedule that told the bug, as small as it becomes.
RecordedFinding smallest(const KnownClusterBug& bug, const FoundBug& told) {
  Job job = job_of(told.scenario);
  job.seed = told.seed;
  job.planted = bug.bug;
  const ClusterSpec cluster = job.cluster;
  Trials trials(std::move(job), Must());
  const auto look = trials.without_faults();
  const std::string print = fingerprint(trials.run(told.schedule)->broken.at(0));
  const auto f = shrunk(trials, told.runs, told.schedule, print);
  return {told.scenario,      std::string(bug.name), told.seed,
          f->broken.property, to_string(f->hash),    faults_line(f->shrunk.smallest.faults, cluster)};
}

TEST(PlantedClusterBugs, are_told_again_event_by_event_by_two_faults_at_most) {
  const auto recorded = read_recorded(kFindingsOfBugs);
  EXPECT_EQ(recorded.size(), planted_cluster_bugs().size());
  for (const RecordedFinding& f : recorded) {
    const Scenario s = shipped(f.scenario);
    EXPECT_EQ(problem_of(f, s, job_of(f.scenario), Must()), "") << f.planted;
    EXPECT_LE(parse_faults(f.faults, s)->size(), 2u) << f.faults;
  }
}

// A token is lost in each run of job 1; the rare bug is there for one seed of the job in a hundred, so that about five
// of five hundred runs tell it.
TEST(RareBug, is_found_as_often_as_it_is_there) {
  PlantedHunt hunt(job_of);
  EXPECT_EQ(hunt.count(PlantedClusterBug::token_lost, 1, 20), 20u);
  const std::uint64_t found = hunt.count(PlantedClusterBug::rare, 1, 500);
  EXPECT_GE(found, 1u);
  EXPECT_LE(found, 12u);
}

TEST(NoBug, is_found_where_none_is_planted) { EXPECT_FALSE(PlantedHunt(job_of).find(PlantedClusterBug::none, 1, 100)); }

// Writes planted.txt anew, in some minutes:
// tarry_hunt_cluster_test --gtest_also_run_disabled_tests --gtest_filter='*thirty_seeds*'
TEST(PlantedTable, DISABLED_of_thirty_seeds) {
  PlantedHunt hunt(job_of);
  std::vector<RunsNeeded> table;
  for (const KnownClusterBug& bug : planted_cluster_bugs()) {
    table.push_back(runs_needed(hunt, bug, 30, kMost));
    std::cout << to_text({table.back()}) << std::flush;
  }
  std::ofstream(kTable) << to_text(table);
}

// Writes planted_findings.txt anew, in a minute:
// tarry_hunt_cluster_test --gtest_also_run_disabled_tests --gtest_filter='RecordedFindings.*bugs*'
TEST(RecordedFindings, DISABLED_of_planted_bugs_are_written_anew) {
  PlantedHunt hunt(job_of);
  std::ofstream out(kFindingsOfBugs);
  for (const KnownClusterBug& bug : planted_cluster_bugs())
    out << to_text(smallest(bug, hunt.find(bug.bug, 1, kMost).value())) << std::flush;
}

// Prints the median runs that each strategy needs, in some minutes:
// tarry_hunt_cluster_test --gtest_also_run_disabled_tests --gtest_filter='*beside_each_other*'
TEST(PlantedTable, DISABLED_of_strategies_beside_each_other) {
  constexpr std::uint64_t kSeeds = 30;
  PlantedHunt hunt(job_of);
  for (const StrategyText& s : strategies()) fmt::print("{:>10}", s.key);
  for (const KnownClusterBug& bug : planted_cluster_bugs()) {
    fmt::print("\n");
    for (const StrategyText& s : strategies())
      fmt::print("{:>10}", runs_needed(hunt, bug, kSeeds, kMost, s.kind).median);
    fmt::print("  {}", bug.name);
    std::fflush(stdout);
  }
  fmt::print("\n");
}

}  // namespace
}  // namespace tarry
