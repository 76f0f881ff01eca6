// Which verdict comes first.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> kinds(const Story& s, const std::vector<Proof>& proofs) {
  std::vector<std::string> out;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs)) out.push_back(v.kind);
  return out;
}

// Aggregates of two gradients, `lone` of them after the first `before` ones by the chief alone.
Story aggregates(int lone, int all, int before = 0) {
  Story s = two_workers();
  for (int i = 0; i < all; ++i) {
    s.push(1 + i, 1).push(1 + i, before <= i && i < before + lone ? 1 : 2).aggregate(1 + i);
    s.take(1 + i, 2);
  }
  return s;
}

const std::vector<Proof> kSlow{
    {.cause = Cause::slow_worker, .task = kOther, .what = "slow", .instead = "as fast", .gain = 0.4}};

// Of the whole network, which does not tell why one worker went on without another.
const std::vector<Proof> kFar{
    {.cause = Cause::latency, .what = "far", .instead = "a network without latency", .gain = 0.4}};

TEST(Order, what_makes_one_worker_slow_comes_before_the_aggregates_that_lack_it) {
  EXPECT_THAT(kinds(aggregates(8, 10), kSlow), ElementsAre("straggler", "uneven"));
  EXPECT_THAT(kinds(aggregates(8, 10), kFar), ElementsAre("uneven", "latency_bound"));
}

TEST(Order, a_root_or_a_trunk_that_is_narrower_than_the_others_comes_before_the_aggregates_that_lack_its_workers) {
  const auto told = [](Cause cause, const char* b) {
    return kinds(aggregates(8, 10), {{.cause = cause, .b = b, .what = "narrow", .instead = "wider", .gain = 0.4}});
  };
  EXPECT_THAT(told(Cause::pcie, "one"), ElementsAre("pcie_bound", "uneven"));
  EXPECT_THAT(told(Cause::trunks, "one"), ElementsAre("trunk_bound", "uneven"));
  EXPECT_THAT(told(Cause::pcie, ""), ElementsAre("uneven", "pcie_bound")) << "all are alike";
}

TEST(Order, a_design_that_drops_gradients_comes_after_all_that_costs_time) {
  Story s = two_workers();
  for (int i = 0; i < 10; ++i) s.take(1 + i, 1).push(1 + i, 1).aggregate(1 + i, 1).push(1 + i, 2, false);
  const std::vector<std::string> told = kinds(s, kFar);
  EXPECT_THAT(told, testing::Contains("backup"));
  EXPECT_LT(std::ranges::find(told, "latency_bound"), std::ranges::find(told, "backup"));
}

// Both workers' steps take as long; of ten gradients that the other pushes all are dropped.
TEST(Order, a_design_comes_before_what_it_drops_of_workers_that_are_equal) {
  Story s;
  s.ready(0, kChief).ready(0, kOther).take(0, 1);
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto t = static_cast<double>(i);
    s.step(t, kChief, 2 * i + 1).step(t, kOther, 2 * i + 2).push(t + 1, 2 * i + 1).aggregate(t + 1, 1);
    s.push(t + 1, 2 * i + 2, false).take(t + 1, 1).ended(t + 1, kChief, 2 * i + 1).ended(t + 1, kOther, 2 * i + 2);
  }
  EXPECT_THAT(s.told("starved"), HasSubstr("of equal workers some come last"));
  const std::vector<std::string> told = kinds(s, {});
  EXPECT_LT(std::ranges::find(told, "backup"), std::ranges::find(told, "starved"));
}

// An aggregate needs one gradient of two: that of the other worker is dropped.
TEST(Order, what_makes_one_worker_slow_comes_before_what_is_dropped_of_it) {
  Story s = two_workers();
  for (int i = 0; i < 10; ++i) s.take(1 + i, 1).push(1 + i, 1).aggregate(1 + i, 1).push(1 + i, 2, false);
  const std::vector<std::string> told = kinds(s, kSlow), without = kinds(s, {});
  EXPECT_EQ(told.front(), "straggler");
  EXPECT_THAT(told, testing::Contains("backup"));
  EXPECT_THAT(without, testing::Contains("backup"));
}

