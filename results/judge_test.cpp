// Verdicts about losses, from logs written by hand; and logs kept as files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "results/stored_run.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

TEST(Verdicts, training_that_stood_still_until_a_worker_was_back_is_stalled) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther}).ready(9, kOther).aggregate(10);
  EXPECT_THAT(s.verdicts(), testing::Contains("stalled"));
}

TEST(Verdicts, training_that_went_on_without_it_is_not) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther}).aggregate(3).ready(9, kOther).aggregate(10);
  EXPECT_THAT(s.verdicts(), testing::Contains("went_on"));
  EXPECT_THAT(s.verdicts(), testing::Not(testing::Contains("stalled")));
}

TEST(Verdicts, a_healthy_run_has_none_of_these) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1);
  EXPECT_THAT(s.verdicts(), testing::ElementsAre("fair"));
}

TEST(Verdicts, a_fair_run_drops_gradients_for_initial_tokens_only_where_there_were_such) {
  const auto told = [](bool has_tokens) {
    Story s = two_workers();
    if (has_tokens)
      s.at(0, StepBegan{kChief, StepId{98}, Purpose::init_tokens}).at(0, Enqueued{kPs, NameId{2u}, StepId{98}, 0});
    for (int i = 0; i < 3; ++i) s.push(1, 1).push(1, 2).aggregate(1);
    return s.push(1, 1, false).told("fair");
  };
  EXPECT_THAT(told(true), testing::EndsWith(" 1 gradient was dropped at the start, for the initial tokens."));
  EXPECT_THAT(told(false), testing::EndsWith(" 1 gradient was dropped."));
}

// ---- what to do ----

// The other worker's gradient is in no aggregate.
Story one_alone() {
  Story s = two_workers();
  s.push(1, 1).push(1, 1).aggregate(1);
  return s;
}

TEST(Advice, unequal_distances_are_mentioned_where_distances_are_unequal) {
  Story near = one_alone(), far = one_alone();
  for (const TaskId worker : {kChief, kOther}) {
    near.at(2, MessageDelivered{worker, kPs, kNoDetail, 10, kSecond});
    far.at(2, MessageDelivered{worker, kPs, kNoDetail, 10, worker == kChief ? 0 : 2 * kSecond});
  }
  EXPECT_THAT(far.told("uneven"), testing::HasSubstr("equal distance"));
  EXPECT_THAT(near.told("uneven"),
              testing::AllOf(testing::HasSubstr("To do: "), testing::Not(testing::HasSubstr("equal distance"))));
}

TEST(Advice, initial_tokens_are_not_blamed_where_there_were_none) {
  EXPECT_THAT(one_alone().told("uneven"),
              testing::AllOf(testing::HasSubstr("equally long"), testing::Not(testing::HasSubstr("initial tokens"))));
}

TEST(Advice, a_training_step_that_takes_aggregates_is_why_a_job_is_stuck) {
  Story lost = two_workers(), taken = two_workers();
  taken.at(1, TakeIssued{kPs, kAccumulator, StepId{1}, 2});
  lost.log.is_deadlocked = taken.log.is_deadlocked = true;
  EXPECT_THAT(taken.told("stuck"), testing::AllOf(testing::HasSubstr("training steps of worker 0 take aggregates"),
                                                  testing::Not(testing::HasSubstr("Tokens come with"))));
  EXPECT_THAT(lost.told("stuck"), testing::HasSubstr("Tokens come with the next aggregate only"));
}

// ---- without aggregates ----

constexpr NameId kRunGraph{3u}, kDone{4u}, kTokens{5u};

// One client's step; the names of queues and calls are there.
Story one_client() {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "RunGraph request", "stale_done_q_0", "stale_token_q_0"});
  s.ready(0, kChief).step(0, kChief, 1);
  return s;
}

TEST(Verdicts, a_client_whose_steps_run_on_other_workers_is_the_client_of_all) {
  Story s = one_client();
  s.at(1, MessageDelivered{kChief, kOther, kRunGraph, 10, 0}).at(2, StepEnded{kChief, StepId{1}, 0});
  EXPECT_THAT(s.verdicts(), testing::ElementsAre("in_graph"));
}

