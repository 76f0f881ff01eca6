// What each crash does: the cells of docs/rules/runtime.md#E.7, as shipped scenarios show them.

#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

// The log of a scenario's run, and questions about it. Times count from the start of training.
struct Crash {
  Scenario scenario;
  EventLog log;
  std::vector<Verdict> verdicts;

  explicit Crash(Scenario s) : scenario(std::move(s)) {
    Outcome o = run_here(*job_for(scenario));
    verdicts = judge(o.log, read_contributions(o.log), o.tasks);
    log = std::move(o.log);
  }

  [[nodiscard]] TaskId task(const std::string& name) const { return find_task(scenario.cluster, name); }
  [[nodiscard]] bool has(const char* kind) const {
    return std::ranges::any_of(verdicts, [&](const Verdict& v) { return v.kind == kind; });
  }
  // Events of a type between two times that satisfy the rule.
  template <class E, class Rule>
  [[nodiscard]] std::vector<Nanos> when(Rule rule, Nanos from = 0, Nanos to = 1'000'000 * kSecond) const {
    std::vector<Nanos> at;
    for (const LoggedEvent& e : log.events())
      if (const auto* event = std::get_if<E>(&e.event);
          event != nullptr && e.at - log.started_at >= from && e.at - log.started_at < to && rule(*event))
        at.push_back(e.at - log.started_at);
    return at;
  }
  [[nodiscard]] Nanos ended(TaskId t) const {
    return when<ProcessEnded>([t](const ProcessEnded& p) { return p.task == t; }).at(0);
  }
  [[nodiscard]] Nanos began(TaskId t) const {
    return when<ProcessBegan>([t](const ProcessBegan& p) { return p.task == t; }).at(0);
  }
  // When its session reached a stage after `from`.
  [[nodiscard]] std::vector<Nanos> reached(TaskId t, SessionStage stage, Nanos from) const {
    return when<SessionMoved>([=](const SessionMoved& s) { return s.task == t && s.stage == stage; }, from);
  }
  [[nodiscard]] std::size_t steps_begun(TaskId t, Purpose purpose, Nanos from, Nanos to = 1'000'000 * kSecond) const {
    return when<StepBegan>([=](const StepBegan& s) { return s.task == t && s.purpose == purpose; }, from, to).size();
  }
  [[nodiscard]] std::size_t steps_ended(TaskId t, Code code, Nanos from, Nanos to) const {
    return when<StepEnded>([=](const StepEnded& s) { return s.task == t && s.code == static_cast<std::int32_t>(code); },
                           from, to)
        .size();
  }
  [[nodiscard]] std::size_t aggregates(Nanos from, Nanos to) const {
    return when<AggregateTaken>([](const AggregateTaken&) { return true; }, from, to).size();
  }
  [[nodiscard]] bool says(TaskId t, const char* text) const {
    return !when<LogLine>([&](const LogLine& l) {
              return l.task == t && log.name(l.text).find(text) != std::string_view::npos;
            }).empty();
  }
};

const std::string kPs = "/job:ps/replica:0/task:0";
std::string worker(int i) { return fmt::format("/job:worker/replica:0/task:{}", i); }

// ---- a parameter server ----

TEST(CrashOfThePs, at_once_every_step_that_touches_it_fails_UNAVAILABLE) {
  const Crash c(shipped("048_ps_dies"));
  const Nanos lost = c.ended(c.task(kPs));
  for (int w = 0; w < 3; ++w)
    EXPECT_GE(c.steps_ended(c.task(worker(w)), Code::kUnavailable, lost, lost + kSecond / 10), 1u) << w;
}

TEST(CrashOfThePs, afterwards_nobody_has_a_session_until_it_answers) {
  const Crash c(shipped("048_ps_dies"));
  const Nanos lost = c.ended(c.task(kPs)), back = c.began(c.task(kPs));
  for (int w = 0; w < 3; ++w) {
    const auto ready = c.reached(c.task(worker(w)), SessionStage::ready, lost);
    ASSERT_FALSE(ready.empty()) << w;
    EXPECT_GT(ready[0], back) << w;
  }
}

TEST(CrashOfThePs, the_chief_restores_its_checkpoint_and_the_others_look_every_thirty_seconds) {
  const Crash c(shipped("048_ps_dies"));
  const Nanos back = c.began(c.task(kPs));
  EXPECT_EQ(c.steps_begun(c.task(worker(0)), Purpose::restore, back), 1u);
  EXPECT_EQ(c.steps_begun(c.task(worker(0)), Purpose::init, back), 0u);
  for (int w = 1; w < 3; ++w) {
    const auto waiting = c.reached(c.task(worker(w)), SessionStage::waiting, back),
               ready = c.reached(c.task(worker(w)), SessionStage::ready, back);
    ASSERT_EQ(waiting.size(), 1u) << w;
    EXPECT_GE(ready.at(0) - waiting[0], 30 * kSecond) << w;
    EXPECT_LT(ready.at(0) - waiting[0], 31 * kSecond) << w;
  }
}

