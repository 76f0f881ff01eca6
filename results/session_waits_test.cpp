// Who waits for whom in CreateSession, and what outlasts a fault, from logs written by hand.

#include "results/session_waits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr NameId kWaitsForOther{3u}, kWaitsForPs{4u}, kWaitsForNobody{5u}, kClosed{6u};

Story with_lines() {
  Story s;
  const std::string waiting = "CreateSession still waiting for response from worker: ";
  s.log.set_names({"v:0/grad_accum", "global_step", "", waiting + kTasks.names[2], waiting + kTasks.names[0],
                   waiting + "/job:worker/replica:0/task:9", "FIFOQueue 'stale_token_q_0' is closed"});
  return s;
}

TEST(SessionWaits, begin_ten_seconds_before_their_first_line_and_end_with_the_session) {
  Story s = with_lines();
  s.at(12, LogLine{kChief, 'I', kWaitsForOther}).at(22, LogLine{kChief, 'I', kWaitsForOther});
  s.at(22, LogLine{kChief, 'I', kWaitsForNobody}).at(24, SessionMoved{kChief, SessionStage::created, kNoDetail});
  s.at(39, LogLine{kChief, 'I', kWaitsForPs}).at(41, ProcessEnded{kChief}).at(60, LogLine{kOther, 'I', kWaitsForPs});
  EXPECT_THAT(read_session_waits(s.log, kTasks), ElementsAre(SessionWait{kChief, kOther, 2 * kSecond, 24 * kSecond},
                                                             SessionWait{kChief, kPs, 29 * kSecond, 41 * kSecond},
                                                             SessionWait{kOther, kPs, 50 * kSecond, -1}));
}

TEST(SessionWaits, end_with_the_session_of_their_own_client) {
  Story s = with_lines();
  s.at(10, LogLine{kChief, 'I', kWaitsForOther}).at(10, LogLine{kOther, 'I', kWaitsForPs});
  s.at(12, SessionMoved{kChief, SessionStage::created, kNoDetail}).at(15, LogLine{kChief, 'I', kNoDetail});
  EXPECT_THAT(read_session_waits(s.log, kTasks),
              ElementsAre(SessionWait{kChief, kOther, 0, 12 * kSecond}, SessionWait{kOther, kPs, 0, -1}));
}

TEST(SessionWaits, end_when_their_line_does_not_come_again) {
  Story s = with_lines();
  s.at(10, LogLine{kChief, 'I', kWaitsForOther}).at(20, LogLine{kChief, 'I', kWaitsForOther});
  for (const double t : {10.0, 20.0, 30.0, 40.0, 50.0, 60.0}) s.at(t, LogLine{kChief, 'I', kWaitsForPs});
  s.at(60, LogLine{kChief, 'I', kWaitsForOther}).at(65, LogLine{kChief, 'I', kNoDetail});
  EXPECT_THAT(read_session_waits(s.log, kTasks),
              ElementsAre(SessionWait{kChief, kPs, 0, -1}, SessionWait{kChief, kOther, 0, 30 * kSecond},
                          SessionWait{kChief, kOther, 50 * kSecond, -1}));
}

// Asynchronous: worker 1 is lost for good at 2 s, worker 0 loses its session at 5 s. Of three workers one trains on.
// The log of `says_so` tells of the wait.
std::string waits_for_a_dead_worker(std::optional<TaskId> says_so) {
  Story s = with_lines();
  const TaskId third{3u};
  for (const TaskId w : {kChief, kOther, third}) s.ready(0, w);
  for (std::uint64_t t = 0; t < 60; ++t) {
    const double at = static_cast<double>(t);
    s.step(at, third, 3 * t);
    if (t < 5) s.step(at, kChief, 3 * t + 1).ended(at + 0.5, kChief, 3 * t + 1);
    if (t < 2) s.step(at, kOther, 3 * t + 2).ended(at + 0.5, kOther, 3 * t + 2);
    if (t == 2) s.at(2, ProcessEnded{kOther});
    s.ended(at + 0.9, third, 3 * t);
    if (t >= 15 && t % 10 == 5 && says_so) s.at(at + 0.9, LogLine{*says_so, 'I', kWaitsForOther});
  }
  TaskNames tasks = kTasks;
  tasks.names.emplace_back("/job:worker/replica:0/task:2");
  std::string told;
  for (const Verdict& v : judge(s.log, s.contributions(), tasks))
    if (v.kind == "went_on") told += v.text + "\n";
  return told;
}

TEST(SessionWaits, name_whom_a_worker_waits_for_and_ask_for_device_filters) {
  EXPECT_THAT(waits_for_a_dead_worker(kChief),
              AllOf(HasSubstr("after 4.500 s no step of worker 0 ended. The cause: the process of worker 1 ended at "
                              "2.000 s and did not come back. worker 0 waits for worker 1 in CreateSession: without "
                              "device filters a session is made on every task of the cluster."),
                    HasSubstr("To do: set device_filters, so that no session waits for another worker; or restart")));
  EXPECT_THAT(waits_for_a_dead_worker({}), AllOf(Not(HasSubstr("device")), Not(HasSubstr("no step of worker 0"))));
}

