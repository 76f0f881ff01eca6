// When aggregates are said to be uneven, and why, from logs written by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

// With a spare worker, and so many aggregates that the chief filled alone.
Story filled_alone(int times) {
  Story s = two_workers();
  s.take(1, 1);
  for (int i = 0; i < times; ++i) s.push(1, 1).push(1, 1).aggregate(1);
  s.push(2, 1).push(2, 2).aggregate(2);
  return s;
}

TEST(Uneven, is_said_of_two_lone_aggregates_where_every_aggregate_lacks_some_worker) {
  EXPECT_EQ(filled_alone(1).told("uneven"), "");
  EXPECT_THAT(filled_alone(2).told("uneven"), HasSubstr("worker 0 filled the first 2 aggregates of v:0 by itself"));
}

TEST(Uneven, counts_the_aggregates_at_the_start_that_one_worker_filled) {
  Story s = two_workers();
  s.push(1, 1).push(1, 1).aggregate(1).push(1, 2).push(1, 2).aggregate(1).push(1, 1).push(1, 1).aggregate(1);
  EXPECT_THAT(s.told("uneven"), HasSubstr("worker 0 filled the first aggregate of v:0 by itself"));
  EXPECT_THAT(s.told("uneven"), HasSubstr(". 2 later ones lack some worker. Nothing ties"));
}

TEST(Uneven, counts_the_aggregates_that_lack_a_worker_where_none_is_lone_at_the_start) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1);
  EXPECT_EQ(s.told("uneven"), "");
  EXPECT_THAT(s.push(2, 2).aggregate(2).told("uneven"), HasSubstr("1 of 2 aggregates of v:0 lacks worker 0."));
}

TEST(Uneven, counts_the_later_aggregates_that_lack_a_worker) {
  const auto text = [](int later) {
    Story s = two_workers();
    s.push(1, 1).push(1, 1).aggregate(1).push(1, 1).push(1, 2).aggregate(1);
    for (int i = 0; i < later; ++i) s.push(2, 2).push(2, 2).aggregate(2);
    return s.told("uneven");
  };
  EXPECT_THAT(text(0), Not(HasSubstr("later")));
  EXPECT_THAT(text(1), HasSubstr(" 1 later one lacks worker 0. Nothing ties"));
  EXPECT_THAT(text(3), HasSubstr(" 3 later ones lack worker 0. Nothing ties"));
}

TEST(Uneven, counts_the_later_aggregates_that_one_worker_filled_where_every_one_lacks_some_worker) {
  const auto text = [](int later) {
    Story s = filled_alone(2);
    for (int i = 0; i < later; ++i) s.push(3, 2).push(3, 2).aggregate(3).push(4, 1).push(4, 2).aggregate(4);
    return s.told("uneven");
  };
  EXPECT_THAT(text(0), Not(HasSubstr("later")));
  EXPECT_THAT(text(1), HasSubstr(" 1 later one was filled by one worker alone as well. Nothing ties"));
  EXPECT_THAT(text(2), HasSubstr(" 2 later ones were filled by one worker alone as well. Nothing ties"));
}

TEST(Uneven, tells_of_lost_workers_as_such_and_not_as_cut_off) {
  Story s = two_workers();
  s.at(1, ProcessEnded{kOther}).take(1, 1);
  for (const double t : {3.0, 6.0, 9.0}) s.push(t, 1).push(t, 1).aggregate(t);
  s.at(9.5, ProcessBegan{kOther, 1}).ready(9.6, kOther);
  EXPECT_THAT(s.told("uneven"), testing::AllOf(HasSubstr("restart lost processes soon"), Not(HasSubstr("No step of"))));
}

// The chief alone in an aggregate; the messages of three workers take so long.
std::string with_distances(Nanos chief, Nanos other, Nanos third) {
  constexpr TaskId kThird{3u};
  Story s = two_workers();
  s.step(0, kThird, 3).take(0, 3).push(1, 1).push(1, 1).aggregate(1);
  for (const auto& [task, took] : {std::pair{kChief, chief}, {kOther, other}, {kThird, third}})
    s.log.add(9 * kSecond, MessageDelivered{task, kPs, kNoDetail, 1, 9 * kSecond - took});
  return s.told("uneven");
}

