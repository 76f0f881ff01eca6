// Which run without a cause is told with which trouble.

#include "results/verdicts/proved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using Cause = Proof::Cause;

// ---- what belongs to what ----

TEST(Proofs, of_faults_of_hosts_are_about_what_ended_on_them_or_was_slow_there) {
  const Trouble slow{.kind = Trouble::Kind::slowed_host, .a = "host1"};
  const Trouble gone{.kind = Trouble::Kind::gone, .task = kOther, .why = "host1 is lost"};
  for (const Trouble& t : {slow, gone}) {
    EXPECT_TRUE(is_about({.a = "host1, host2"}, t));
    EXPECT_FALSE(is_about({.a = "host2, host3"}, t));
    EXPECT_FALSE(is_about({.task = kChief, .a = "host1"}, t));
    EXPECT_FALSE(is_about({.a = "host1", .b = "host2"}, t));
    EXPECT_FALSE(is_about({}, t));
  }
}

TEST(Proofs, of_faults_between_two_tasks_are_about_the_trouble_of_that_fault) {
  const Trouble parted{.kind = Trouble::Kind::parted, .a = "h0", .b = "h1", .fault = "part ps 0 worker 1"};
  EXPECT_TRUE(is_about({.a = "ps 0", .b = "worker 1"}, parted));
  EXPECT_FALSE(is_about({.a = "ps 0", .b = "worker 2"}, parted));
  EXPECT_FALSE(is_about({.b = "worker 1"}, parted));
}

// ---- all together ----

std::string told_of(const std::vector<Proof>& proofs, std::size_t troubles = 2, bool of_gain = false) {
  const Story s = two_workers();
  const Contributions c = s.contributions();
  Evidence e = read_evidence(s.log, c, kTasks);
  e.proofs = proofs;
  std::vector<Trouble> all{{.kind = Trouble::Kind::slowed, .task = kOther},
                           {.kind = Trouble::Kind::slowed, .task = kChief}};
  all.resize(troubles);
  return of_gain ? gain_of(e, all) : proof_of(e, all);
}
Proof own(double gain, bool goes_on = false) {
  return {.task = kOther, .instead = "without it", .gain = gain, .goes_on = goes_on};
}
Proof together(double gain, bool goes_on = false) {
  return {.instead = "without any", .gain = gain, .together = true, .goes_on = goes_on};
}

TEST(Proofs, of_all_faults_together_are_told_of_several_troubles_where_they_say_more) {
  EXPECT_THAT(told_of({own(.5), together(.59)}), HasSubstr("without it"));
  EXPECT_THAT(told_of({own(.5), together(.6)}), HasSubstr("without any"));
  EXPECT_THAT(told_of({own(.5), together(.6)}, 1), HasSubstr("without it"));
  EXPECT_THAT(told_of({together(.2)}), HasSubstr("without any"));
  EXPECT_EQ(told_of({together(.2)}, 1), "");
  EXPECT_THAT(told_of({own(.5), together(0, true)}), HasSubstr("without any"));
  EXPECT_THAT(told_of({own(0, true), together(.9)}), HasSubstr("without it"));
  EXPECT_THAT(told_of({own(.1, true), own(.3)}, 1, true), HasSubstr("takes 30.0 % less time"));
}

// ---- what comes first ----

TEST(Proofs, of_general_causes_count_half) {
  std::set<Cause> general;
  for (int i = 0; i <= static_cast<int>(Cause::chiefs); ++i)
    if (is_general(static_cast<Cause>(i))) general.insert(static_cast<Cause>(i));
  EXPECT_EQ(general, (std::set<Cause>{Cause::network, Cause::latency, Cause::kernels, Cause::server_kernels,
                                      Cause::checkpoints}));
  const auto with = [](Cause cause, double gain, bool all = false) {
    return Proof{.cause = cause, .gain = gain, .together = all};
  };
  EXPECT_FALSE(comes_first(with(Cause::network, .4), with(Cause::slow_card, .2)));
  EXPECT_TRUE(comes_first(with(Cause::network, .5), with(Cause::slow_card, .2)));
  EXPECT_TRUE(comes_first(with(Cause::copies, .3), with(Cause::slow_card, .2)));
  EXPECT_FALSE(comes_first(with(Cause::copies, .3, true), with(Cause::slow_card, .2)));
  EXPECT_TRUE(comes_first({.goes_on = true}, with(Cause::slow_card, .9)));
}

// ---- late starts ----

std::string late(double gain, double of_polls) {
  Story s;
  s.at(0, StepBegan{kChief, StepId{1}, Purpose::init}).at(1, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
  s.ready(2, kChief).ready(3, kOther).step(3, kChief, 2).step(3, kOther, 3);
  const std::vector<Proof> proofs{
      {.cause = Cause::late_start, .task = kChief, .what = "worker 0 began late", .instead = "with it", .gain = gain},
      {.cause = Cause::polls, .what = "clients wait", .instead = "without waits", .gain = of_polls}};
  std::string all;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == "late_start") all += v.text + "\n";
  return all;
}

TEST(LateStart, names_who_found_no_model_and_looked_again_later) {
  EXPECT_THAT(late(.3, .2), testing::StartsWith("worker 0 began late. It makes the model: worker 1 found none before "
                                                "that, and looked again only after a while. Run again with it"));
}

TEST(LateStart, tells_of_waits_for_a_model_only_what_they_cost_more) {
  EXPECT_THAT(late(.3, .3), testing::Not(HasSubstr("clients wait")));
  EXPECT_THAT(late(.3, .4), HasSubstr("clients wait. Run again without waits"));
}

}  // namespace
}  // namespace tarry