// Whoever alters a log may write any number for a task.
TEST(SessionWaits, of_a_client_that_the_log_does_not_name_hold_up_nobody) {
  EXPECT_EQ(waits_for_a_dead_worker(TaskId{1'000'000u}), waits_for_a_dead_worker({}));
}

// Worker 1 ends at 2 s, worker 0 at 3 s; the next process of worker 0 begins at 4 s and asks for a session.
TEST(SessionWaits, of_a_worker_that_was_lost_itself_are_told_with_its_loss) {
  const auto told = [](NameId line) {
    Story s = with_lines();
    const TaskId third{3u};
    for (const TaskId w : {kChief, kOther, third}) s.ready(0, w).step(0, w, w.index());
    s.at(2, ProcessEnded{kOther}).at(3, ProcessEnded{kChief}).at(4, ProcessBegan{kChief, 1});
    s.at(14, LogLine{kChief, 'I', line}).ended(15, third, 3).step(15, third, 4).ended(16, third, 4);
    TaskNames tasks = kTasks;
    tasks.names.emplace_back("/job:worker/replica:0/task:2");
    return judge(s.log, s.contributions(), tasks).at(1).text;
  };
  EXPECT_THAT(told(kWaitsForOther),
              testing::EndsWith("worker 0 waits for worker 1 in CreateSession: without device "
                                "filters a session is made on every task of the cluster. To do: "
                                "set device_filters, so that no session waits for another worker."));
  EXPECT_THAT(told(kWaitsForPs), AllOf(HasSubstr("was never ready"), Not(HasSubstr("CreateSession"))));
}

TEST(SessionWaits, of_a_job_that_never_began_are_no_absence_and_none_of_a_server_asks_for_filters) {
  Story s = with_lines();
  s.at(0, ProcessEnded{kOther}).at(10, LogLine{kChief, 'I', kWaitsForOther});
  EXPECT_THAT(
      s.told("not_started"),
      AllOf(HasSubstr("worker 1 never came. This was wrong to the end: the process of worker 1 ended at 0.000 s "
                      "and did not come back. worker 0 waits for worker 1 in CreateSession"),
            HasSubstr("To do: set device_filters")));
  Story server = with_lines();
  server.at(0, ProcessEnded{kPs}).at(10, LogLine{kChief, 'I', kWaitsForPs}).at(20, LogLine{kOther, 'I', kWaitsForPs});
  EXPECT_THAT(server.told("not_started"), AllOf(Not(HasSubstr("never came")), Not(HasSubstr("device"))));
}

TEST(SessionWaits, of_all_who_had_a_session_are_told_where_a_server_is_back_and_none_was_ready) {
  const auto told = [](bool says_so) {
    Story s = two_workers();
    s.log.set_names({"v:0/grad_accum", "global_step", "",
                     "CreateSession still waiting for response from worker: " + kTasks.names[2]});
    s.at(20, ProcessEnded{kOther}).at(25, ProcessEnded{kPs}).at(30, ProcessBegan{kPs, 1});
    if (says_so) s.at(40, LogLine{kChief, 'I', kWaitsForOther});
    s.at(45, LogLine{kOther, 'I', kNoDetail});
    return in_words(read_troubles(s.log, kTasks, read_losses(s.log)).at(1), kTasks);
  };
  EXPECT_THAT(told(true), HasSubstr("no session was ready again before the end"));
  EXPECT_THAT(told(false), testing::EndsWith("the next one began at 30.000 s"));
}

// ---- what outlasts a fault ----

// Aggregates of both workers each second, but for those from 5 s to 40 s: the server is lost at 5 s and back at 6 s,
// the chief at 7 s, and worker 1 looks for its model again at 37 s.
Story looked_again_late() {
  Story s = two_workers();
  std::uint64_t id = 10;
  for (int t = 0; t < 60; ++t) {
    if (t == 5) s.at(5, ProcessEnded{kPs}).at(5.1, SessionMoved{kOther, SessionStage::created, kNoDetail});
    if (t == 6) s.at(6, ProcessBegan{kPs, 1}).at(6, SessionMoved{kOther, SessionStage::waiting, kNoDetail});
    if (t == 7) s.ready(7, kChief);
    if (t == 37) s.ready(37, kOther);
    if (t == 50) s.ready(50, kOther);
    if (t >= 5 && t < 40) continue;
    for (const TaskId w : {kChief, kOther}) id += 1, s.step(t, w, id).push(t + 0.5, id).ended(t + 0.6, w, id);
    s.aggregate(t + 0.6).take(t + 0.6, 2);
  }
  return s;
}