TEST(Verdicts, a_client_whose_steps_run_on_servers_is_an_asynchronous_worker) {
  Story s = one_client();
  s.at(1, MessageDelivered{kChief, kPs, kRunGraph, 10, 0}).at(2, StepEnded{kChief, StepId{1}, 0});
  EXPECT_THAT(s.verdicts(), testing::ElementsAre("absent", "asynchronous"));
}

TEST(Verdicts, asynchronous_training_whose_server_is_lost_is_stuck_unless_everybody_had_left) {
  Story s = one_client(), late = one_client();
  for (Story* each : {&s, &late}) each->ended(0.5, kChief, 1);
  EXPECT_THAT(s.at(2, ProcessEnded{kPs}).at(5, LogLine{kChief, 'I', kNoDetail}).verdicts(),
              testing::ElementsAre("stuck", "asynchronous"));
  EXPECT_THAT(late.at(1, SessionMoved{kChief, SessionStage::closed, kNoDetail}).at(2, ProcessEnded{kPs}).verdicts(),
              testing::ElementsAre("absent", "asynchronous"));
}

TEST(Verdicts, training_that_takes_aggregates_of_its_own_is_not_called_free_of_barriers) {
  Story own = two_workers();
  own.log.set_names({"acc", "more", "even more"});
  own.ended(1, kChief, 1).ended(1, kOther, 2);
  EXPECT_THAT(
      own.told("asynchronous"),
      testing::StartsWith("No optimizer synchronises this training, but the program takes aggregates of its own: "
                          "from acc on ps 0 (2 gradients an aggregate). What a step waits for is the program's "
                          "to say: worker 0 made 1 step"));
  own.at(1, TakeIssued{kPs, NameId{1u}, StepId{1}, 1}).at(1, TakeIssued{kPs, NameId{2u}, StepId{1}, 1});
  EXPECT_THAT(own.told("asynchronous"), testing::HasSubstr("(2 gradients an aggregate) and 2 more. What"));
}

TEST(Verdicts, an_asynchronous_step_that_nothing_will_end_is_stuck) {
  Story s = one_client(), ended = one_client();
  s.log.is_deadlocked = ended.log.is_deadlocked = true;
  EXPECT_THAT(s.told("stuck"), testing::HasSubstr("worker 0 is in a step that waits for what nobody will give"));
  ended.at(1, StepEnded{kChief, StepId{1}, 0});
  EXPECT_THAT(ended.told("stuck"), testing::HasSubstr("Clients wait for a session that never gets ready"));
}

TEST(Verdicts, a_stale_synchronous_job_is_known_by_its_queues_and_tells_its_bound) {
  Story s = one_client();
  s.at(0, StepBegan{kChief, StepId{2}, Purpose::local_init});
  for (int token = 0; token < 2; ++token) s.at(0, Enqueued{kPs, kTokens, StepId{2}, 0});
  s.at(1, Enqueued{kPs, kDone, StepId{1}, 0})
      .at(3, Dequeued{kPs, kTokens, StepId{1}, 0})
      .at(3, StepEnded{kChief, StepId{1}, 0});
  const auto verdicts = judge(s.log, read_contributions(s.log), kTasks);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].text,
            "Training is stale-synchronous: nobody began a step more than 0 ahead of the slowest; 2 are allowed. "
            "worker 0 did 1 step. The workers waited 2.000 s for tokens in all.");
}

TEST(Verdicts, nothing_is_fair_where_nothing_was_aggregated) {
  Story s = two_workers();
  s.at(1, SessionMoved{kChief, SessionStage::failed, kNoDetail})
      .at(1, SessionMoved{kOther, SessionStage::failed, kNoDetail});
  EXPECT_THAT(s.verdicts(), testing::Not(testing::Contains("fair")));
}

// ---- standing still ----

