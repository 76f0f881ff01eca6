// Verdicts about load, from logs written by hand: two servers, two workers, messages and steps.

#include "results/loads.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/verdict.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Nanos kMilli = 1'000'000;
constexpr TaskId kPs0{0u}, kPs1{1u}, kWorker0{2u}, kWorker1{3u};
constexpr NameId kReply{0u}, kGradients{1u};
const TaskNames kFourTasks{{"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1", "/job:worker/replica:0/task:0",
                            "/job:worker/replica:0/task:1"}};

struct Message {
  TaskId from, to;
  std::uint64_t bytes;
  int sent_ms, at_ms;
};

struct Timetable {
  EventLog log;
  std::uint64_t steps = 0;

  Timetable() { log.set_names({"RecvTensor reply", "v:0/grad_accum"}); }
  void at(int ms, const Event& e) {
    log.add(ms * kMilli, e);
    log.ended_at = ms * kMilli;
  }
  // An empty message first: it takes 1 ms, the latency.
  Timetable& paths() {
    for (const TaskId ps : {kPs0, kPs1})
      for (const TaskId w : {kWorker0, kWorker1})
        at(1, MessageDelivered{ps, w, kReply, 0, 0}), at(1, MessageDelivered{w, ps, kReply, 0, 0});
    return *this;
  }
  // A step of one worker with what it gets meanwhile; `pushed_ms` < 0: an asynchronous one.
  Timetable& step(TaskId worker, int from_ms, int to_ms, const std::vector<Message>& messages, int pushed_ms = -1) {
    const StepId id{++steps};
    at(from_ms, StepBegan{worker, id, Purpose::train});
    for (const Message& m : messages) at(m.at_ms, MessageDelivered{m.from, m.to, kReply, m.bytes, m.sent_ms * kMilli});
    if (pushed_ms >= 0) at(pushed_ms, GradientPushed{kPs0, kGradients, id, 0, 0, true});
    at(to_ms, StepEnded{worker, id, 0});
    return *this;
  }
  // Those that speak of load, when another run gained that much without the cause.
  [[nodiscard]] std::vector<Verdict> verdicts(Proof::Cause cause, double gain) const {
    const std::vector<Proof> proofs{
        {.cause = cause, .task = kWorker1, .what = "WHAT", .instead = "INSTEAD", .gain = gain}};
    std::vector<Verdict> all = judge(log, read_contributions(log), kFourTasks, proofs);
    std::erase_if(all, [](const Verdict& v) {
      return !says_any({&v, 1}, {"ps_imbalance", "trunk_bound", "pcie_bound", "network_bound", "latency_bound",
                                 "message_bound", "transport_bound", "device_queue", "checkpoint_bound", "straggler",
                                 "slow_card", "far", "late_start", "slowed"});
    });
    return all;
  }
};

TEST(StepTimes, end_with_the_last_push_and_know_nothing_of_messages_after_it) {
  Timetable s;
  s.paths();
  s.at(10, StepBegan{kWorker0, StepId{1}, Purpose::train});
  s.at(15, MessageDelivered{kPs0, kWorker0, kReply, 1, 12 * kMilli});
  s.at(20, GradientPushed{kPs0, kGradients, StepId{1}, 0, 0, true});
  s.at(35, MessageDelivered{kPs0, kWorker0, kReply, 1, 30 * kMilli});
  s.at(40, StepEnded{kWorker0, StepId{1}, 0});
  const StepTimes t = read_loads(s.log).workers.at(kWorker0);
  EXPECT_EQ(t.total, 10 * kMilli);
  EXPECT_EQ(t.on_the_way, 3 * kMilli);
  EXPECT_EQ(t.transferring, 2 * kMilli);
}

// Ten asynchronous steps of 100 ms, in which both servers send; the transfers of each take a part of that.
Timetable asynchronous(std::uint64_t from_ps0, int ps0_ms, std::uint64_t from_ps1, int ps1_ms) {
  Timetable s;
  s.paths();
  for (int i = 0; i < 10; ++i) {
    const int t = 10 + 100 * i;
    s.step(kWorker0, t, t + 100,
           {{kPs1, kWorker0, from_ps1, t, t + 1 + ps1_ms}, {kPs0, kWorker0, from_ps0, t, t + 1 + ps0_ms}});
  }
  return s;
}