TEST(Standstill, lasts_until_the_last_session_that_a_fault_broke_is_ready_again) {
  const Story s = looked_again_late();
  const std::vector<Trouble> troubles = read_troubles(s.log, kTasks, read_losses(s.log));
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_EQ(troubles[0].over, 37 * kSecond);
  EXPECT_THAT(s.told("stalled"),
              HasSubstr("No aggregate was complete from 4.600 s to 40.600 s (36.000 s, in place of the usual 1.000 s). "
                        "The cause: the process of ps 0 ended at 5.000 s with all that it held, the next one began at "
                        "6.000 s, and the first session was ready again at 7.000 s, the last one at 37.000 s."));
}

// Worker 1 is slow from 5 s to 8 s; a step of its that began at 5 s lasts to 30 s.
TEST(Standstill, lasts_until_the_step_that_was_under_way_in_a_slow_time_has_its_gradient) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "it is slow", "slow", kTasks.names[2], ""});
  std::uint64_t id = 10;
  for (int t = 0; t < 60; ++t) {
    if (t == 5 || t == 8) s.at(t, ConditionChanged{NameId{3u}, NameId{4u}, NameId{5u}, NameId{6u}, t == 5});
    if (t >= 5 && t < 30) {
      if (t == 5) s.step(5, kChief, 2).push(5.5, 2).step(5, kOther, 3);
      continue;
    }
    if (t == 30) s.push(30, 3).aggregate(30).take(30, 2).ended(30, kChief, 2).ended(30, kOther, 3);
    for (const TaskId w : {kChief, kOther}) id += 1, s.step(t, w, id).push(t + 0.5, id).ended(t + 0.6, w, id);
    s.aggregate(t + 0.6).take(t + 0.6, 2);
  }
  EXPECT_THAT(s.told("stalled"), AllOf(HasSubstr("from 4.600 s to 30.000 s"),
                                       HasSubstr("It ended after the step that was under way then, at 30.000 s.")));
}

// Worker 1 is lost, worker 0 leaves at 10 s as it was told to; a line at 30 s.
TEST(Standstill, is_none_after_the_last_worker_that_was_there_had_left) {
  const auto verdicts = [](bool leaves_last) {
    Story s;
    s.ready(0, kChief).ready(0, kOther);
    const auto lose = [&](double t) { s.at(t, ProcessEnded{kOther}); };
    for (std::uint64_t t = 0; t < 10; ++t) {
      const double at = static_cast<double>(t);
      if (t == 5 && leaves_last) lose(5);
      s.step(at, kChief, t).ended(at + 0.5, kChief, t);
      if (t < 5 || !leaves_last) s.step(at, kOther, 100 + t).ended(at + 0.5, kOther, 100 + t);
    }
    s.at(10, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
    if (!leaves_last) lose(11);
    return s.at(30, LogLine{kChief, 'I', kNoDetail}).verdicts();
  };
  EXPECT_THAT(verdicts(true), Not(testing::Contains("stuck")));
  EXPECT_THAT(verdicts(false), testing::Contains("stuck"));
}

TEST(EndedEarly, is_said_of_stale_synchronous_workers_whose_queue_was_closed) {
  const auto told = [](std::int64_t of, const std::string& closed = "FIFOQueue 'stale_token_q_0' is closed") {
    Story s = with_lines();
    s.log.set_names({"stale_done_q_0", "stale_done_q_1", "", "", "", "", closed});
    std::uint64_t id = 0;
    s.ready(0, kChief).ready(0, kOther);
    for (int t = 0; t < 5; ++t)
      for (const TaskId w : {kChief, kOther}) {
        const NameId done{w == kChief ? 0u : 1u};
        id += 1;
        s.step(t, w, id).at(t + 0.4, Enqueued{.task = kPs, .queue = done, .step = StepId{id}}).ended(t + 0.5, w, id);
      }
    for (const TaskId w : {kChief, kOther})
      s.at(6, CutShort{w, 5, of, 0}).at(6, SessionMoved{w, SessionStage::left_loop, kClosed});
    return s.told("ended_early");
  };
  EXPECT_THAT(told(40), HasSubstr("Training ended early, at 6.000 s, without an error: worker 0 after 5 steps of 40, "
                                  "worker 1 after 5 steps of 40. A queue of tokens was closed to them (FIFOQueue "
                                  "'stale_token_q_0' is closed)"));
  EXPECT_EQ(told(5), "");
  const std::string of_data = told(40, "RandomShuffleQueue '_1_batch' is closed and has insufficient elements");
  EXPECT_THAT(of_data,
              HasSubstr("Training ended at 6.000 s, without an error, as the data of all who trained was at its "
                        "end: worker 0 after 5 steps of 40, worker 1 after 5 steps of 40. To do: give"));
  EXPECT_EQ(told(5, "RandomShuffleQueue '_1_batch' is closed and has insufficient elements"), "") << "all is done";
}

}  // namespace
}  // namespace tarry
