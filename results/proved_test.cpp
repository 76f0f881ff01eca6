// Which run without a cause is told with which trouble.

#include "results/verdicts/proved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "results/told_story.hpp"
#include "results/verdicts/standing.hpp"

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

TEST(Proofs, of_what_slows_a_task_are_about_no_stop_of_it) {
  const Trouble slow{.kind = Trouble::Kind::slowed, .task = kOther},
      paused{.kind = Trouble::Kind::paused, .task = kOther};
  const Proof of_slow{.task = kOther, .harm = Proof::Harm::slows}, of_stop{.task = kOther, .harm = Proof::Harm::stops};
  EXPECT_TRUE(is_about(of_slow, slow) && is_about(of_stop, paused));
  EXPECT_FALSE(is_about(of_slow, paused) || is_about(of_stop, slow));
  EXPECT_TRUE(is_about({.task = kOther}, slow) && is_about({.task = kOther}, paused));
}

TEST(Proofs, of_faults_between_two_tasks_are_about_the_trouble_of_that_fault) {
  const Trouble parted{.kind = Trouble::Kind::parted, .a = "h0", .b = "h1", .fault = "part ps 0 worker 1"};
  EXPECT_TRUE(is_about({.a = "ps 0", .b = "worker 1"}, parted));
  EXPECT_FALSE(is_about({.a = "ps 0", .b = "worker 2"}, parted));
  EXPECT_FALSE(is_about({.b = "worker 1"}, parted));
}

// The proof is about what was wrong with one task at each of these seconds, and a client's leaving at 50 s.
std::string told_of_one(std::vector<Nanos> seconds, const Proof& proof) {
  const Story s = two_workers();
  const Contributions c = s.contributions();
  Evidence e = read_evidence(s.log, c, kTasks);
  const std::vector<Proof> proofs{proof};
  e.proofs = proofs;
  for (const Nanos at : seconds)
    e.troubles.push_back({.kind = Trouble::Kind::paused, .task = kOther, .from = at * kSecond});
  e.troubles.push_back({.kind = Trouble::Kind::left, .task = kOther, .from = 50 * kSecond});
  e.troubles.push_back({.kind = Trouble::Kind::failed, .task = kOther, .from = 51 * kSecond});
  e.troubles.push_back({.kind = Trouble::Kind::paused, .task = kChief, .from = 52 * kSecond});
  return proof_of(e, {e.troubles.data(), 1});
}

TEST(Proofs, of_several_faults_that_came_one_after_the_other_say_that_the_gain_is_of_all) {
  const Proof p{.cause = Cause::faults, .task = kOther, .instead = "without it", .gain = 0.25};
  const std::string words = in_words(p);
  EXPECT_EQ(told_of_one({3}, p), words);
  EXPECT_EQ(told_of_one({3, 3}, p), words) << "they came at once";
  EXPECT_EQ(told_of_one({6, 3}, p),
            words + " That is the gain of both together, of what began at 3.000 s and of what began at 6.000 s.");
  EXPECT_EQ(
      told_of_one({3, 6, 9}, p),
      words + " That is the gain of all 3 together, the first of which began at 3.000 s and the last at 9.000 s.");
  Proof goes_on = p;
  goes_on.goes_on = true;
  EXPECT_EQ(told_of_one({3, 6}, goes_on), in_words(goes_on));
}

TEST(Proofs, of_two_that_stand_still_say_how_much_more_is_done) {
  const Proof p{.instead = "without it", .gain = 0.75, .does_more = true};
  EXPECT_EQ(in_words(p),
            " Run again without it (same seed), 4.0 times as much is done before it stands still or fails as well.");
}