// ---- the chief ----

TEST(CrashOfTheChief, at_once_aggregation_stops_and_the_others_wait_for_tokens_without_an_error) {
  const Crash c(shipped("047_chief_dies_checkpoint"));
  const Nanos lost = c.ended(c.task(worker(0))), back = c.reached(c.task(worker(0)), SessionStage::ready, lost).at(0);
  EXPECT_EQ(c.aggregates(lost + kSecond / 10, back - kSecond / 10), 0u);
  for (int w = 1; w < 3; ++w) {
    EXPECT_TRUE(c.reached(c.task(worker(w)), SessionStage::closed, lost).empty()) << w;
    EXPECT_EQ(
        c.when<StepEnded>([&](const StepEnded& s) { return s.task == c.task(worker(w)) && s.code != 0; }, lost, back)
            .size(),
        0u)
        << w;
  }
}

TEST(CrashOfTheChief, afterwards_it_restores_sets_the_accumulators_back_and_puts_the_initial_tokens_in_once_more) {
  const Crash c(shipped("047_chief_dies_checkpoint"));
  const Nanos back = c.began(c.task(worker(0)));
  EXPECT_EQ(c.steps_begun(c.task(worker(0)), Purpose::restore, back), 1u);
  EXPECT_EQ(c.when<AccumulatorStepSet>([](const AccumulatorStepSet&) { return true; }, back).size(), 2u)
      << "kernel and bias";
  const Contributions all = read_contributions(c.log);
  EXPECT_EQ(c.steps_begun(c.task(worker(0)), Purpose::init_tokens, back), 1u);
  EXPECT_EQ(all.initial_tokens.size(), 6u) << "three at each of its two starts";
}

// ---- an asynchronous worker ----

TEST(CrashOfAnAsynchronousWorker, is_nothing_to_the_others) {
  const Crash c(shipped("055_async_worker_dies"));
  const Nanos lost = c.ended(c.task(worker(1))), back = c.began(c.task(worker(1)));
  for (const int w : {0, 2}) {
    EXPECT_EQ(c.steps_ended(c.task(worker(w)), Code::kOk, lost, back), 15u) << w << ": 4.5 s of steps of 0.3 s";
    EXPECT_TRUE(c.reached(c.task(worker(w)), SessionStage::closed, lost).empty()) << w;
  }
}

TEST(CrashOfAnAsynchronousWorker, without_device_filters_holds_up_every_new_session) {
  Scenario s = shipped("055_async_worker_dies");
  s.training.device_filters = false;
  s.faults = {{2 * kSecond, Kill{TaskId{2u}}}, {3 * kSecond, Kill{TaskId{3u}}}, {4 * kSecond, Restart{TaskId{3u}}}};
  s.stop.time = 40 * kSecond;
  const Crash held_up(s);
  EXPECT_TRUE(held_up.reached(TaskId{3u}, SessionStage::ready, 4 * kSecond).empty());
  EXPECT_TRUE(
      held_up.says(TaskId{3u}, "CreateSession still waiting for response from worker: /job:worker/replica:0/task:1"));
  s.training.device_filters = true;
  EXPECT_EQ(Crash(s).reached(TaskId{3u}, SessionStage::ready, 4 * kSecond).size(), 1u);
}

TEST(CrashOfAnAsynchronousWorker, when_it_is_back_it_waits_for_the_session_initialises_what_is_local_and_continues) {
  const Crash c(shipped("055_async_worker_dies"));
  const TaskId lost = c.task(worker(1));
  const Nanos back = c.began(lost);
  EXPECT_EQ(c.steps_begun(lost, Purpose::init, back), 0u);
  EXPECT_EQ(c.steps_begun(lost, Purpose::local_init, back), 1u);
  EXPECT_GT(c.steps_begun(lost, Purpose::train, back), 10u);
  EXPECT_TRUE(
      c.when<ScalarAssigned>(
           [&](const ScalarAssigned& a) { return c.log.name(a.variable) == "global_step" && a.value == 0; }, back)
          .empty())
      << "nothing global is touched";
}

// A worker whose first step is due when the server is gone.
Scenario late_first_step(bool fail_fast) {
  Scenario s = shipped("055_async_worker_dies");
  s.training.fail_fast = fail_fast;
  s.training.workers[TaskId{2u}].first_step_after = 5 * kSecond;
  s.faults = {{2 * kSecond, Kill{TaskId{0u}}}, {40 * kSecond, Restart{TaskId{0u}}}};
  s.stop.time = 60 * kSecond;
  return s;
}