TEST(Uneven, is_explained_by_the_farthest_of_the_others_beyond_twice_the_way_and_a_millisecond) {
  constexpr Nanos kFar = 2 * kSecond + 1'000'000;
  EXPECT_THAT(with_distances(kSecond, kFar, kSecond),
              HasSubstr("by itself: no gradient of another worker was accepted up to 1.000 s."));
  EXPECT_THAT(with_distances(kSecond, kFar, kSecond), Not(HasSubstr("equal distance")));
  for (const std::string& text :
       {with_distances(kSecond, kFar + 1, kSecond), with_distances(kSecond, kSecond, kFar + 1)}) {
    EXPECT_THAT(text, HasSubstr("its messages reach the parameter server in 1.000 s, those of the farthest worker "
                                "take 2.001 s"));
    EXPECT_THAT(text, HasSubstr("equal distance"));
  }
}

// The other worker leaves at 0.5 s, for this reason; then the chief fills an aggregate alone.
Facts after_one_left(const std::string& why) {
  Facts f(Training::synchronous);
  f.c.accumulators[0].aggregates = {{1, {1, 1}, 2, kSecond / 4}, {2, {2, 0}, 2, kSecond}};
  f.e.troubles = {{.kind = Trouble::Kind::left, .task = kOther, .from = kSecond / 2, .text = why}};
  return f;
}

TEST(Uneven, is_not_said_where_those_that_are_missing_had_to_leave) {
  constexpr char kAtEnd[] = "the batch queue is closed and has insufficient elements";
  EXPECT_NE(after_one_left("").says("uneven"), "");
  EXPECT_EQ(after_one_left(kAtEnd).says("uneven"), "");
  Facts cut = after_one_left("");
  cut.e.cut_short = {{kOther, 1, 9, 0}};
  EXPECT_EQ(cut.says("uneven"), "");
  Facts before = after_one_left(kAtEnd);
  before.e.troubles[0].from = 2 * kSecond;
  EXPECT_NE(before.says("uneven"), "") << "it left later";
}

TEST(Uneven, is_not_said_of_what_one_worker_filled_alone_since_all_others_had_to_leave) {
  constexpr char kAtEnd[] = "the batch queue is closed and has insufficient elements";
  Facts f(Training::synchronous, 2, 3);
  f.c.accumulators[0].aggregates = {
      {1, {1, 1, 0}, 2, kSecond / 4}, {2, {2, 0, 0}, 2, kSecond}, {3, {2, 0, 0}, 2, kSecond}};
  f.e.troubles = {{.kind = Trouble::Kind::left, .task = kOther, .from = kSecond / 2, .text = kAtEnd}};
  EXPECT_NE(f.says("uneven"), "") << "worker 2 trains";
  f.e.troubles.push_back({.kind = Trouble::Kind::left, .task = kThird, .from = kSecond / 2, .text = kAtEnd});
  EXPECT_EQ(f.says("uneven"), "");
}

// Worker 2's data was at its end; of the aggregates since, one lacks worker 1 as well.
TEST(Uneven, counts_only_those_that_lack_somebody_who_was_still_there) {
  Facts f(Training::synchronous, 2, 3);
  const std::vector<std::vector<std::int64_t>> by_workers{{1, 1, 1}, {1, 1, 0}, {2, 0, 0}, {1, 1, 0}};
  for (const std::vector<std::int64_t>& by : by_workers) {
    const auto n = std::ssize(f.c.accumulators[0].aggregates) + 1;
    f.c.accumulators[0].aggregates.push_back({n, by, 3, n * kSecond});
  }
  f.c.accumulators[0].required = 3;
  f.e.troubles = {{.kind = Trouble::Kind::left,
                   .task = kThird,
                   .from = kSecond,
                   .text = "q is closed and has insufficient elements"}};
  EXPECT_THAT(f.says("uneven"), testing::StartsWith("1 of 4 aggregates of v:0 lacks worker 1."));
  f.e.troubles.front().text = "";
  EXPECT_THAT(f.says("uneven"), testing::StartsWith("3 of 4 aggregates of v:0 lack some worker, most often worker 2"));
}

TEST(Fair, is_not_said_where_an_aggregate_lacks_a_worker_who_had_to_leave) {
  Facts f = after_one_left("the batch queue is closed and has insufficient elements");
  EXPECT_EQ(f.says("fair"), "");
  f.c.accumulators[0].aggregates.pop_back();
  EXPECT_NE(f.says("fair"), "");
}

