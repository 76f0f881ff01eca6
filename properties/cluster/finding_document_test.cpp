// What a saved finding says of itself.

#include "properties/cluster/finding_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "properties/cluster/hunted.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

// Worker 2 of three is killed after its third push; a fault of worker 1 was left out.
struct AFinding {
  Scenario scenario = shipped("040_worker_dies");
  ClusterFinding finding;
  FindingOrigin origin{"040_worker_dies", true, "never: [stuck]", "tarry hunt cluster 040_worker_dies --seed 1"};
  FindingTold told{{"never stuck", "Nothing moves. To do: restart worker 2."},
                   {{"stuck", "Nothing moves. To do: restart worker 2."}, {"uneven", "One lacks."}},
                   {}};

  explicit AFinding(const std::string& faults = "kill worker/2 after pushed#3:worker/1 +1ms") {
    finding.broken = told.broken;
    finding.number = 7;
    finding.checked = 1;
    finding.found.faults = parse_faults(faults + "; kill worker/1 at 2s", scenario).value();
    finding.shrunk.smallest.faults = parse_faults(faults, scenario).value();
  }
  [[nodiscard]] std::string title() const { return finding_title(finding, scenario.cluster); }
  [[nodiscard]] std::string text() const { return finding_document(finding, scenario.cluster, origin, told); }
  [[nodiscard]] std::string title_of(const std::string& property) {
    finding.broken.property = property;
    return title();
  }
};

TEST(FindingTitles, say_what_happens_and_by_which_faults) {
  AFinding f("kill worker/2 at 0s");
  EXPECT_EQ(f.title(), "Training stands still: kill worker/2 at 0s");
  EXPECT_EQ(f.title_of("never failed"), "A client fails: kill worker/2 at 0s");
  EXPECT_EQ(f.title_of("never uneven"), "The job gets the verdict 'uneven': kill worker/2 at 0s");
  EXPECT_EQ(f.title_of("throughput"), "Training is too slow: kill worker/2 at 0s");
  EXPECT_EQ(f.title_of("law staleness"), "The law 'staleness' is broken: kill worker/2 at 0s");
  f.finding.shrunk.smallest.faults.clear();
  EXPECT_EQ(f.title_of("never stuck"), "Training stands still without any fault");
}

TEST(FindingDocuments, say_in_words_what_each_fault_is_and_when_it_comes) {
  const AFinding f;
  EXPECT_THAT(f.text(), HasSubstr("The job of `040_worker_dies` gets this fault, and not those of its own:"));
  EXPECT_THAT(f.text(), HasSubstr("- `kill worker/2 after pushed#3:worker/1 +1ms`. The fault `kill`: a task's process "
                                  "ends with all its state, server and client. It comes 1ms after the moment `pushed` "
                                  "of `worker/1` (its gradient reached an accumulator), when that has come 3 times."));
  const AFinding at("kill worker/2 at 5s");
  EXPECT_THAT(at.text(), HasSubstr("server and client.\n"));
  EXPECT_THAT(at.text(), Not(HasSubstr("It comes")));
}

TEST(FindingDocuments, tell_a_verdict_that_is_broken_once_and_the_others_beside_it) {
  const std::string text = AFinding().text();
  const std::string told = "It gets the verdict `stuck`: Nothing moves. To do: restart worker 2.\n";
  EXPECT_THAT(text, HasSubstr("The job must keep to `never: [stuck]`. " + told));
  EXPECT_EQ(text.find("Nothing moves"), text.rfind("Nothing moves"));
  EXPECT_THAT(text, HasSubstr("**Verdict `uneven`.** One lacks.\n"));
}

TEST(FindingDocuments, prove_what_no_verdict_proves) {
  AFinding f;
  EXPECT_THAT(f.text(), HasSubstr("**Without the fault.** Leave out the fault, and this does not happen (1 run was "
                                  "checked).\n"));
  f.told.proofs = {{.instead = "without the faults of worker 2", .goes_on = true},
                   {.cause = Proof::Cause::network, .instead = "with more bandwidth", .gain = 0.5}};
  EXPECT_THAT(f.text(),
              HasSubstr("checked). Run again without the faults of worker 2 (same seed), the job goes on.\n"));
  EXPECT_THAT(f.text(), Not(HasSubstr("bandwidth")));
  f.told.verdicts[1].text = "One lacks. Run again without the faults of worker 2 (same seed), the job goes on.";
  EXPECT_THAT(f.text(), HasSubstr("(1 run was checked).\n"));
}

TEST(FindingDocuments, keep_errors_of_several_lines_apart_from_the_prose) {
  AFinding f;
  f.told.verdicts[1] = {"failed", "worker 1 left:\n=====\nUNAVAILABLE"};
  EXPECT_THAT(f.text(), HasSubstr("**Verdict `failed`.** \n\n```text\nworker 1 left:\n=====\nUNAVAILABLE\n```\n"));
}

TEST(FindingDocuments, say_how_to_run_it_and_where_it_comes_from) {
  AFinding f;
  EXPECT_THAT(f.text(), HasSubstr("`tarry run .` gives the same run, and exit code 0"));
  EXPECT_THAT(f.text(), HasSubstr("**Origin.** Run 7 of `tarry hunt cluster 040_worker_dies --seed 1` broke it under 2 "
                                  "faults; shrinking left 1.\n"));
  f.finding.is_cut_short = true;
  EXPECT_THAT(f.text(), HasSubstr("shrinking left 1, and had no time to try whether less would do.\n"));
  f.told.broken.property = "law staleness";
  EXPECT_THAT(f.text(), HasSubstr("exit code 3 for the broken law"));
  f.told.broken.property = kDeterminism;
  EXPECT_THAT(f.text(), HasSubstr("`tarry run . --check` runs the job twice, and has exit code 5"));
  f.told.has_outcome = false;
  f.told.broken.property = kEndless;
  EXPECT_THAT(f.text(), HasSubstr("says which steps go round, with exit code 2"));
}

}  // namespace
}  // namespace tarry