TEST(StepTimes, messages_that_overlap_count_once_and_latency_is_no_transfer) {
  const Loads loads = read_loads(asynchronous(4000, 40, 1000, 10).log);
  const StepTimes& w = loads.workers.at(kWorker0);
  EXPECT_EQ(w.total, 1000 * kMilli);
  EXPECT_EQ(w.on_the_way, 10 * 41 * kMilli);
  EXPECT_EQ(w.transferring, 10 * 40 * kMilli);
  EXPECT_EQ(loads.tasks.at(kPs0).bytes, 40'000u);
  EXPECT_EQ(loads.tasks.at(kPs0).transferring, 400 * kMilli);
}

TEST(StepTimes, of_a_synchronous_step_end_at_its_last_push) {
  Timetable s;
  s.paths().step(kWorker0, 10, 500, {}, 60);
  EXPECT_THAT(read_loads(s.log).workers.at(kWorker0).own, ElementsAre(50 * kMilli));
}

TEST(StepTimes, count_steps_that_ended_well_and_messages_since_the_start) {
  Timetable s;
  s.at(0, StepBegan{kWorker0, StepId{1}, Purpose::train});
  s.at(10, StepEnded{kWorker0, StepId{1}, 1});
  s.at(10, MessageDelivered{kPs0, kWorker0, kReply, 7, 0});
  s.log.started_at = 10 * kMilli;
  s.at(10, MessageDelivered{kPs0, kWorker0, kReply, 9, 0});
  s.at(20, MessageDelivered{kPs0, kPs0, kReply, 11, 0});
  s.log.started_at = 11 * kMilli;
  s.at(20, MessageDelivered{kPs0, kWorker0, kReply, 13, 0});
  const Loads loads = read_loads(s.log);
  EXPECT_FALSE(loads.workers.contains(kWorker0));
  EXPECT_EQ(loads.tasks.at(kPs0).bytes, 13u);
}

TEST(StepTimes, have_the_upper_of_two_medians) {
  EXPECT_EQ(StepTimes{}.median(), 0);
  EXPECT_EQ((StepTimes{.own = {3, 1, 2}}).median(), 2);
  EXPECT_EQ((StepTimes{.own = {4, 1, 3, 2}}).median(), 3);
}

// A worker whose steps are parts of computing, transfers and latency.
std::string told(Nanos computing, Nanos transfers, Nanos latency) {
  const Loads loads{.workers = {{kWorker0,
                                 {.own = {},
                                  .total = computing + transfers + latency,
                                  .on_the_way = transfers + latency,
                                  .transferring = transfers}}},
                    .tasks = {}};
  return where_time_went(loads);
}

TEST(TimeWent, is_told_in_shares_which_say_nothing_of_what_sets_the_pace) {
  EXPECT_EQ(told(5, 3, 2), "Workers' steps, up to their pushes: 50 % computing, 30 % transfers, 20 % latency.");
  EXPECT_EQ(told(0, 0, 0), "");
}

TEST(TimeWent, is_rounded_to_the_nearest_per_cent) {
  EXPECT_EQ(percent(0.124), 12);
  EXPECT_EQ(percent(0.125), 13);
  EXPECT_THAT(told(625, 125, 250), HasSubstr("63 % computing, 13 % transfers, 25 % latency"));
}

TEST(Imbalance, of_servers_is_told_with_what_they_sent_and_the_largest_tensor) {
  const auto verdicts = asynchronous(4000, 40, 1000, 10).verdicts(Proof::Cause::imbalance, 0.2);
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].kind, "ps_imbalance");
  EXPECT_THAT(verdicts[0].text, HasSubstr("ps 0 sends 80 % of all bytes that the parameter servers send"));
  EXPECT_THAT(
      verdicts[0].text,
      HasSubstr(
          "One tensor has 0.004 MB. To do: split that variable over the servers, and each of them sends 0.003 MB."));
  EXPECT_THAT(verdicts[0].text, HasSubstr("Run again INSTEAD (same seed), the same work takes 20.0 % less time."));
}

TEST(Imbalance, of_servers_is_not_of_bytes_where_sending_them_takes_a_small_part_of_what_is_gained) {
  EXPECT_TRUE(asynchronous(4000, 4, 1000, 1).verdicts(Proof::Cause::imbalance, 0.19).empty());
  EXPECT_EQ(asynchronous(4000, 6, 1000, 1).verdicts(Proof::Cause::imbalance, 0.2).at(0).kind, "ps_imbalance");
}