TEST(Fair, is_not_said_where_a_worker_of_the_plan_never_trained) {
  Facts f(Training::synchronous);
  f.c.accumulators[0].aggregates = {{1, {1, 1}, 2, kSecond}};
  EXPECT_NE(f.says("fair"), "");
  f.c.planned_workers = 3;
  EXPECT_EQ(f.says("fair"), "");
}

TEST(Uneven, says_nothing_general_beside_what_ended_the_job_early) {
  const std::vector<Verdict> ended{{"ended_early", ""}};
  EXPECT_THAT(after_one_left("").says("uneven"), HasSubstr("To do: make the workers' steps equally long"));
  EXPECT_THAT(after_one_left("").says("uneven", ended), Not(HasSubstr("To do")));
}

// The chief alone in an aggregate; the other one begins so late.
std::string with_late_start(Nanos late) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).take(0, 2).push(0.5, 1).push(0.5, 1).aggregate(0.5);
  s.log.add(late, StepBegan{kOther, StepId{2}, Purpose::train});
  return s.told("uneven");
}

TEST(Uneven, is_explained_by_a_start_more_than_a_second_later) {
  EXPECT_THAT(with_late_start(kSecond), HasSubstr("no gradient of another worker was accepted up to 0.500 s."));
  EXPECT_THAT(with_late_start(kSecond), Not(HasSubstr("start the workers together")));
  EXPECT_THAT(with_late_start(kSecond + 1), HasSubstr("it began at 0.000 s, the last of the others at 1.000 s"));
  EXPECT_THAT(with_late_start(kSecond + 1), HasSubstr("start the workers together"));
}

// The other one is two seconds away as well, and begins at `late`; the chief's aggregate is complete at 2.5 s.
TEST(Uneven, is_no_matter_of_distance_before_the_last_worker_began) {
  const auto told = [](double late) {
    Story s;
    s.ready(0, kChief).step(0, kChief, 1).take(0, 2).push(2.5, 1).push(2.5, 1).aggregate(2.5);
    s.step(late, kOther, 2);
    for (const auto& [task, took] : {std::pair{kChief, Nanos{0}}, {kOther, 2 * kSecond}})
      s.log.add(9 * kSecond, MessageDelivered{task, kPs, kNoDetail, 1, 9 * kSecond - took});
    return s.told("uneven");
  };
  EXPECT_THAT(told(2.5), HasSubstr("To do: start the workers together"));
  EXPECT_THAT(told(2.4), HasSubstr("To do: put the parameter servers at equal distance from all workers, or one beside "
                                   "each; or start the workers together"));
}

// The chief's first step takes so long; the other one's begins so late and takes so long.
std::string with_steps(double chief, double late, double other) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).take(0, 2).push(chief, 1).push(chief, 1).aggregate(chief);
  s.ended(chief, kChief, 1);
  s.log.add(static_cast<Nanos>(late * kSecond), StepBegan{kOther, StepId{2}, Purpose::train});
  return s.push(late + other, 2).ended(late + other, kOther, 2).told("uneven");
}

TEST(Uneven, is_explained_by_a_start_later_by_more_than_a_step_and_by_more_than_steps_differ) {
  const std::string later = "it began at 0.000 s, the last of the others at ",
                    shorter = "its steps are shorter than the";
  EXPECT_THAT(with_steps(.1, .6, .1), HasSubstr(later));
  EXPECT_THAT(with_steps(.1, .6, .1), HasSubstr("start the workers together"));
  EXPECT_THAT(with_steps(.1, .1, .1), HasSubstr("no gradient of another worker was accepted up to 0.100 s."));
  EXPECT_THAT(with_steps(.1, .6, .75), HasSubstr(shorter)) << "its step is longer by more than it began later";
  EXPECT_THAT(with_steps(.1, .6, .75), Not(HasSubstr("start the workers together")));
  EXPECT_THAT(with_steps(.1, .6, .65), HasSubstr(later));
}

