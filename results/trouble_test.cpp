// What was wrong, from when to when, from logs written by hand.

#include "results/trouble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "results/at_work.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

struct Bad : Story {
  Bad() {
    log.set_names({"", "", "", "part", "slow", "host0", "host1", "/job:worker/replica:0/task:1", "slow_save",
                   "/job:ps/replica:0/task:0"});
  }
  Bad& slow_saves(double t, bool holds) {
    at(t, ConditionChanged{NameId{8u}, NameId{8u}, NameId{9u}, kNoDetail, holds});
    return *this;
  }
  Bad& saves(double from, double to, std::uint64_t id) {
    at(from, StepBegan{kChief, StepId{id}, Purpose::save}).at(to, StepEnded{kChief, StepId{id}, 0});
    return *this;
  }
  Bad& parted(double t, bool holds) {
    at(t, ConditionChanged{NameId{3u}, NameId{3u}, NameId{5u}, NameId{6u}, holds});
    return *this;
  }
  Bad& slowed(double t, bool holds) {
    at(t, ConditionChanged{NameId{4u}, NameId{4u}, NameId{7u}, kNoDetail, holds});
    return *this;
  }
  Bad& moved(double t, TaskId task, SessionStage stage) {
    at(t, SessionMoved{task, stage, kNoDetail});
    return *this;
  }
  [[nodiscard]] std::vector<Trouble> troubles() const { return read_troubles(log, kTasks, read_losses(log)); }
  // "parted 3-5": whole seconds.
  [[nodiscard]] std::vector<std::string> told() const {
    constexpr const char* kKinds[] = {"gone",    "failed",   "left",       "parted", "parted one way",
                                      "delayed", "slowed",   "paused",     "jammed", "breaking",
                                      "held",    "narrowed", "slowed host"};
    std::vector<std::string> all;
    for (const Trouble& t : troubles())
      all.push_back(fmt::format("{} {}-{}", kKinds[static_cast<int>(t.kind)], t.from / kSecond,
                                t.to < 0 ? "" : std::to_string(t.to / kSecond)));
    return all;
  }
};

TEST(Troubles, hold_from_their_beginning_to_just_before_their_end) {
  const Trouble t{.from = 3, .to = 5}, for_good{.from = 3};
  EXPECT_FALSE(t.holds_at(2));
  EXPECT_TRUE(t.holds_at(3));
  EXPECT_TRUE(t.holds_at(4));
  EXPECT_FALSE(t.holds_at(5));
  EXPECT_TRUE(for_good.holds_at(5));
}

TEST(Troubles, end_when_their_condition_does_or_is_set_anew) {
  EXPECT_THAT(Bad().parted(3, true).parted(5, false).told(), ElementsAre("parted 3-5"));
  EXPECT_THAT(Bad().parted(3, true).parted(5, true).told(), ElementsAre("parted 3-5", "parted 5-"));
  EXPECT_THAT(Bad().parted(3, true).slowed(4, true).slowed(6, false).told(), ElementsAre("parted 3-", "slowed 4-6"));
}

TEST(Troubles, of_slow_saves_are_over_when_the_save_is_that_was_under_way_at_their_end) {
  Bad b;
  b.slow_saves(1, true).saves(2, 3, 7).at(4, StepBegan{kChief, StepId{8}, Purpose::save});
  b.slow_saves(5, false).at(6, StepEnded{kChief, StepId{8}, 0});
  b.saves(7, 9, 10);
  ASSERT_THAT(b.told(), ElementsAre("slowed 1-5"));
  EXPECT_EQ(b.troubles()[0].over, 6 * kSecond);
  Bad before;
  before.slow_saves(1, true).saves(2, 3, 7).slow_saves(5, false);
  EXPECT_EQ(before.troubles()[0].over, 5 * kSecond);
}