TEST(Order, what_costs_time_comes_before_how_training_goes) {
  EXPECT_THAT(kinds(aggregates(0, 10), kFar), ElementsAre("latency_bound", "fair"));
  EXPECT_THAT(kinds(aggregates(0, 10), {}), ElementsAre("fair"));
}

TEST(Order, a_cause_comes_before_a_tenth_of_the_aggregates_that_lack_a_worker) {
  EXPECT_THAT(kinds(aggregates(1, 10), kSlow), ElementsAre("straggler", "uneven"));
  EXPECT_THAT(kinds(aggregates(1, 10), kFar), ElementsAre("latency_bound", "uneven"));
  EXPECT_THAT(kinds(aggregates(1, 10), {}), ElementsAre("uneven"));
}

// Two workers meet every second; worker 1 is lost for 5 s, and then worker 0 for 9 s.
Story two_losses() {
  Story s = two_workers();
  double t = 0;
  for (int i = 0; i < 12; ++i) {
    const TaskId lost = i == 4 ? kOther : i == 8 ? kChief : TaskId::none();
    if (lost.valid()) s.at(t, ProcessEnded{lost});
    t += i == 4 ? 5 : i == 8 ? 9 : 1;
    if (lost.valid()) s.at(t, ProcessBegan{lost, 1}).ready(t, lost);
    s.push(t, 1).push(t, 2).aggregate(t).take(t, 2);
  }
  return s;
}

Proof of_faults(TaskId task, double gain) {
  return {.cause = Cause::faults, .task = task, .what = "lost", .instead = fmt::format("{} less", gain), .gain = gain};
}

// Of a standstill, who was lost.
std::vector<std::string> told_of_losses(const std::vector<Proof>& proofs) {
  const Story s = two_losses();
  std::vector<std::string> out;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    out.push_back(v.kind == "stalled" ? v.text.substr(v.text.find("the process of ") + 15, 8) : v.kind);
  return out;
}

TEST(Order, the_standstill_that_costs_most_comes_first_and_what_is_no_fault_after_both) {
  EXPECT_THAT(told_of_losses({of_faults(kOther, .3), of_faults(kChief, .2)}), ElementsAre("worker 1", "worker 0"));
  EXPECT_THAT(told_of_losses({of_faults(kOther, .2), of_faults(kChief, .3)}), ElementsAre("worker 0", "worker 1"));
  EXPECT_THAT(told_of_losses({of_faults(kOther, .2), of_faults(kChief, .3), kSlow[0]}),
              ElementsAre("worker 0", "worker 1", "straggler"));
}

TEST(Order, what_costs_more_than_twice_as_much_as_a_fault_comes_before_it) {
  const auto told = [](Cause cause, double gain) {
    return told_of_losses({of_faults(kOther, .1),
                           of_faults(kChief, .3),
                           {.cause = cause, .task = kOther, .what = "slow", .instead = "as fast", .gain = gain}});
  };
  EXPECT_THAT(told(Cause::slow_worker, .5), ElementsAre("worker 0", "straggler", "worker 1"));
  EXPECT_THAT(told(Cause::slow_worker, .7), ElementsAre("straggler", "worker 0", "worker 1"));
  EXPECT_THAT(told(Cause::slow_worker, .19), ElementsAre("worker 0", "worker 1", "straggler"));
  EXPECT_THAT(told(Cause::latency, .5), ElementsAre("worker 0", "latency_bound", "worker 1")) << "half, of all hosts";
  EXPECT_THAT(told(Cause::latency, .39), ElementsAre("worker 0", "worker 1", "latency_bound"));
}

TEST(Order, uneven_aggregates_count_by_their_share_and_a_worker_that_began_alone_counts_most) {
  const auto far = [](double gain) {
    std::vector<Proof> proofs = kFar;
    proofs[0].gain = gain;
    return proofs;
  };
  EXPECT_THAT(kinds(aggregates(2, 10, 5), far(.9)), ElementsAre("latency_bound", "uneven"));
  EXPECT_THAT(kinds(aggregates(2, 10, 5), far(.7)), ElementsAre("uneven", "latency_bound"));
  EXPECT_THAT(kinds(aggregates(2, 10), far(.9)), ElementsAre("uneven", "latency_bound"));
}