TEST(Uneven, is_explained_by_a_model_that_was_not_ready_since_training_began) {
  const auto told = [](double waits) {
    Story s;
    s.log.started_at = kSecond;
    s.at(waits, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
    s.step(1, kChief, 1).take(1, 2).push(1.5, 1).push(1.5, 1).aggregate(1.5).step(31, kOther, 2);
    return s.told("uneven");
  };
  EXPECT_THAT(told(1), HasSubstr("the last of the others at 30.000 s, after it had found no model that was ready. "));
  EXPECT_THAT(told(1), HasSubstr("start the workers after the chief has made the model"));
  EXPECT_THAT(told(.9), HasSubstr("the last of the others at 30.000 s. "));
  EXPECT_THAT(told(.9), HasSubstr("start the workers together"));
}

// Worker 1 has trained, finds no model at 2 s, and is ready `waited` seconds later; the chief fills an aggregate a
// second alone from 3 s on, nine of them. One at 2.9 s lacks the chief.
std::string with_a_wait(double first_step, double waited, bool is_ended = false) {
  Facts f(Training::synchronous, 2, 2);
  f.c.initial_tokens = {0, 0};
  f.c.workers[1].first_step = static_cast<Nanos>(first_step * kSecond);
  f.stage(2, kOther, SessionStage::waiting);
  if (waited > 1) f.stage(2.5, kOther, SessionStage::created).stage(2.6, kOther, SessionStage::waiting);
  if (is_ended) f.at(2 + waited, ProcessEnded{kOther});
  f.stage(is_ended ? 50 : 2 + waited, kOther, SessionStage::ready);
  f.c.accumulators[0].aggregates = {{1, {1, 1}, 2, kSecond}, {2, {0, 2}, 2, 29 * kSecond / 10}};
  for (int i = 3; i < 12; ++i) f.c.accumulators[0].aggregates.push_back({i, {2, 0}, 2, i * kSecond});
  f.e.losses.processes = {{.task = kPs, .at = kSecond, .back = 9 * kSecond}};
  return f.says("uneven");
}

TEST(Uneven, is_explained_by_clients_that_slept_in_the_midst_of_training) {
  const std::string told = with_a_wait(0, 10);
  EXPECT_THAT(told, HasSubstr("worker 1 found no model that was ready, and waited from 2.000 s to 12.000 s: a client "
                              "that finds none looks again only after a while. Nothing ties"));
  EXPECT_THAT(told, testing::EndsWith("To do: let clients that find no model look again sooner (recovery_wait_secs)."));
  for (const std::string& other :
       {with_a_wait(2.6, 10), with_a_wait(-1, 10), with_a_wait(0, 5), with_a_wait(0, 5, true)}) {
    EXPECT_THAT(other, Not(HasSubstr("found no model that was ready, and waited")));
    EXPECT_THAT(other, HasSubstr("restart lost processes soon"));
  }
  EXPECT_THAT(with_a_wait(0, 5.5), Not(HasSubstr("and waited"))) << "five of ten";
  EXPECT_THAT(with_a_wait(0, 6), HasSubstr("waited from 2.000 s to 8.000 s"));
}

TEST(Uneven, tells_those_together_that_began_to_sleep_within_a_second) {
  const auto told = [](double second) {
    Facts f(Training::synchronous, 3, 3);
    f.stage(second < 2 ? second : 2, second < 2 ? kThird : kOther, SessionStage::waiting);
    f.stage(second < 2 ? 2 : second, second < 2 ? kOther : kThird, SessionStage::waiting);
    f.stage(20, kOther, SessionStage::ready);
    f.c.accumulators[0].aggregates = {{1, {3, 0, 0}, 3, 9 * kSecond}};
    return f.says("uneven");
  };
  EXPECT_THAT(told(3), HasSubstr("worker 1 and worker 2 found no model that was ready, and waited from 2.000 s to 60"));
  EXPECT_THAT(told(1.5), HasSubstr("worker 1 and worker 2 found no model that was ready, and waited from 1.500 s"));
  EXPECT_THAT(told(3.1), HasSubstr("worker 1 found no model that was ready, and waited from 2.000 s to 20.000 s; and "
                                   "worker 2 found no model that was ready, and waited from 3.100 s to 60.000 s: a"));
  EXPECT_THAT(told(9.5), Not(HasSubstr("worker 2 found"))) << "it was not missing yet";
}

// Two of four aggregates, the first of which is not among them, were filled by one of three workers alone; each hands
// out so many tokens, beside two initial ones.
std::string with_tokens(std::int64_t of_each, bool is_lone_at_first = false) {
  Facts f(Training::synchronous, 2, 3);
  f.c.accumulators[0].aggregates = {
      {1, {1, 1, 0}, 2, 1}, {2, {2, 0, 0}, 2, 2}, {3, {0, 1, 1}, 2, 3}, {4, {2, 0, 0}, 2, 4}};
  if (is_lone_at_first) std::swap(f.c.accumulators[0].aggregates[0], f.c.accumulators[0].aggregates[1]);
  f.c.initial_tokens = {0, 0};
  f.c.tokens_enqueued = 2 + 4 * of_each;
  return f.says("uneven");
}

// One of three workers filled so many aggregates alone, the first of all; the last one's tokens are not all there.
std::string lone_at_first(std::size_t times) {
  Facts f(Training::synchronous, 2, 3);
  for (std::size_t i = 0; i < 6; ++i)
    f.c.accumulators[0].aggregates.push_back(
        {1, i < times ? std::vector<std::int64_t>{2, 0, 0} : std::vector<std::int64_t>{0, 1, 1}, 2, 1});
  f.c.initial_tokens = {0, 0, 0};
  f.c.tokens_enqueued = 3 + 5 * 3 + 1;
  return f.says("uneven");
}

TEST(Uneven, blames_initial_tokens_for_as_many_lone_aggregates_at_the_start_as_they_are_enough_for) {
  EXPECT_THAT(lone_at_first(2), HasSubstr(": 3 initial tokens let a worker go on"));
  EXPECT_THAT(lone_at_first(3), HasSubstr(": each aggregate hands out 3 tokens and needs 2 gradients"));
}

TEST(Uneven, blames_the_tokens_of_who_is_behind_where_an_aggregate_hands_out_more_than_it_needs) {
  EXPECT_EQ(with_tokens(3),
            "2 of 4 aggregates of v:0 were filled by one worker alone. Nothing ties a token or a place in an aggregate "
            "to a worker: each aggregate hands out 3 tokens and needs 2 gradients, so that others go on with the token "
            "of a worker that is behind. To do: make the workers' steps equally long, and keep every worker to the "
            "end.");
  const auto blames_initial_ones = testing::AllOf(HasSubstr(": 2 initial tokens let a worker go on without the others"),
                                                  HasSubstr("To do: start without initial tokens"));
  EXPECT_THAT(with_tokens(2), blames_initial_ones);
  EXPECT_THAT(with_tokens(3, true), blames_initial_ones) << "they were what it had at the start";
}

TEST(Uneven, is_explained_by_steps_that_are_shorter_than_those_of_all_others_by_a_tenth) {
  EXPECT_THAT(with_steps(.1, .05, .12), HasSubstr("its steps are shorter than the others'"));
  EXPECT_THAT(with_steps(.1, .05, .11), HasSubstr("no gradient of another worker was accepted up to 0.100 s."));
  Story s = two_workers();
  s.step(0, TaskId{3u}, 3).take(0, 3).push(1, 1).push(1, 1).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2);
  EXPECT_THAT(s.push(3, 3).ended(3, TaskId{3u}, 3).told("uneven"), HasSubstr("no gradient of another worker"));
}

TEST(Uneven, and_fair_call_an_aggregate_the_only_one_where_there_is_no_other) {
  const auto of = [](const char* kind, std::size_t count, const std::vector<std::int64_t>& by_worker) {
    Facts f(Training::synchronous, std::ssize(by_worker), by_worker.size());
    for (std::size_t i = 0; i < count; ++i) f.c.accumulators[0].aggregates.push_back({1, by_worker, 2, 1});
    return f.says(kind);
  };
  EXPECT_THAT(of("fair", 1, {1, 1}),
              HasSubstr("share: the only aggregate of v:0 holds one gradient of each of the 2 workers."));
  EXPECT_THAT(of("fair", 2, {1, 1}), HasSubstr("share: all 2 aggregates of v:0 hold one gradient of each"));
  EXPECT_THAT(of("uneven", 1, {2, 1, 0}), testing::StartsWith("The only aggregate of v:0 lacks "));
  EXPECT_THAT(of("uneven", 2, {2, 1, 0}), testing::StartsWith("2 of 2 aggregates of v:0 lack "));
}

}  // namespace
}  // namespace tarry