TEST(Imbalance, of_servers_is_a_part_of_training_and_not_of_closing_sessions) {
  Timetable s = asynchronous(4000, 40, 1000, 10);
  const std::string text = s.verdicts(Proof::Cause::imbalance, 0.2).at(0).text;
  const int end = static_cast<int>(s.log.ended_at / kMilli);
  for (const TaskId w : {kWorker0, kWorker1}) s.at(end, SessionMoved{w, SessionStage::left_loop, kReply});
  s.at(end + 120'000, SessionMoved{kWorker0, SessionStage::closed, kReply});
  EXPECT_EQ(s.verdicts(Proof::Cause::imbalance, 0.2).at(0).text, text);
}

TEST(Imbalance, of_servers_asks_for_a_split_where_a_tensor_is_a_tenth_above_an_even_share) {
  const auto text = [](std::uint64_t ps0, std::uint64_t ps1) {
    return asynchronous(ps0, 40, ps1, 10).verdicts(Proof::Cause::imbalance, 0.2).at(0).text;
  };
  EXPECT_THAT(text(1100, 900), testing::Not(HasSubstr("split that variable")));
  EXPECT_THAT(text(1101, 899), HasSubstr("split that variable"));
}

TEST(Imbalance, of_servers_names_another_strategy_where_a_run_with_it_gained) {
  const Proof even{.cause = Proof::Cause::imbalance, .what = "WHAT", .instead = "with the bytes even", .gain = 0.2};
  const Proof spread{.cause = Proof::Cause::imbalance, .what = "WHAT", .instead = "with all spread", .gain = 0.05};
  const auto told = [](std::uint64_t ps0, std::vector<Proof> proofs) {
    const EventLog log = asynchronous(ps0, 40, 900, 10).log;
    for (const Verdict& v : judge(log, read_contributions(log), kFourTasks, proofs))
      if (v.kind == "ps_imbalance") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(1100, {even}), testing::Not(HasSubstr("To do:")));
  EXPECT_THAT(told(1100, {even, spread}),
              HasSubstr("takes 20.0 % less time. Run again with all spread (same seed), the same work takes 5.0 % less "
                        "time. To do: spread the variables by bytes (greedy) and not by their number."));
  EXPECT_THAT(told(4000, {even, spread}), HasSubstr(" MB. To do: split that variable over the servers"));
  Proof worth = spread;
  worth.gain = 0.1;
  EXPECT_THAT(told(4000, {even, worth}), HasSubstr("by their number; or split that variable over the servers"));
}

std::string told_as(std::string_view kind, const Timetable& t, const std::vector<Proof>& proofs) {
  std::string all;
  for (const Verdict& v : judge(t.log, read_contributions(t.log), kFourTasks, proofs))
    if (v.kind == kind) all += v.text + "\n";
  return all;
}
std::string told_of_imbalance(std::uint64_t ps0, std::uint64_t ps1, const std::vector<Proof>& proofs) {
  return told_as("ps_imbalance", asynchronous(ps0, 40, ps1, 10), proofs);
}

TEST(Imbalance, of_servers_asks_for_variables_on_those_that_send_nothing) {
  const Proof spread{.cause = Proof::Cause::imbalance, .what = "WHAT", .instead = "with all spread", .gain = 0.2};
  EXPECT_THAT(told_of_imbalance(1100, 900, {spread}), HasSubstr("To do: spread the variables by bytes (greedy)"));
  Timetable s;
  for (const TaskId w : {kWorker0, kWorker1}) s.step(w, 10, 900, {{kPs0, w, 8, 10, 11}, {kPs0, w, 1000, 20, 80}});
  EXPECT_THAT(s.verdicts(Proof::Cause::imbalance, 0.2).at(0).text, testing::Not(HasSubstr("over all")));
  EXPECT_THAT(told_as("ps_imbalance", s, {spread}),
              HasSubstr("To do: spread the variables by bytes (greedy) over all 2 parameter servers"));
}

TEST(Imbalance, of_servers_that_send_nothing_is_not_told_where_kernels_gain_as_much) {
  const Proof spread{.cause = Proof::Cause::imbalance, .what = "WHAT", .instead = "with all spread", .gain = 0.2};
  Timetable s;
  for (const TaskId w : {kWorker0, kWorker1}) s.step(w, 10, 900, {{kPs0, w, 8, 10, 11}, {kPs0, w, 1000, 20, 25}});
  const auto is_told = [&](Proof::Cause cause, double gain) {
    const Proof other{.cause = cause, .task = kPs0, .what = "WHAT", .instead = "INSTEAD", .gain = gain};
    return !told_as("ps_imbalance", s, {spread, other}).empty();
  };
  EXPECT_FALSE(is_told(Proof::Cause::server_kernels, 0.2));
  EXPECT_FALSE(is_told(Proof::Cause::threads, 0.3));
  EXPECT_TRUE(is_told(Proof::Cause::server_kernels, 0.15));
  EXPECT_TRUE(is_told(Proof::Cause::latency, 0.2));
}

TEST(Imbalance, of_servers_by_rows_that_steps_look_up_asks_for_no_split_of_what_is_split) {
  Proof even{
      .cause = Proof::Cause::imbalance, .a = "table", .what = "WHAT", .instead = "with the bytes even", .gain = 0.2};
  EXPECT_THAT(told_of_imbalance(4000, 900, {even}), HasSubstr("split that variable"));
  even.b = "rows";
  EXPECT_THAT(told_of_imbalance(4000, 900, {even}),
              testing::EndsWith("less time. Most of what ps 0 sends are rows of table, whose parts are on several "
                                "servers: those that steps look up are on it. To do: spread these rows over the "
                                "servers (another partition_strategy, or ids that are hashed).\n"));
}

TEST(Checkpoints, of_servers_that_save_more_slowly_name_them) {
  const auto told = [](double of_one) {
    const Proof all{.cause = Proof::Cause::checkpoints, .what = "WHAT", .instead = "without", .gain = 0.5},
        one{.cause = Proof::Cause::checkpoints,
            .task = kPs0,
            .a = "ps 0",
            .what = "WHAT OF ONE",
            .instead = "with short ones",
            .gain = of_one};
    return told_as("checkpoint_bound", asynchronous(4000, 40, 1000, 10), {all, one});
  };
  EXPECT_EQ(told(0.46),
            "It costs time that the chief saves checkpoints between its steps: WHAT OF ONE. Run again with short ones "
            "(same seed), the same work takes 46.0 % less time. To do: give ps 0 a faster disk, or save less often.\n");
  EXPECT_EQ(told(0.44),
            "It costs time that the chief saves checkpoints between its steps: WHAT OF ONE. Run again with short ones "
            "(same seed), the same work takes 44.0 % less time. Run again without (same seed), the same work takes "
            "50.0 % less time. To do: give ps 0 a faster disk, or save less often.\n");
}

TEST(Checkpoints, without_which_a_job_does_more_before_it_fails_as_well_cost_no_time) {
  Proof p{.cause = Proof::Cause::checkpoints, .what = "WHAT", .instead = "without", .gain = 0.5};
  EXPECT_NE(told_as("checkpoint_bound", asynchronous(4000, 40, 1000, 10), {p}), "");
  p.does_more = true;
  EXPECT_EQ(told_as("checkpoint_bound", asynchronous(4000, 40, 1000, 10), {p}), "");
}

TEST(Imbalance, of_servers_counts_a_tensor_that_every_second_step_gets) {
  const auto text = [](int times) {
    Timetable s = asynchronous(4000, 40, 1000, 10);
    for (int i = 0; i < times; ++i) s.at(2000, MessageDelivered{kPs0, kWorker0, kReply, 500'000, 2000 * kMilli});
    return s.verdicts(Proof::Cause::imbalance, 0.2).at(0).text;
  };
  EXPECT_THAT(text(4), HasSubstr("One tensor has 0.004 MB"));
  EXPECT_THAT(text(5), HasSubstr("One tensor has 0.500 MB"));
}

// Every load is told from a tenth on, of what the run without it gains, and by what was taken away.
struct Load {
  Proof::Cause cause;
  const char* kind;
};
class ALoad : public ::testing::TestWithParam<Load> {};
INSTANTIATE_TEST_SUITE_P(
    Cause, ALoad,
    ::testing::Values(Load{Proof::Cause::imbalance, "ps_imbalance"}, Load{Proof::Cause::trunks, "trunk_bound"},
                      Load{Proof::Cause::pcie, "pcie_bound"}, Load{Proof::Cause::network, "network_bound"},
                      Load{Proof::Cause::slow_worker, "straggler"}, Load{Proof::Cause::slow_card, "slow_card"},
                      Load{Proof::Cause::far_host, "far"}, Load{Proof::Cause::late_start, "late_start"},
                      Load{Proof::Cause::latency, "latency_bound"}, Load{Proof::Cause::messages, "message_bound"},
                      Load{Proof::Cause::threads, "device_queue"}, Load{Proof::Cause::transport, "transport_bound"},
                      Load{Proof::Cause::checkpoints, "checkpoint_bound"}, Load{Proof::Cause::faults, "slowed"}),
    [](const auto& info) { return info.param.kind; });

TEST_P(ALoad, is_told_where_the_run_without_it_takes_a_tenth_less_time) {
  const Timetable s = asynchronous(4000, 40, 1000, 10);
  EXPECT_THAT(s.verdicts(GetParam().cause, 0.10), ElementsAre(Field(&Verdict::kind, GetParam().kind)));
  EXPECT_THAT(s.verdicts(GetParam().cause, 0.0999), IsEmpty());
}

TEST(Network, is_said_with_the_share_of_transfers) {
  const Timetable s = asynchronous(4000, 60, 3000, 50);
  EXPECT_THAT(s.verdicts(Proof::Cause::network, 0.5).at(0).text,
              HasSubstr(": for 60 % of the workers' step time a transfer"));
  EXPECT_EQ(where_time_went(read_loads(s.log)),
            "Workers' steps, up to their pushes: 39 % computing, 60 % transfers, 1 % latency.");
}

// Aggregates of `required` gradients.
Timetable synchronous(std::int64_t required) {
  Timetable s;
  s.paths();
  s.at(2, TakeIssued{kPs0, kGradients, StepId{900}, required});
  for (int i = 0; i < 5; ++i) {
    const int t = 10 + 1000 * i;
    s.step(kWorker0, t, t + 900, {}, t + 100);
    s.step(kWorker1, t + 901, t + 1899, {}, t + 1101);
  }
  return s;
}

TEST(Straggler, is_waited_for_where_an_aggregate_needs_every_worker) {
  EXPECT_THAT(synchronous(2).verdicts(Proof::Cause::slow_worker, 0.3).at(0).text,
              HasSubstr("worker 1 is what the others wait for: WHAT."));
  EXPECT_THAT(synchronous(1).verdicts(Proof::Cause::slow_worker, 0.3).at(0).text,
              HasSubstr("worker 1 is slower than the others: WHAT."));
}

TEST(Straggler, without_a_gpu_is_to_get_one) {
  const auto told = [](const Proof& one) { return told_as("straggler", synchronous(2), {one}); };
  Proof p{.cause = Proof::Cause::slow_worker, .task = kWorker1, .what = "WHAT", .instead = "INSTEAD", .gain = 0.3};
  EXPECT_THAT(told(p), HasSubstr("To do: look at what else its host does, or give it a smaller batch"));
  p.b = "GPU";
  EXPECT_THAT(told(p), HasSubstr("To do: give it a GPU, as the others have, or have a backup worker"));
  p.cause = Proof::Cause::workers, p.task = TaskId::none();
  EXPECT_THAT(told(p), HasSubstr("To do: give them GPUs, as the others have"));
}

TEST(StepTimes, a_fault_that_delays_messages_makes_them_no_transfers) {
  const auto transferring_after = [](NameId kind) {
    Timetable t;
    t.log.set_names({"RecvTensor reply", "v:0/grad_accum", "delay", "slow"});
    t.paths();
    t.at(10, ConditionChanged{kGradients, kind, kGradients, kGradients, true});
    t.step(kWorker0, 20, 200, {{kPs0, kWorker0, 1, 20, 81}, {kPs0, kWorker0, 9, 90, 161}});
    return read_loads(t.log).workers.at(kWorker0).transferring;
  };
  EXPECT_EQ(transferring_after(NameId{2u}), 10 * kMilli) << "the latency is 61 ms now";
  EXPECT_EQ(transferring_after(NameId{3u}), (60 + 70) * kMilli);
}

TEST(StepTimes, of_a_log_that_somebody_changed_may_have_messages_that_arrive_before_they_are_sent) {
  Timetable t;
  t.log.set_names({"RecvTensor reply", "v:0/grad_accum", "delay"});
  t.step(kWorker0, 10, 50, {{kPs0, kWorker0, 1, 80, 20}});
  t.at(60, ConditionChanged{kGradients, NameId{2u}, kGradients, kGradients, true});
  EXPECT_EQ(read_loads(t.log).workers.at(kWorker0).total, 40 * kMilli);
}

}  // namespace
}  // namespace tarry