TEST(Order, that_a_job_stands_still_comes_first) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).ended(1, kChief, 1).step(1, kChief, 2).at(2, ProcessEnded{kPs});
  s.at(60, LogLine{kChief, 'I', kNoDetail});
  s.log.is_deadlocked = true;
  const std::vector<std::string> told = kinds(s, {});
  ASSERT_THAT(told, testing::Contains("asynchronous"));
  EXPECT_EQ(told.front(), "stuck");
}

// ---- uneven ----

TEST(Uneven, asks_for_no_initial_tokens_only_where_enough_workers_stayed) {
  const auto told = [](bool is_gone) {
    Story s = aggregates(2, 4);
    s.log.set_names({"v:0/grad_accum", "global_step", "", "error"});
    s.at(0, StepBegan{kChief, StepId{50}, Purpose::init_tokens});
    s.at(0, Enqueued{.task = kPs, .queue = NameId{1u}, .step = StepId{50}});
    if (is_gone) s.at(9, SessionMoved{kOther, SessionStage::failed, NameId{3u}});
    return s.told("uneven");
  };
  EXPECT_THAT(told(false), HasSubstr("num_tokens=0"));
  EXPECT_THAT(told(true), Not(HasSubstr("num_tokens=0"))) << "the job would stand still";
}

TEST(Uneven, names_nobody_where_each_is_missing_once) {
  Story s = two_workers();
  s.ready(0, TaskId{3u}).step(0, TaskId{3u}, 3).take(0, 3);
  s.push(1, 1).push(1, 1).push(1, 2).aggregate(1, 3).take(1, 3).push(2, 1).push(2, 1).push(2, 3).aggregate(2, 3);
  TaskNames tasks = kTasks;
  tasks.names.emplace_back("/job:worker/replica:0/task:2");
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "uneven") EXPECT_THAT(v.text, HasSubstr("2 of 2 aggregates of v:0 lack some worker."));
}

TEST(Uneven, counts_what_one_worker_filled_where_there_are_backup_workers) {
  Story s = two_workers();
  s.ready(0, TaskId{3u}).step(0, TaskId{3u}, 3).push(1, 1).push(1, 2).aggregate(1);
  for (int i = 0; i < 2; ++i) s.push(2, 3).push(2, 3).aggregate(2);
  EXPECT_THAT(s.told("uneven"), HasSubstr("2 of 3 aggregates of v:0 were filled by one worker alone."));
}

TEST(Uneven, leaves_what_backup_workers_drop_to_their_verdict) {
  Story s = two_workers();
  s.take(0, 1);
  for (int i = 0; i < 3; ++i) s.push(1 + i, 1).push(1 + i, 1).aggregate(1 + i).take(1 + i, 1).push(1 + i, 2, false);
  EXPECT_THAT(s.told("uneven"), Not(HasSubstr("dropped in silence")));
  EXPECT_THAT(aggregates(2, 4).told("uneven"), HasSubstr("0 gradients were dropped in silence as stale."));
}

TEST(Uneven, names_who_is_in_none_of_them_or_is_missing_most_often) {
  const auto told = [](std::vector<std::pair<int, int>> pushes) {
    Story s = two_workers();
    for (const auto& [a, b] : pushes)
      s.push(1, static_cast<std::uint64_t>(a)).push(1, static_cast<std::uint64_t>(b)).aggregate(1);
    return s.told("uneven");
  };
  EXPECT_THAT(told({{1, 2}, {1, 1}, {1, 1}}), HasSubstr("2 of 3 aggregates of v:0 lack worker 1."));
  EXPECT_THAT(told({{1, 2}, {1, 1}, {1, 1}, {2, 2}}),
              HasSubstr("3 of 4 aggregates of v:0 lack some worker, most often worker 1 (2 times)."));
  EXPECT_THAT(told({{1, 2}, {1, 1}, {2, 2}, {1, 1}, {2, 2}}), HasSubstr("lack some worker."));
  Story alone = aggregates(3, 3), both = aggregates(3, 3);
  EXPECT_THAT(alone.ended(5, kChief, 1).told("uneven"), HasSubstr("by itself: no step of another worker ended."));
  EXPECT_THAT(both.ended(5, kChief, 1).ended(5, kOther, 2).told("uneven"), HasSubstr("its steps are shorter than"));
  Story waits = two_workers();
  waits.push(1, 1).aggregate(1, 1).push(2, 1).aggregate(2, 1).ended(2, kChief, 1);
  EXPECT_THAT(waits.told("uneven"), HasSubstr("2 of 2 aggregates of v:0 lack worker 1, whose first step did not end."));
  EXPECT_THAT(told({{1, 2}, {1, 1}, {2, 2}}), HasSubstr("2 of 3 aggregates of v:0 lack some worker."));
}