TEST(Troubles, that_were_over_before_training_started_do_not_last_to_the_end) {
  EXPECT_THAT(Bad().parted(-3, true).parted(-2, false).told(), ElementsAre("parted -3-0"));
  Bad b;
  b.moved(-9, kOther, SessionStage::ready).at(-5, ProcessEnded{kOther}).at(-3, ProcessBegan{kOther, 1});
  EXPECT_THAT(b.moved(-2, kOther, SessionStage::ready).told(), ElementsAre("gone -5-0"));
  EXPECT_EQ(b.troubles()[0].back, 0);
  Bad server;
  server.moved(-9, kChief, SessionStage::ready).at(-5, ProcessEnded{kPs}).at(-3, ProcessBegan{kPs, 1});
  server.moved(-2, kChief, SessionStage::created).moved(-1, kChief, SessionStage::ready);
  EXPECT_THAT(server.told(), ElementsAre("gone -5-0"));
}

TEST(Troubles, come_in_the_order_of_their_beginnings) {
  Bad b;
  b.parted(3, true).at(5, ProcessEnded{kOther});
  EXPECT_THAT(b.told(), ElementsAre("parted 3-", "gone 5-"));
}

TEST(Troubles, of_a_worker_that_is_gone_end_when_its_session_is_ready) {
  Bad b;
  b.moved(0, kOther, SessionStage::ready).at(5, ProcessEnded{kOther}).at(7, ProcessBegan{kOther, 1});
  b.at(8, ProcessBegan{kOther, 2});
  EXPECT_THAT(b.told(), ElementsAre("gone 5-"));
  EXPECT_EQ(b.troubles()[0].back, 7 * kSecond);
  EXPECT_THAT(b.moved(9, kOther, SessionStage::ready).told(), ElementsAre("gone 5-9"));
}

TEST(Troubles, of_a_server_that_is_gone_end_when_a_session_that_was_ready_is_so_again) {
  Bad b;
  b.moved(0, kChief, SessionStage::ready).at(5, ProcessEnded{kPs});
  b.moved(6, kChief, SessionStage::ready).at(7, ProcessBegan{kPs, 1});
  EXPECT_THAT(b.told(), ElementsAre("gone 5-7"));
  EXPECT_THAT(b.moved(8, kOther, SessionStage::ready).told(), ElementsAre("gone 5-7"));
  EXPECT_THAT(b.moved(9, kChief, SessionStage::created).told(), ElementsAre("gone 5-"));
  EXPECT_THAT(b.moved(10, kChief, SessionStage::ready).told(), ElementsAre("gone 5-10"));
}

TEST(Troubles, of_a_server_tell_of_a_session_only_where_one_was_made_anew) {
  Bad b;
  b.moved(0, kChief, SessionStage::ready).at(5, ProcessEnded{kPs}).at(7, ProcessBegan{kPs, 1});
  const std::string gone = "the process of ps 0 ended at 5.000 s with all that it held, the next one began at 7.000 s";
  EXPECT_EQ(in_words(b.troubles()[0], kTasks), gone);
  b.moved(7.5, kChief, SessionStage::created);
  EXPECT_EQ(in_words(b.troubles()[0], kTasks), gone + ", and no session was ready again before the end");
  b.moved(8, kChief, SessionStage::ready);
  EXPECT_EQ(in_words(b.troubles()[0], kTasks), gone + ", and the first session was ready again at 8.000 s");
}

// The chief computes for a step that began before or after the server was lost, or does nothing.
TEST(Troubles, of_a_server_last_while_a_client_computes_for_a_step_that_was_lost_with_it) {
  const auto told = [](double began, bool computes, bool was_ready = true) {
    Bad b;
    b.moved(0, was_ready ? kChief : kOther, SessionStage::ready);
    if (began < 5) b.step(began, kChief, 1);
    b.at(5, ProcessEnded{kPs}).at(7, ProcessBegan{kPs, 1});
    if (began > 5) b.step(began, kChief, 1);
    if (computes) b.at(9, KernelCutOff{.task = kChief, .step = StepId{1}});
    b.at(9, RunEnded{});
    return b.told().at(0);
  };
  EXPECT_EQ(told(4, true), "gone 5-");
  EXPECT_EQ(told(8, true), "gone 5-7") << "it began with the next process";
  EXPECT_EQ(told(4, false), "gone 5-7");
  EXPECT_EQ(told(4, true, false), "gone 5-7") << "it had no session to lose";
}