TEST(CrashOfThePs, fails_a_step_that_begins_later_at_once) {
  const Crash c(late_first_step(true));
  EXPECT_EQ(c.steps_ended(TaskId{2u}, Code::kUnavailable, 5 * kSecond, 6 * kSecond), 1u);
}

TEST(CrashOfThePs, freezes_a_step_that_begins_later_until_it_is_back_where_calls_wait_for_a_process) {
  const Crash c(late_first_step(false));
  EXPECT_EQ(c.steps_begun(TaskId{2u}, Purpose::train, 5 * kSecond, 6 * kSecond), 1u);
  EXPECT_EQ(c.steps_ended(TaskId{2u}, Code::kUnavailable, 5 * kSecond, 60 * kSecond), 0u);
  EXPECT_EQ(c.steps_ended(TaskId{2u}, Code::kAborted, 40 * kSecond, 41 * kSecond), 1u);
}

// ---- a synchronous worker (docs/rules/runtime.md#F.6) ----

TEST(CrashOfASynchronousWorker, that_computes_hangs_the_job_until_it_is_back) {
  const Crash c(shipped("040_worker_dies"));
  const Nanos lost = c.ended(c.task(worker(2))), back = c.reached(c.task(worker(2)), SessionStage::ready, lost).at(0);
  EXPECT_EQ(c.aggregates(lost + kSecond / 10, back), 0u);
  EXPECT_GT(c.aggregates(back, back + 10 * kSecond), 0u);
}

TEST(CrashOfASynchronousWorker, that_waits_for_its_token_leaves_it_to_the_others) {
  const Crash c(shipped("043_worker_dies_waiting"));
  const Nanos lost = c.ended(c.task(worker(1)));
  EXPECT_TRUE(c.has("went_on"));
  EXPECT_GT(c.aggregates(lost + kSecond, c.began(c.task(worker(1)))), 2u);
}

// ---- a request that is sent again ----

TEST(ResentRequest, is_refused_ABORTED_and_the_client_goes_on_with_a_new_session) {
  const Crash c(shipped("102_received_twice"));
  const TaskId client = c.task(worker(1));
  EXPECT_EQ(c.steps_ended(client, Code::kAborted, 5 * kSecond, 6 * kSecond), 1u);
  EXPECT_TRUE(c.says(client, "The same RunGraph (Worker) request was received twice. graph_handle: "));
  EXPECT_EQ(c.reached(client, SessionStage::ready, 5 * kSecond).size(), 1u);
  EXPECT_GT(c.aggregates(6 * kSecond, 20 * kSecond), 40u);
}

// ---- a process that starts anew under a living master ----

TEST(RestartUnderALivingMaster, is_answered_ABORTED_and_the_session_is_made_anew) {
  const Crash c(shipped("099_old_session"));
  const TaskId orphan = c.task(worker(0));
  EXPECT_EQ(c.steps_ended(orphan, Code::kAborted, 600 * kSecond, 601 * kSecond), 1u);
  EXPECT_TRUE(c.says(orphan, "Session handle is not found: "));
  EXPECT_TRUE(c.says(orphan, "Possibly this worker (\"/job:ps/replica:0/task:0\") just restarted."));
  EXPECT_EQ(c.reached(orphan, SessionStage::ready, 600 * kSecond).size(), 1u);
  EXPECT_GT(c.steps_ended(orphan, Code::kOk, 601 * kSecond, 620 * kSecond), 50u);
}

TEST(RestartUnderALivingMaster, of_a_sender_is_told_by_another_incarnation) {
  const Crash c(shipped("097_ps_restarted_between"));
  for (int w = 0; w < 2; ++w) {
    EXPECT_TRUE(c.says(c.task(worker(w)), "RecvTensor expects a different device incarnation: ")) << w;
    EXPECT_EQ(c.steps_ended(c.task(worker(w)), Code::kAborted, 5 * kSecond, 6 * kSecond), 1u) << w;
  }
}

// The thread that closes the token queue is joined before the session is closed, however long its messages take.
TEST(ChiefThatLeaves, closes_the_token_queue_before_its_session_whatever_the_network_is) {
  Scenario s = shipped("052_chief_finishes_first");
  for (HostSpec& h : s.cluster.hosts) h.nic_bandwidth = 1'250'000'000;
  s.cluster.network.engine = FlowsBy::shared;
  const Crash c(std::move(s));
  EXPECT_TRUE(c.has("ended_early"));
  EXPECT_FALSE(c.has("stuck"));
}

}  // namespace
}  // namespace tarry