// ---- starved ----

TEST(Starved, says_what_makes_a_step_longer_than_that_of_the_median_worker) {
  Story s = two_workers();
  for (std::uint64_t i = 1; i < 5; ++i) {
    const double t = static_cast<double>(i);
    s.step(t, kChief, 2 * i).step(t, kOther, 2 * i + 1);
    s.push(t + 0.1, 2 * i).at(t + 0.6, MessageDelivered{kPs, kOther, kNoDetail, 9, static_cast<Nanos>(t * kSecond)});
    s.push(t + 0.9, 2 * i + 1, false).ended(t + 0.9, kChief, 2 * i).ended(t + 0.9, kOther, 2 * i + 1);
  }
  EXPECT_THAT(s.told("starved"),
              HasSubstr("A step of worker 1 takes 0.900 s up to its push and one of the median worker 0.100 s: most of "
                        "the difference is latency."));
}

// Of its four steps one takes much longer.
TEST(Starved, is_not_as_fast_as_the_others_whose_steps_are_longer_on_average) {
  Story s = two_workers();
  for (std::uint64_t i = 1; i < 5; ++i) {
    const double t = static_cast<double>(i), its = i == 4 ? 0.9 : 0.1;
    s.step(t, kChief, 2 * i).step(t, kOther, 2 * i + 1).push(t + 0.1, 2 * i).push(t + its, 2 * i + 1, false);
    s.ended(t + 0.9, kChief, 2 * i).ended(t + 0.9, kOther, 2 * i + 1);
  }
  EXPECT_THAT(s.told("starved"),
              HasSubstr("A step of worker 1 takes 0.300 s up to its push on average and one of the median worker "
                        "0.100 s: most of the difference is computing."));
}

// ---- absent ----

// The chief trains alone from the beginning; worker 1 is on a host that is parted, from then on.
TEST(Absent, is_no_worker_that_was_cut_off_when_training_began) {
  const auto told = [](double parted_at, const char* host) {
    Story s;
    s.log.set_names({"v:0/grad_accum", "global_step", "", "part", "nothing passes", host, "s0"});
    s.ready(0, kChief).step(0, kChief, 1).take(0, 1).at(0, SyncPlanned{kChief, 1, 2, 0});
    s.at(parted_at, ConditionChanged{NameId{4u}, NameId{3u}, NameId{5u}, NameId{6u}, true});
    s.push(2, 1).aggregate(2, 1).ended(2, kChief, 1);
    TaskNames tasks = kTasks;
    tasks.hosts = {"s0", "h0", "h1"};
    for (const Verdict& v : judge(s.log, s.contributions(), tasks))
      if (v.kind == "absent") return v.text;
    return std::string();
  };
  EXPECT_EQ(told(0, "h1"), "");
  EXPECT_THAT(told(0, "h0"), HasSubstr("worker 1 never began a step"));
  EXPECT_THAT(told(1, "h1"), HasSubstr("worker 1 never began a step")) << "it was not there before that";
}

// ---- slowed ----

TEST(Slowed, by_several_faults_says_what_is_to_be_done_about_each) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "delay", "messages between h0 and s0 take 1 s", "h0", "s0",
                   "h1", "messages between h1 and s0 take 1 s"});
  s.at(0.1, ConditionChanged{NameId{4u}, NameId{3u}, NameId{5u}, NameId{6u}, true});
  s.at(0.1, ConditionChanged{NameId{8u}, NameId{3u}, NameId{7u}, NameId{6u}, true});
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2);
  const std::vector<Proof> proofs{
      {.cause = Cause::faults, .what = "there were faults", .instead = "without any", .gain = 0.5, .together = true}};
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == "slowed")
      EXPECT_THAT(v.text, testing::EndsWith("50.0 % less time. To do: look at the path between h0 and s0, and between "
                                            "h1 and s0."));
  EXPECT_THAT(kinds(s, proofs), testing::Contains("slowed"));
}

}  // namespace
}  // namespace tarry
