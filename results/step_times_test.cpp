// Messages of a log: the load of each task, latencies, and time under way.

#include "results/step_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/loads.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr NameId kReply{3u}, kRequest{4u};

EventLog messages(std::initializer_list<std::pair<Nanos, MessageDelivered>> all) {
  EventLog log;
  log.set_names({"v:0/grad_accum", "global_step", "", "RecvTensor reply", "RecvTensor request", "delay"});
  for (const auto& [at, m] : all) log.add(at, m), log.ended_at = at;
  return log;
}
MessageDelivered message(TaskId from, TaskId to, std::uint64_t bytes, Nanos sent, NameId kind = kReply) {
  return {from, to, kind, bytes, sent, kNoDetail, StepId{1}};
}

TEST(ServerLoads, count_what_a_task_sends_to_others_and_gets_from_them) {
  const Loads loads = read_loads(messages({{10, message(kPs, kChief, 100, 0)},
                                           {20, message(kPs, kOther, 100, 5)},
                                           {30, message(kPs, kChief, 7, 20)},
                                           {40, message(kChief, kPs, 1, 30, kRequest)},
                                           {50, message(kPs, kPs, 1000, 30)}}));
  const ServerLoad& ps = loads.tasks.at(kPs);
  EXPECT_EQ(ps.messages, 3U) << "what stays in a task is no message";
  EXPECT_EQ(ps.bytes, 207U);
  EXPECT_EQ(ps.bytes_in, 1U);
  EXPECT_THAT(ps.tensors, ElementsAre(Pair(7U, 1U), Pair(100U, 2U)));
  const ServerLoad& chief = loads.tasks.at(kChief);
  EXPECT_EQ(chief.messages, 1U);
  EXPECT_EQ(chief.bytes_in, 107U);
  EXPECT_THAT(chief.tensors, testing::IsEmpty()) << "a request carries none";
}

TEST(ServerLoads, begin_with_the_run) {
  EventLog log = messages({{10, message(kPs, kChief, 100, 0)}, {20, message(kPs, kChief, 10, 15)}});
  log.started_at = 20;
  EXPECT_EQ(read_loads(log).tasks.at(kPs).bytes, 10U) << "one that arrives just then counts";
}

// The quickest message of a path takes its latency, whether it comes first or last; transfers are what takes longer.
TEST(ServerLoads, transfer_for_as_long_as_messages_take_beyond_the_latency_of_their_path) {
  const auto transferring = [](const EventLog& log) { return read_loads(log).tasks.at(kPs).transferring; };
  EXPECT_EQ(transferring(messages({{30, message(kPs, kChief, 9, 0)}, {45, message(kPs, kChief, 1, 40)}})), 25);
  EXPECT_EQ(transferring(messages({{5, message(kPs, kChief, 1, 0)}, {40, message(kPs, kChief, 9, 10)}})), 25);
  EXPECT_EQ(transferring(messages({{30, message(kPs, kChief, 9, 0)}, {35, message(kPs, kOther, 9, 0)}})), 0)
      << "each path has a latency of its own";
  EXPECT_EQ(
      transferring(messages(
          {{5, message(kPs, kChief, 1, 0)}, {40, message(kPs, kChief, 9, 20)}, {45, message(kPs, kChief, 9, 10)}})),
      30)
      << "from 15 to 45, though the first to arrive was sent last";
}

TEST(ServerLoads, have_another_latency_once_a_fault_delays_messages) {
  EventLog log = messages({{5, message(kPs, kChief, 1, 0)}});
  log.add(10, ConditionChanged{kNoDetail, NameId{5u}, kNoDetail, kNoDetail, true});
  log.add(40, message(kPs, kChief, 1, 20));
  log.ended_at = 40;
  EXPECT_EQ(read_loads(log).tasks.at(kPs).transferring, 0) << "both took as long as their path";
}

TEST(TimeBetween, counts_messages_that_overlap_once_and_since_the_start) {
  EventLog log = messages({{20, message(kPs, kChief, 1, 0)},
                           {30, message(kChief, kPs, 1, 15)},
                           {26, message(kPs, kChief, 1, 22)},
                           {50, message(kPs, kChief, 1, 40)},
                           {90, message(kPs, kOther, 1, 60)}});
  EXPECT_EQ(time_between({kPs, kChief}, log), 40) << "to 30, and from 40 to 50";
  EXPECT_EQ(time_between({kPs, kChief, kOther}, log), 70);
  EXPECT_EQ(time_between({kPs}, log), 0);
  log.started_at = 10;
  EXPECT_EQ(time_between({kPs, kChief}, log), 30);
}

}  // namespace
}  // namespace tarry