TEST(Proofs, say_what_hides_a_part_of_the_gain) {
  Proof p{.instead = "without it", .gain = 0.25};
  EXPECT_EQ(in_words(p), " Run again without it (same seed), the same work takes 25.0 % less time.");
  p.beside = "with host1 as near as the others", p.beside_gain = 0.6;
  EXPECT_EQ(in_words(p),
            " Run again without it (same seed), the same work takes 25.0 % less time; with host1 as near as the others "
            "as well, 60.0 % less.");
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

TEST(Proofs, of_several_troubles_of_one_task_are_about_the_one_that_is_wrong_to_the_end) {
  const Story s = two_workers();
  const Contributions c = s.contributions();
  Evidence e = read_evidence(s.log, c, kTasks);
  const std::vector<Proof> proofs{own(0, true)};
  e.proofs = proofs;
  const Trouble over{.kind = Trouble::Kind::paused, .task = kOther, .to = kSecond},
      slow{.kind = Trouble::Kind::slowed, .task = kOther}, gone{.kind = Trouble::Kind::gone, .task = kOther};
  EXPECT_EQ(best_proof(e, std::vector{over, gone}).trouble->kind, Trouble::Kind::gone);
  EXPECT_EQ(best_proof(e, std::vector{gone, over}).trouble->kind, Trouble::Kind::gone);
  EXPECT_EQ(best_proof(e, std::vector{over, slow}).trouble->kind, Trouble::Kind::paused);
}

TEST(Proofs, that_a_job_goes_on_are_none_where_it_only_does_more) {
  const Story s = two_workers();
  const Contributions c = s.contributions();
  Evidence e = read_evidence(s.log, c, kTasks);
  const std::vector<Trouble> gone{{.kind = Trouble::Kind::gone, .task = kOther}};
  const std::vector<Proof> more{own(.5)}, all{own(.5), together(0, true)};
  e.proofs = more;
  EXPECT_EQ(proof_that_it_goes_on(e, gone), "");
  e.proofs = all;
  EXPECT_THAT(proof_that_it_goes_on(e, gone), HasSubstr("without any (same seed), the job goes on"));
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

// Without any fault the job goes on; training stood still for worker 1, and that ended, or did not.
TEST(Proofs, that_a_job_goes_on_without_any_fault_are_none_of_what_it_outlasted) {
  const auto told = [](std::vector<Nanos> ends) {
    const Story s = two_workers();
    const Contributions c = s.contributions();
    Evidence e = read_evidence(s.log, c, kTasks);
    const std::vector<Proof> proofs{together(.5, true)};
    e.proofs = proofs;
    const std::vector<Trouble> gone{{.kind = Trouble::Kind::gone, .task = kOther}};
    e.standstills.clear();
    for (const Nanos to : ends) e.standstills.push_back({0, to, 0, {gone}});
    return proof_of(e, gone) + cure_of(e, gone);
  };
  EXPECT_THAT(told({}), HasSubstr("without any (same seed), the job goes on"));
  EXPECT_THAT(told({-1}), HasSubstr("without any (same seed), the job goes on"));
  EXPECT_THAT(told({kSecond, -1}), HasSubstr("without any (same seed), the job goes on"));
  EXPECT_THAT(told({kSecond}), testing::StartsWith("restart worker 1"));
}

// ---- what is to be done ----

std::string cure(Trouble::Kind kind, TaskId task, const std::string& a = "", const std::string& fault = "") {
  const Story s = two_workers();
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  const Contributions c = s.contributions();
  return cure_of(read_evidence(s.log, c, tasks), {.kind = kind, .task = task, .a = a, .b = "B", .fault = fault});
}

TEST(Cures, of_networks_name_both_ends) {
  using Kind = Trouble::Kind;
  const std::string limit = "; a time limit on each step (RunOptions.timeout_in_ms) would tell";
  EXPECT_EQ(cure(Kind::parted, TaskId::none(), "A"), "join A and B again" + limit);
  EXPECT_EQ(cure(Kind::parted_one_way, TaskId::none(), "A"), "let messages pass from A to B again" + limit);
  EXPECT_EQ(cure(Kind::breaking, TaskId::none(), "A"), "join A and B again");
  EXPECT_EQ(cure(Kind::held, TaskId::none(), "A"), "look at the network of A" + limit);
  EXPECT_EQ(cure(Kind::delayed, TaskId::none(), "A"), "look at the path between A and B");
  EXPECT_EQ(cure(Kind::narrowed, TaskId::none(), "A"), "look at the path between A and B");
  EXPECT_EQ(cure(Kind::paused, kOther),
            "let the process of worker 1 go on (is it stopped, swapped out, or its machine frozen?)" + limit);
}

TEST(Cures, of_slowness_move_servers_and_name_the_host) {
  using Kind = Trouble::Kind;
  const std::string move = ", or move the parameter servers there to another host";
  EXPECT_EQ(cure(Kind::slowed, kPs), "look at what else runs on the host of ps 0" + move);
  EXPECT_EQ(cure(Kind::slowed_host, TaskId::none(), "server"), "look at what else runs on server" + move);
  EXPECT_THAT(cure(Kind::slowed_host, TaskId::none(), "host1"), testing::StartsWith("look at what else runs on host1"));
  EXPECT_THAT(cure(Kind::slowed, kOther), testing::Not(HasSubstr(move)));
  EXPECT_EQ(cure(Kind::slowed, kOther, "", "slow_save x"), "give worker 1 a faster storage, or save less often");
}

// ---- what comes first ----

TEST(Proofs, of_general_causes_count_half) {
  std::set<Cause> general;
  for (int i = 0; i <= static_cast<int>(Cause::input); ++i)
    if (is_general(static_cast<Cause>(i))) general.insert(static_cast<Cause>(i));
  EXPECT_EQ(general,
            (std::set<Cause>{Cause::network, Cause::latency, Cause::kernels, Cause::server_kernels, Cause::input}));
  const auto with = [](Cause cause, double gain, bool all = false) {
    return Proof{.cause = cause, .gain = gain, .together = all};
  };
  EXPECT_FALSE(comes_first(with(Cause::network, .4), with(Cause::slow_card, .2)));
  EXPECT_TRUE(comes_first(with(Cause::network, .5), with(Cause::slow_card, .2)));
  EXPECT_TRUE(comes_first(with(Cause::copies, .3), with(Cause::slow_card, .2)));
  EXPECT_FALSE(comes_first(with(Cause::copies, .3, true), with(Cause::slow_card, .2)));
  EXPECT_FALSE(comes_first(with(Cause::checkpoints, .24), with(Cause::faults, .2)));
  EXPECT_TRUE(comes_first(with(Cause::checkpoints, .26), with(Cause::faults, .2)));
  EXPECT_TRUE(comes_first({.goes_on = true}, with(Cause::slow_card, .9)));
}

// ---- late starts ----

std::string late(double gain, double of_polls, double looked = 1) {
  Story s;
  s.at(0, StepBegan{kChief, StepId{1}, Purpose::init})
      .at(looked, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
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
  EXPECT_THAT(late(.3, .2, -5), testing::StartsWith("worker 0 began late. Run again")) << "before the start";
}

TEST(LateStart, tells_of_waits_for_a_model_only_what_they_cost_more) {
  EXPECT_THAT(late(.3, .3), testing::Not(HasSubstr("clients wait")));
  EXPECT_THAT(late(.3, .4), HasSubstr("clients wait. Run again without waits"));
}

}  // namespace
}  // namespace tarry