TEST(Troubles, a_client_leaves_once_until_it_is_ready_again) {
  Bad b;
  b.moved(3, kChief, SessionStage::left_loop).moved(4, kChief, SessionStage::closed);
  EXPECT_THAT(b.told(), ElementsAre("left 3-"));
  EXPECT_THAT(b.moved(6, kChief, SessionStage::ready).told(), ElementsAre("left 3-6"));
  EXPECT_THAT(b.moved(7, kChief, SessionStage::closed).told(), ElementsAre("left 3-6", "left 7-"));
}

TEST(Troubles, a_client_that_failed_has_not_left_as_well) {
  Bad b;
  b.moved(3, kChief, SessionStage::failed).moved(4, kChief, SessionStage::closed);
  EXPECT_THAT(b.told(), ElementsAre("failed 3-"));
}

TEST(Troubles, of_one_direction_and_of_both_end_each_for_itself) {
  Bad b;
  b.log.set_names({"what", "part_one_way", "part", "", "", "host0", "host1"});
  const auto condition = [](std::uint32_t kind, bool holds) {
    return ConditionChanged{NameId{0u}, NameId{kind}, NameId{5u}, NameId{6u}, holds};
  };
  b.at(3, condition(1, true)).at(4, condition(2, true)).at(5, condition(1, false));
  EXPECT_THAT(b.told(), ElementsAre("parted one way 3-5", "parted 4-"));
  EXPECT_EQ(end_in_words(b.troubles()[0], kTasks), "messages passed again from host0 to host1");
}

struct BadOfMany : Bad {
  BadOfMany() {
    log.set_names({"what", "", "", "throttle", "slow", "pause", "part_breaking", "lose_host", "lose_gpu", "host0",
                   "host1", "/job:worker/replica:0/task:1", "GPU sync failed here", "GPU:0", "GPU:1",
                   "the process of /job:worker/replica:0/task:1 stands still"});
  }
  BadOfMany& condition(double t, std::uint32_t kind, std::uint32_t a, std::uint32_t b, bool holds,
                       std::uint32_t what = 0) {
    at(t, ConditionChanged{NameId{what}, NameId{kind}, NameId{a}, NameId{b}, holds});
    return *this;
  }
};

TEST(Troubles, of_one_task_end_each_for_itself) {
  BadOfMany b;
  b.condition(1, 4, 11, 2, true).condition(2, 3, 11, 13, true).condition(3, 3, 11, 14, true);
  b.condition(5, 3, 11, 13, false).condition(6, 4, 11, 2, false);
  EXPECT_THAT(b.told(), ElementsAre("slowed 1-6", "slowed 2-5", "slowed 3-"));
}

TEST(Troubles, a_process_that_stands_still_does_so_until_it_goes_on_or_ends) {
  EXPECT_THAT(BadOfMany().condition(1, 5, 11, 2, true).condition(4, 5, 11, 2, false).told(), ElementsAre("paused 1-4"));
  BadOfMany b;
  b.condition(1, 5, 11, 2, true, 15).at(3, ProcessEnded{kOther});
  EXPECT_THAT(b.told(), ElementsAre("paused 1-3", "gone 3-"));
  EXPECT_EQ(in_words(b.troubles()[0], kTasks), "the process of worker 1 stands still from 1.000 s to 3.000 s");
  EXPECT_EQ(end_in_words(b.troubles()[0], kTasks), "the process of worker 1 went on");
}

