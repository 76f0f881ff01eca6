#include "results/page/lanes.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;

const TaskNames kOnHosts{kTasks.names, {"server", "near", "far"}};

std::vector<std::string> shown(const TimeLine& line) {
  std::vector<std::string> out;
  for (const Lane& lane : line.lanes)
    for (const Block& b : lane.blocks)
      out.push_back(fmt::format("{}: {} ({}) {} to {}, {} of {}", lane.label, line.names[b.name].text,
                                line.names[b.name].group, b.from, b.to, b.count, b.amount));
  return out;
}

EventLog log_with_names(Nanos ended_at) {
  EventLog log(true);
  log.set_names({"v:0/grad_accum", "/job:worker/replica:0/task:0/device:GPU:0", "fc/MatMul", "MatMul", "fc/Add", "Add",
                 "RecvTensor reply", "/job:ps/task:0/device:CPU:0;1f;/job:worker/task:0/device:CPU:0;w;0:0"});
  log.ended_at = ended_at;
  return log;
}
constexpr NameId kGpu{1u}, kMatMulNode{2u}, kMatMul{3u}, kAddNode{4u}, kAdd{5u}, kReply{6u}, kKey{7u};

TEST(TimeLine, has_the_steps_and_devices_of_each_task_and_then_the_links) {
  EventLog log = log_with_names(900);
  log.add(100, StepBegan{kChief, StepId{1}, Purpose::train});
  log.add(300, KernelRan{kChief, kGpu, kMatMulNode, kMatMul, StepId{1}, 200});
  log.add(400, MessageDelivered{kPs, kChief, kReply, 10, 250, kKey});
  log.add(500, StepEnded{kChief, StepId{1}, 0});
  EXPECT_THAT(shown(time_line(log, kOnHosts)),
              ElementsAre("worker 0: step 1 (done) 100 to 500, 1 of 400",
                          "worker 0 GPU:0: fc/MatMul (MatMul) 200 to 300, 1 of 100",
                          "server to near: RecvTensor reply w (RecvTensor reply) 250 to 400, 1 of 10"));
}

TEST(TimeLine, counts_from_the_start_of_training) {
  EventLog log = log_with_names(900);
  log.started_at = 150;
  log.add(300, KernelRan{kChief, kGpu, kMatMulNode, kMatMul, StepId{1}, 100});
  EXPECT_THAT(shown(time_line(log, kOnHosts)), ElementsAre("worker 0 GPU:0: fc/MatMul (MatMul) -50 to 150, 1 of 200"));
}

TEST(TimeLine, says_how_a_step_ended) {
  EventLog log = log_with_names(900);
  const auto begin = [&](Nanos at, TaskId task, std::uint64_t id) {
    log.add(at, StepBegan{task, StepId{id}, Purpose::train});
  };
  const auto push = [&](Nanos at, std::uint64_t id, bool accepted) {
    log.add(at, GradientPushed{kPs, NameId{0u}, StepId{id}, 0, 0, accepted});
  };
  begin(100, kChief, 1), push(150, 1, true), log.add(200, StepEnded{kChief, StepId{1}, 0});
  begin(200, kChief, 2), push(250, 2, false), log.add(300, StepEnded{kChief, StepId{2}, 0});
  begin(300, kChief, 3), log.add(400, StepEnded{kChief, StepId{3}, 14});
  begin(400, kChief, 4), begin(420, kOther, 5), log.add(450, ProcessEnded{kChief});
  EXPECT_THAT(shown(time_line(log, kOnHosts)), ElementsAre("worker 0: step 1 (gradient accepted) 100 to 200, 1 of 100",
                                                           "worker 0: step 2 (gradient dropped) 200 to 300, 1 of 100",
                                                           "worker 0: step 3 (failed) 300 to 400, 1 of 100",
                                                           "worker 0: step 4 (its process ended) 400 to 450, 1 of 50",
                                                           "worker 1: step 1 (not over) 420 to 900, 1 of 480"));
}

TEST(TimeLine, leaves_out_messages_within_a_host) {
  EventLog log = log_with_names(900);
  log.add(400, MessageDelivered{kPs, kChief, kReply, 10, 250});
  EXPECT_THAT(shown(time_line(log, {kTasks.names, {"one", "one", "far"}})), ElementsAre());
}