// Aggregates every second; a trouble at 5 s, and again aggregates from 20 s, or never.
Story stands_still(const Event& trouble, const Event& end, bool goes_on) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "nothing passes", "part", "host1", "server", "slow",
                   "/job:worker/replica:0/task:1"});
  s.ready(0, kChief).ready(0, kOther).at(0, StepBegan{kChief, StepId{99}, Purpose::sync});
  s.at(0, TakeIssued{kPs, kAccumulator, StepId{99}, 2});
  std::uint64_t id = 0;
  const auto round = [&](double t) {
    for (const TaskId w : {kChief, kOther}) {
      ++id;
      s.step(t, w, id).push(t + 0.5, id).at(t + 0.6, StepEnded{w, StepId{id}, 0});
    }
    s.aggregate(t + 0.5).at(t + 0.5, TakeIssued{kPs, kAccumulator, StepId{99}, 2});
  };
  for (int t = 0; t < 5; ++t) round(t);
  s.at(5.1, trouble).step(5.2, kChief, 1000).push(5.7, 1000);
  s.at(19, end);
  for (int t = 20; t < 25 && goes_on; ++t) round(t);
  s.at(25, LogLine{kChief, 'I', kNoDetail});
  return s;
}
constexpr ConditionChanged kParted{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, true},
    kJoined{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, false},
    kSlow{NameId{3u}, NameId{7u}, NameId{8u}, kNoDetail, true};
constexpr LogLine kNothing{kChief, 'I', kNoDetail};

std::vector<Verdict> with_hosts(const Story& s, std::span<const Proof> proofs = {}) {
  TaskNames tasks = kTasks;
  tasks.hosts = {"server", "host0", "host1"};
  return judge(s.log, read_contributions(s.log), tasks, proofs);
}
std::string told_with_hosts(const Story& s, const char* kind, std::span<const Proof> proofs = {}) {
  for (const Verdict& v : with_hosts(s, proofs))
    if (v.kind == kind) return v.text;
  return "";
}

TEST(Standstill, that_ends_says_from_when_to_when_why_and_what_ended_it) {
  const std::string text = told_with_hosts(stands_still(kParted, kJoined, true), "stalled");
  EXPECT_THAT(text, testing::HasSubstr("from 4.500 s to 20.500 s (16.000 s, in place of the usual 1.000 s)"));
  EXPECT_THAT(text, testing::HasSubstr("nothing passes from 5.100 s to 19.000 s (worker 1 on host1, ps 0 on server)"));
  EXPECT_THAT(text,
              testing::HasSubstr("The accumulator of v:0 holds 1 gradient; an aggregate needs 2; worker 0 waits for a "
                                 "token"));
  EXPECT_THAT(text, testing::HasSubstr("It ended after messages passed again between host1 and server, at 19.000 s"));
}

TEST(Standstill, that_never_ends_is_stuck_however_the_run_was_ended) {
  const Story s = stands_still(kParted, kNothing, false);
  EXPECT_THAT(told_with_hosts(s, "stuck"), testing::HasSubstr("no aggregate was complete after 4.500 s"));
  EXPECT_EQ(told_with_hosts(s, "stalled"), "");
}

TEST(Standstill, of_what_is_slow_is_not_told_as_if_nothing_moved) {
  constexpr ConditionChanged kDelayed{NameId{3u}, NameId{9u}, NameId{5u}, NameId{6u}, true};
  const auto begins = [](const Event& trouble, bool is_gone = false) {
    Story s = stands_still(trouble, kNothing, false);
    if (is_gone) s.at(in_seconds(s.log.ended_at), ProcessEnded{kOther}).at(in_seconds(s.log.ended_at) + 100, kNothing);
    s.log.set_names({"v:0/grad_accum", "global_step", "", "nothing passes", "part", "host1", "server", "slow",
                     "/job:worker/replica:0/task:1", "delay"});
    const std::string text = told_with_hosts(s, "stuck");
    return text.substr(0, text.find(':'));
  };
  EXPECT_EQ(begins(kSlow), "Training stood still");
  EXPECT_EQ(begins(kDelayed), "Training stood still");
  EXPECT_EQ(begins(kParted), "Nothing moves any more");
  EXPECT_EQ(begins(kSlow, true), "Nothing moves any more");
}