TEST(Troubles, a_partition_that_broke_sessions_lasts_until_one_is_ready_again) {
  BadOfMany whole, broken;
  for (BadOfMany* b : {&whole, &broken}) b->ready(0, kOther);
  whole.condition(1, 6, 9, 10, true).condition(3, 6, 9, 10, false);
  EXPECT_THAT(whole.told(), ElementsAre("breaking 1-3"));
  EXPECT_EQ(end_in_words(whole.troubles()[0], kTasks), "messages passed again between host0 and host1");
  broken.condition(1, 6, 9, 10, true).moved(2, kOther, SessionStage::created);
  broken.condition(3, 6, 9, 10, false);
  EXPECT_THAT(broken.told(), ElementsAre("breaking 1-"));
  EXPECT_EQ(in_words(broken.troubles()[0], kTasks),
            "what from 1.000 s to 3.000 s, and no session was ever ready again");
  broken.ready(8, kOther);
  EXPECT_THAT(broken.told(), ElementsAre("breaking 1-8"));
  EXPECT_EQ(in_words(broken.troubles()[0], kTasks),
            "what from 1.000 s to 3.000 s, and the first session was ready again at 8.000 s");
}

TEST(Troubles, of_processes_and_clients_say_which_fault_was_before) {
  BadOfMany b;
  b.condition(1, 7, 10, 2, false).at(1, ProcessEnded{kOther}).at(2, ProcessEnded{kChief});
  TaskNames tasks = kTasks;
  tasks.hosts = {"host0", "host0", "host1"};
  const auto gone = read_troubles(b.log, tasks, read_losses(b.log));
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[0].why, "what");
  EXPECT_EQ(gone[1].why, "");
  BadOfMany lost;
  lost.condition(1, 8, 11, 13, true).at(3, SessionMoved{kOther, SessionStage::failed, NameId{12u}});
  EXPECT_EQ(in_words(lost.troubles()[0], kTasks),
            "worker 1 left training with an error at 3.000 s (GPU sync failed here); before that: what at 1.000 s");
  lost.at(4, SessionMoved{kChief, SessionStage::failed, NameId{0u}});
  EXPECT_EQ(lost.troubles()[1].why, "");
}

TEST(Troubles, of_a_client_that_left_say_so_where_its_data_was_at_its_end) {
  const auto said = [](const std::string& error) {
    return in_words({.kind = Trouble::Kind::left, .task = kOther, .from = 3 * kSecond, .text = error}, kTasks);
  };
  const std::string left = "worker 1 left training at 3.000 s",
                    ended = " is closed and has insufficient elements (...)";
  EXPECT_EQ(said(""), left);
  EXPECT_EQ(said("RandomShuffleQueue '_0_batch'" + ended), left + ", as its data was at its end");
  EXPECT_EQ(said("FIFOQueue 'sync_token_q'" + ended), left) << "the chief closed it";
}

TEST(Troubles, of_several_hosts_name_each_by_its_whole_name) {
  EXPECT_TRUE(has_word("host1 and host2", "host1") && has_word("host1, host2", "host2") && has_word("host1", "host1"));
  EXPECT_FALSE(has_word("host10, ahost1", "host1") || has_word("", "host1"));
}

TEST(Troubles, that_began_before_training_did_are_told_so) {
  Bad bad;
  bad.at(10, ProcessEnded{kOther});
  bad.parted(11, true);
  const auto told = [&](Nanos started) {
    bad.log.started_at = started;
    std::string all;
    for (const Trouble& t : bad.troubles()) all += in_words(t, kTasks) + "; ";
    return all;
  };
  EXPECT_EQ(told(34 * kSecond),
            "the process of worker 1 ended 24.000 s before the start and did not come back; "
            "part from 23.000 s before the start on; ");
  EXPECT_THAT(told(10 * kSecond + 100), testing::HasSubstr("ended at 0.000 s and"));
}

