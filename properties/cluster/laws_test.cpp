// The laws of the runtime under random faults.

#include <gtest/gtest.h>

#include "properties/cluster/trial.hpp"
#include "properties/hunting/hunting.hpp"
#include "scenarios/cases/find_case.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

std::string shown(const std::vector<Breach>& breaches) {
  std::string all;
  for (const Breach& b : breaches) all += "\n  " + b.property + ": " + b.text;
  return all;
}

// Gives how many runs broke a law.
std::uint64_t expect_lawful(const std::string& scenario, std::uint64_t first, std::uint64_t runs) {
  Trials trials(job_for(shipped(scenario)).value(), Must());
  EXPECT_TRUE(trials.without_faults().ok());
  std::uint64_t broken = 0;
  for (std::uint64_t n = first; n < first + runs; ++n) {
    Random random = random_of_case(1, n);
    const Schedule s = draw_schedule(trials.cluster(), trials.course(), 4, random);
    const auto ran = trials.run(s);
    if (ran.ok() && ran->broken.empty()) continue;
    if (++broken < 5)
      ADD_FAILURE() << "tarry run " << scenario << " --faults '" << faults_line(s.faults, trials.cluster()) << "'"
                    << (ran.ok() ? shown(ran->broken) : ran.status().ToString());
  }
  return broken;
}

class LawfulUnderFaults : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Jobs, LawfulUnderFaults,
                         ::testing::Values("040_worker_dies", "041_worker_dies_backup", "047_chief_dies_checkpoint",
                                           "049_second_ps_dies", "055_async_worker_dies"),
                         [](const auto& info) { return info.param; });

TEST_P(LawfulUnderFaults, whatever_happens) { EXPECT_EQ(expect_lawful(GetParam(), 0, 60), 0u); }

// A kernel that waits for the storage is not cancelled: its step is open when the run ends.
TEST(Lawful, is_a_step_that_saves_when_it_is_cancelled) {
  const Scenario s = shipped("047_chief_dies_checkpoint");
  Job job = job_for(s).value();
  job.faults = parse_faults("slow_save ps/0 time=1000s at 0s; disconnect worker/0,ps/0 at 30s", s).value();
  job.audits = true;
  const Outcome o = run_here(job);
  EXPECT_TRUE(o.breaches.empty()) << o.breaches[0].text;
  EXPECT_TRUE(std::ranges::any_of(
      o.audit.facts, [](const AuditFact& f) { return f.what == AuditFact::What::save_waits && f.number == 1; }));
}

// In the nightly: some minutes.
class EveryJob : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Scenario, EveryJob, ::testing::ValuesIn(case_names(kCases)),
                         [](const auto& info) { return info.param; });
TEST_P(EveryJob, DISABLED_is_lawful_in_thousands_of_runs) { EXPECT_EQ(expect_lawful(GetParam(), 1'000, 100), 0u); }

}  // namespace
}  // namespace tarry
