// Faults that scenarios of the catalogue script, found without the script: from what their users would ask for.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "properties/cluster/recorded.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

struct Known {
  const char* scenario;
  Must must;
  const char* hazard;  // one that the scenario scripts, or a part of what it scripts
  std::size_t faults;  // of the scenario; a client that leaves early or never comes counts as one
};

// Without its own faults, and with clients that all come and stay.
Scenario healthy(const std::string& name) {
  Scenario s = shipped(name);
  s.faults.clear();
  for (auto& [task, client] : s.training.workers) client.absent = false, client.steps.reset();
  return s;
}

const Known kKnown[] = {
    {"040_worker_dies", {.progress = 10 * kSecond}, "progress by kill worker/#", 2},
    {"043_worker_dies_waiting", {.dropped = Share{100}}, "dropped by preempt worker/#", 2},
    {"044_worker_leaves", {.progress = 30 * kSecond}, "progress by leave worker/#", 1},
    {"046_chief_dies", {.lost_steps = 0}, "lost_steps by preempt worker/0", 2},
    {"048_ps_dies", {.share = Share{2'500}}, "share by preempt ps/#", 2},
    {"049_second_ps_dies", {.no_failed_client = true}, "no_failed_client by preempt ps/#", 2},
    {"051_chief_finishes_first_old", {.progress = 60 * kSecond}, "progress by leave worker/0", 1},
    {"053_no_filters", {.progress = 10 * kSecond}, "progress by kill worker/#", 4},
    {"056_connection_lost", {.progress = kSecond * 62 / 100}, "progress by disconnect ps/#,worker/#", 1},
    {"057_network_parted", {.progress = 5 * kSecond}, "progress by part host#,server#", 1},
    {"080_never_ready", {.progress = 120 * kSecond}, "progress by kill worker/0", 1},
    {"097_ps_restarted_between", {.progress = 10 * kSecond}, "progress by preempt ps/#", 1},
    {"098_ps_restarted_checkpoint", {.lost_steps = 5}, "lost_steps by restart ps/#", 1},
    {"099_old_session", {.progress = 610 * kSecond}, "progress by preempt ps/#", 2}};

constexpr std::uint64_t kMostRuns = 3'000;  // runs

// The first finding of the hazard, in batches of 500 runs with a seed each.
std::optional<ClusterFinding> found(const Known& known, std::uint64_t& runs) {
  const Job job = job_for(healthy(known.scenario)).value();
  for (std::uint64_t seed = 1; runs < kMostRuns; ++seed) {
    const auto report =
        hunt({.job = job, .must = known.must, .strategy = {.seed = seed}, .runs = 500, .keep_going = true});
    if (!report.ok()) return ADD_FAILURE() << report.status(), std::nullopt;
    for (const ClusterFinding& f : report->findings)
      if (f.hazard == known.hazard) return runs += f.number + 1, f;
    runs += report->runs;
  }
  return std::nullopt;
}

std::optional<ClusterFinding> look_for(const Known& known) {
  SCOPED_TRACE(known.scenario);
  std::uint64_t runs = 0;
  auto f = found(known, runs);
  if (!f) return ADD_FAILURE() << known.hazard, std::nullopt;
  EXPECT_LE(f->shrunk.smallest.faults.size(), known.faults);
  EXPECT_EQ(f->checked, f->shrunk.smallest.faults.size());
  fmt::print("{:<30} {:<40} {:>5} runs, {} of {} faults\n", known.scenario, known.hazard, runs,
             f->shrunk.smallest.faults.size(), known.faults);
  return f;
}

TEST(Rediscovery, finds_the_death_that_hangs_a_job) { look_for(kKnown[0]); }

// In the nightly: some minutes.
TEST(Rediscovery, DISABLED_finds_what_the_catalogue_scripts) {
  for (const Known& known : kKnown) look_for(known);
}

const std::string kFindings = TARRY_SOURCE_DIR "/properties/cluster/rediscovered.txt";

TEST(Rediscovery, finds_what_comes_again_event_by_event) {
  const auto recorded = read_recorded(kFindings);
  EXPECT_EQ(recorded.size(), std::size(kKnown));
  for (const RecordedFinding& f : recorded) {
    const Known* known = std::ranges::find(kKnown, f.scenario, &Known::scenario);
    ASSERT_NE(known, std::end(kKnown)) << f.scenario;
    const Scenario s = healthy(f.scenario);
    EXPECT_EQ(problem_of(f, s, job_for(s).value(), known->must), "") << f.scenario;
  }
}

// Writes rediscovered.txt anew, in some minutes:
// tarry_hunt_cluster_test --gtest_also_run_disabled_tests --gtest_filter='RecordedFindings.*rediscovered*'
TEST(RecordedFindings, DISABLED_of_what_is_rediscovered_are_written_anew) {
  std::ofstream out(kFindings);
  for (const Known& known : kKnown) {
    const Scenario s = healthy(known.scenario);
    if (const auto f = look_for(known))
      out << to_text({.scenario = known.scenario,
                      .seed = s.seed,
                      .property = f->broken.property,
                      .hash = to_string(f->hash),
                      .faults = faults_line(f->shrunk.smallest.faults, s.cluster)})
          << std::flush;
  }
}

}  // namespace
}  // namespace tarry