TEST(Troubles, of_a_server_end_when_it_is_back_where_no_session_had_been_ready) {
  Bad b;
  b.moved(1, kChief, SessionStage::created).at(5, ProcessEnded{kPs}).at(7, ProcessBegan{kPs, 1});
  EXPECT_THAT(b.moved(8, kChief, SessionStage::created).moved(9, kChief, SessionStage::ready).told(),
              ElementsAre("gone 5-7"));
}

TEST(Troubles, that_break_connections_tell_when_they_passed_and_when_sessions_were_ready) {
  const auto told = [](Nanos back, Nanos to) {
    return in_words({.kind = Trouble::Kind::breaking, .from = kSecond, .to = to, .back = back, .text = "IT BROKE"},
                    kTasks);
  };
  EXPECT_EQ(told(-1, -1), "IT BROKE from 1.000 s on");
  EXPECT_EQ(told(2 * kSecond, 2 * kSecond), "IT BROKE from 1.000 s to 2.000 s");
  EXPECT_EQ(told(2 * kSecond, -1), "IT BROKE from 1.000 s to 2.000 s, and no session was ever ready again");
  EXPECT_EQ(told(2 * kSecond, 3 * kSecond),
            "IT BROKE from 1.000 s to 2.000 s, and the first session was ready again at 3.000 s");
}

TEST(Troubles, end_with_what_took_its_usual_time_again) {
  const auto end = [](Trouble::Kind kind, const char* fault) {
    return end_in_words({.kind = kind, .task = kOther, .a = "host1", .fault = fault}, kTasks);
  };
  EXPECT_EQ(end(Trouble::Kind::slowed, "slow_save x"), "the saves of worker 1 took their usual time");
  EXPECT_EQ(end(Trouble::Kind::slowed, "slow x"), "the kernels of worker 1 took their usual time");
  EXPECT_EQ(end(Trouble::Kind::slowed_host, ""), "the kernels on host1 took their usual time");
  EXPECT_EQ(end(Trouble::Kind::paused, ""), "the process of worker 1 went on");
}

// Worker 1 is slow from 2 s to 4 s, in a step that is under way at the end; what of it the end of the run cut off began
// at `asked`, or nothing was.
Nanos over_with_cut_off(std::optional<double> asked, bool is_kernel = true) {
  Bad b;
  b.step(1, kOther, 1);
  b.slowed(2, true).slowed(4, false);
  const auto since = static_cast<Nanos>(asked.value_or(0) * kSecond);
  if (asked && is_kernel) b.at(9, KernelCutOff{.task = kOther, .step = StepId{1}, .asked = since});
  if (asked && !is_kernel) b.at(9, MessageCutOff{.from = kOther, .to = kPs, .sent = since});
  b.at(9, RunEnded{});
  return b.troubles()[0].over;
}

TEST(Troubles, that_slow_down_are_over_at_their_end_where_what_is_under_way_did_not_begin_meanwhile) {
  EXPECT_EQ(over_with_cut_off({}), 9 * kSecond) << "what the step waits for is not known";
  EXPECT_EQ(over_with_cut_off(3), 9 * kSecond);
  EXPECT_EQ(over_with_cut_off(2), 9 * kSecond);
  EXPECT_EQ(over_with_cut_off(1), 4 * kSecond);
  EXPECT_EQ(over_with_cut_off(4), 4 * kSecond);
  EXPECT_EQ(over_with_cut_off(3, false), 4 * kSecond) << "it slows no messages";
}

TEST(Troubles, of_messages_are_not_of_kernels_that_began_meanwhile) {
  EventLog log;
  log.add(9 * kSecond, KernelCutOff{.task = kOther, .asked = 3 * kSecond});
  EXPECT_TRUE(may_have_begun(log, kOther, true, 2 * kSecond, 4 * kSecond));
  EXPECT_FALSE(may_have_begun(log, kOther, false, 2 * kSecond, 4 * kSecond));
  EXPECT_TRUE(may_have_begun(log, kChief, false, 2 * kSecond, 4 * kSecond)) << "nothing of it was cut off";
}

}  // namespace
}  // namespace tarry