TEST(Standstill, needs_a_reason) {
  for (const Verdict& v : with_hosts(stands_still(kNothing, kNothing, true)))
    EXPECT_FALSE(says_any({&v, 1}, {"stalled", "stuck"})) << v.text;
}

TEST(Standstill, a_slow_worker_whose_step_never_ends_is_one) {
  EXPECT_THAT(told_with_hosts(stands_still(kSlow, kNothing, false), "stuck"),
              testing::HasSubstr("nothing passes from 5.100 s on"));
}

TEST(Standstill, is_said_with_what_the_run_without_its_cause_gains) {
  const std::vector<Proof> proofs{
      {.cause = Proof::Cause::faults, .a = "host1", .b = "server", .instead = "without it", .gain = 0.4}};
  EXPECT_THAT(told_with_hosts(stands_still(kParted, kJoined, true), "stalled", proofs),
              testing::HasSubstr("Run again without it (same seed), the same work takes 40.0 % less time."));
  EXPECT_EQ(told_with_hosts(stands_still(kParted, kJoined, true), "slowed", proofs), "");
}

TEST(Standstill, is_told_with_all_its_causes_and_none_of_them_again) {
  Story s = stands_still(kParted, kJoined, true);
  ConditionChanged back = kParted;
  std::swap(back.a, back.b);
  s.log.add(5 * kSecond, back);
  back.holds = false;
  s.log.add(19 * kSecond, back);
  const std::vector<Proof> proofs{{.a = "host1", .b = "server", .instead = "without one", .gain = 0.4},
                                  {.a = "server", .b = "host1", .instead = "without the other", .gain = 0.3}};
  EXPECT_NE(told_with_hosts(s, "stalled", proofs), "");
  EXPECT_EQ(told_with_hosts(s, "slowed", proofs), "");
}

TEST(Standstill, of_who_waits_for_all_is_not_told_with_what_held_on_when_it_was_over) {
  Story s = stands_still(kParted, kJoined, true);
  ConditionChanged back = kParted;
  std::swap(back.a, back.b);
  s.log.add(6 * kSecond, back);
  const std::string text = told_with_hosts(s, "stalled");
  EXPECT_THAT(text, testing::HasSubstr("The cause: nothing passes from 5.100 s to 19.000 s (")) << text;
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("from 6.000 s on")));
}

TEST(Standstill, lasts_while_a_step_is_under_way_that_was_slow) {
  ConditionChanged usual = kSlow;
  usual.holds = false;
  Story s = stands_still(kSlow, usual, false);
  s.log.add(6 * kSecond, StepBegan{kOther, StepId{2000}, Purpose::train});
  EXPECT_THAT(
      told_with_hosts(s, "stuck"),
      testing::HasSubstr("from 5.100 s to 19.000 s. What had begun by 19.000 s was still under way at the end."));
  s.log.add(24 * kSecond, StepEnded{kOther, StepId{2000}, 0});
  EXPECT_THAT(told_with_hosts(s, "stuck"), testing::Not(testing::HasSubstr("under way")));
}

// A slow worker has cost a tenth, and nothing stood still.
TEST(Slowed, names_what_held_and_what_to_do) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "what holds", "slow", kTasks.names[2]});
  s.ready(0, kChief).ready(0, kOther).at(0.5, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, kNoDetail, true});
  for (int t = 0; t < 5; ++t)
    for (const TaskId w : {kChief, kOther}) {
      const std::uint64_t id = static_cast<std::uint64_t>(2 * t) + w.index();
      s.step(t, w, id).ended(t + 0.9, w, id);
    }
  const std::vector<Proof> proofs{
      {.cause = Proof::Cause::faults, .task = kOther, .instead = "without it", .gain = 0.1}};
  const std::string told = told_with_hosts(s, "slowed", proofs);
  EXPECT_THAT(told, testing::StartsWith("It cost time that what holds"));
  EXPECT_THAT(told, testing::HasSubstr("the same work takes 10.0 % less time. To do: "));
}