TEST(TimeLine, has_a_lane_for_a_host_where_there_are_too_many_links) {
  EventLog log = log_with_names(900);
  TaskNames many;
  for (int i = 0; i < 130; ++i) {
    many.names.push_back(fmt::format("/job:worker/replica:0/task:{}", i));
    many.hosts.push_back(fmt::format("h{}", i));
  }
  for (std::size_t i = 1; i < 129; ++i) log.add(400, MessageDelivered{TaskId{0u}, TaskId{i}, kReply, 10, 250});
  log.add(400, MessageDelivered{TaskId{0u}, TaskId{0u}, kReply, 10, 250});  // within a host
  EXPECT_EQ(time_line(log, many).lanes.size(), 128u);
  log.add(400, MessageDelivered{TaskId{0u}, TaskId{129u}, kReply, 10, 250});
  const TimeLine line = time_line(log, many);
  ASSERT_EQ(line.lanes.size(), 1u);
  EXPECT_EQ(line.lanes[0].label, "from h0");
  EXPECT_EQ(line.lanes[0].blocks.size(), 129u);
}

TEST(TimeLine, that_is_too_long_has_one_block_for_short_ones_that_begin_close_together) {
  EventLog log = log_with_names(65'536 * 4);
  const auto ran = [&](Nanos from, Nanos to, NameId node, NameId op) {
    log.add(to, KernelRan{kChief, kGpu, node, op, StepId{1}, from});
  };
  ran(0, 1, kAddNode, kAdd), ran(1, 3, kMatMulNode, kMatMul), ran(3, 4, kAddNode, kAdd);
  ran(4, 5, kAddNode, kAdd), ran(5, 100, kAddNode, kAdd);
  EXPECT_EQ(time_line(log, kOnHosts, 5).resolution, 0);
  const TimeLine line = time_line(log, kOnHosts, 4);
  EXPECT_EQ(line.resolution, 4);
  EXPECT_THAT(shown(line), ElementsAre("worker 0 GPU:0: fc/MatMul (MatMul) 0 to 4, 3 of 4",
                                       "worker 0 GPU:0: fc/Add (Add) 4 to 5, 1 of 1",
                                       "worker 0 GPU:0: fc/Add (Add) 5 to 100, 1 of 95"));
  EXPECT_EQ(line.lanes[0].items, 5u);
}

TEST(TimeLine, names_a_block_after_the_first_of_the_longest_in_it) {
  EventLog log = log_with_names(65'536 * 4);
  log.add(1, KernelRan{kChief, kGpu, kAddNode, kAdd, StepId{1}, 0});
  log.add(2, KernelRan{kChief, kGpu, kMatMulNode, kMatMul, StepId{1}, 1});
  log.add(9, KernelRan{kChief, kGpu, kAddNode, kAdd, StepId{1}, 8});
  log.add(10, KernelRan{kChief, kGpu, kAddNode, kAdd, StepId{1}, 9});
  log.add(10, KernelRan{kChief, kGpu, kMatMulNode, kMatMul, StepId{1}, 10});  // of no length
  EXPECT_THAT(shown(time_line(log, kOnHosts, 2)), ElementsAre("worker 0 GPU:0: fc/Add (Add) 0 to 2, 2 of 2",
                                                              "worker 0 GPU:0: fc/Add (Add) 8 to 10, 2 of 2"));
}

RC_GTEST_PROP(TimeLine, loses_nothing_however_few_blocks_it_may_have, ()) {
  const auto gaps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 50), rc::gen::inRange(1, 400)));
  EventLog log = log_with_names(50 * static_cast<Nanos>(gaps.size()) + 400);
  Nanos from = -100, sum = 0;
  for (const auto& [gap, length] : gaps) {
    from += gap, sum += length;
    log.add(from + length, KernelRan{kChief, kGpu, kMatMulNode, kMatMul, StepId{1}, from});
  }
  const auto most = static_cast<std::size_t>(*rc::gen::inRange(1, 40));
  const TimeLine line = time_line(log, kOnHosts, most);
  std::uint64_t count = 0, amount = 0;
  for (const Lane& lane : line.lanes)
    for (const Block& b : lane.blocks) count += b.count, amount += b.amount;
  RC_ASSERT(count == gaps.size());
  RC_ASSERT(amount == static_cast<std::uint64_t>(sum));
  for (const Lane& lane : line.lanes) RC_ASSERT(lane.blocks.size() <= most && lane.items == gaps.size());
  for (const Lane& lane : line.lanes) RC_ASSERT(std::ranges::is_sorted(lane.blocks, {}, &Block::from));
}

}  // namespace
}  // namespace tarry