TEST(Slowed, tells_faults_that_are_no_conditions_in_their_own_words) {
  const std::vector<Proof> proofs{{.cause = Proof::Cause::faults,
                                   .task = kOther,
                                   .what = "there were faults of worker 1",
                                   .instead = "without them",
                                   .gain = 0.1}};
  EXPECT_THAT(told_with_hosts(two_workers(), "slowed", proofs),
              testing::StartsWith("It cost time that there were faults of worker 1. Run again without them"));
}

TEST(Standstill, of_all_is_not_told_as_if_the_others_had_gone_on) {
  const Story s = stands_still(kParted, ProcessEnded{kOther}, true);
  EXPECT_NE(told_with_hosts(s, "stalled"), "");
  EXPECT_EQ(told_with_hosts(s, "went_on"), "");
}

TEST(Standstill, that_ends_before_its_cause_was_ended_by_something_else) {
  EXPECT_THAT(told_with_hosts(stands_still(kParted, kNothing, true), "stalled"),
              testing::AllOf(testing::HasSubstr("nothing passes from 5.100 s on"),
                             testing::Not(testing::HasSubstr("It ended"))));
}

// ---- kept logs ----

TEST(StoredRun, a_log_reads_back_with_its_hash_and_its_tasks) {
  Story s = two_workers();
  const auto back = stored_run(to_bytes("two", kTasks, {}, s.log));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->title, "two");
  EXPECT_EQ(back->tasks.names, kTasks.names);
  EXPECT_EQ(back->log.hash(), s.log.hash());
}

TEST(StoredRun, what_is_no_log_is_refused) {
  EXPECT_THAT(std::string(text_of(stored_run("hello").status())), testing::HasSubstr("tarry run --log FILE"));
  EXPECT_FALSE(stored_run("").ok());
}

TEST(StoredRun, with_times_that_cannot_be_added_is_refused) {
  Story s = two_workers();
  s.log.add(std::numeric_limits<std::int64_t>::max(), RunEnded{});
  EXPECT_EQ(stored_run(to_bytes("two", kTasks, {}, s.log)).status(),
            invalid("a log with times or counts that are too large to be judged"));
}

RC_GTEST_PROP(StoredRun, any_damage_is_noticed, (std::uint16_t where, char what)) {
  const std::string whole = to_bytes("two", kTasks, {}, two_workers().log);
  std::string bytes = whole;
  const std::size_t body = whole.find('\n', whole.find('\n') + 1) + 1;
  char& c = bytes[body + where % (bytes.size() - body)];
  RC_PRE(c != what);
  c = what;
  RC_ASSERT(!stored_run(bytes).ok());
}

// Whoever alters a log can make its checksum right, too.
RC_GTEST_PROP(StoredRun, that_was_altered_is_judged_or_refused, (std::vector<std::uint32_t> changes)) {
  const Story story = stands_still(kParted, kJoined, true);
  const std::string whole = to_bytes("two", kTasks, {}, story.log);
  std::string rest = whole.substr(whole.find('\n', whole.find('\n') + 1) + 1);
  for (const std::uint32_t c : changes) rest[(c >> 8) % rest.size()] = static_cast<char>(c);
  RC_PRE(rest.find('\n') != rest.npos);
  const auto run = stored_run(sealed(rest.substr(0, rest.find('\n')), rest.substr(rest.find('\n') + 1)));
  if (run.ok()) (void)judge(run->log, read_contributions(run->log), run->tasks, run->proofs);
}

TEST(StoredRun, with_a_right_checksum_reads_back) {
  const std::string whole = to_bytes("two", kTasks, {}, two_workers().log);
  const std::string rest = whole.substr(whole.find('\n', whole.find('\n') + 1) + 1);
  const std::size_t head = rest.find('\n');
  EXPECT_EQ(sealed(rest.substr(0, head), rest.substr(head + 1)), whole);
}

TEST(StoredRun, of_another_version_says_so) {
  EXPECT_THAT(std::string(text_of(stored_run("tarry log 1\nabc").status())),
              testing::HasSubstr("a log of another version of tarry; run the scenario again"));
}

}  // namespace
}  // namespace tarry
