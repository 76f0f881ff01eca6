#include "results/critical_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/sound_path.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using enum PathKind;

constexpr TaskId kPs{0u}, kW0{1u}, kW1{2u};
const TaskNames kTasks{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"}};
const std::vector<std::string> kNames{"grad_accum",
                                      "/job:worker/replica:0/task:0/device:CPU:0",
                                      "/job:worker/replica:0/task:0/device:GPU:0",
                                      "MatMul",
                                      "_Recv",
                                      "node"};
constexpr NameId kAccumulator{0u}, kCpu{1u}, kGpu{2u}, kMatMul{3u}, kReceive{4u}, kNode{5u};

// A run written by hand: each event with its wait, and what it notes.
struct HandMade {
  EventLog log{true};
  Causes causes;

  HandMade() { log.set_names(kNames); }
  std::uint32_t event(Nanos at, const Wait& wait) {
    causes.events.push_back({at, wait});
    return static_cast<std::uint32_t>(causes.events.size() - 1);
  }
  std::size_t note(const Event& e) {
    log.add(causes.events.back().at, e);
    causes.noted_in.push_back(static_cast<std::uint32_t>(causes.events.size() - 1));
    return log.events().size() - 1;
  }
  [[nodiscard]] std::vector<std::string> path(const PathEnds& ends) const {
    const CriticalPath p = critical_path(log, causes, ends);
    EXPECT_EQ(what_is_wrong(p, log), "");
    std::vector<std::string> out;
    for (const PathPart& part : p.parts)
      out.push_back(fmt::format("{} {} {}", part.to - part.from, row_of(part.kind).name, who(part, log, kTasks)));
    return out;
  }
};

KernelRan kernel(NameId device, NameId op, Nanos began) { return {kW0, device, kNode, op, StepId{1}, began}; }
Wait computes(std::uint32_t cause, Nanos began, std::uint32_t holder = 0) {
  return {WaitKind::kernel, cause, holder, began, 0, {}};
}

TEST(CriticalPath, of_a_kernel_is_the_wait_for_its_device_and_its_computing) {
  HandMade run;
  const auto begin = run.event(5, {WaitKind::timer, 0, 0, 0, 0, kW1});
  const auto other = run.event(20, computes(begin, 5));
  run.note(kernel(kGpu, kReceive, 5));
  run.event(50, computes(begin, 20, other));
  const std::size_t end = run.note(kernel(kGpu, kMatMul, 20));
  EXPECT_THAT(run.path({end, 0}), ElementsAre("5 timer worker 1", "15 busy device worker 0 GPU:0, which runs _Recv",
                                              "30 computing MatMul on worker 0 GPU:0"));
}

TEST(CriticalPath, tells_a_message_s_costs_from_computing) {
  HandMade run;
  run.event(7, computes(0, 0));
  const std::size_t end = run.note(kernel(kCpu, kReceive, 0));
  EXPECT_THAT(run.path({end, 0}), ElementsAre("7 message cost worker 0"));
}

TEST(CriticalPath, of_a_copy_is_what_others_took_of_its_root_as_well) {
  HandMade run;
  run.event(50, {WaitKind::kernel, 0, 0, 10, 30, {}});
  const std::size_t end = run.note(kernel(kGpu, kReceive, 10));
  EXPECT_THAT(run.path({end, 0}), ElementsAre("10 busy device worker 0 GPU:0", "20 message cost worker 0 GPU:0",
                                              "20 sharing worker 0 GPU:0"));
}

TEST(CriticalPath, of_a_message_is_latency_and_transfer) {
  HandMade run;
  run.event(100, {WaitKind::message, 0, 0, 60, 0, {}});
  const std::size_t end = run.note(MessageDelivered{kPs, kW1, {}, 9, 0, {}, {}});
  EXPECT_THAT(run.path({end, 0}), ElementsAre("60 latency ps 0 to worker 1", "40 transfer ps 0 to worker 1"));
}

TEST(CriticalPath, of_a_flow_is_latency_turn_transfer_and_what_others_took) {
  HandMade run;
  const auto before = run.event(30, {WaitKind::flow, 0, 0, 0, 30, {}});
  run.note(MessageDelivered{kPs, kW1, {}, 9, 0, {}, {}});
  const auto entered = run.event(10, {WaitKind::message, 0, 0, 10, 0, {}});
  run.event(100, {WaitKind::flow, entered, before, 30, 80, {}});
  const std::size_t end = run.note(MessageDelivered{kPs, kW1, {}, 9, 0, {}, {}});
  EXPECT_THAT(run.path({end, 0}), ElementsAre("10 latency ps 0 to worker 1", "20 turn ps 0 to worker 1",
                                              "50 transfer ps 0 to worker 1", "20 sharing ps 0 to worker 1"));
}

TEST(CriticalPath, of_a_message_has_the_threads_that_send_and_receive_it) {
  HandMade run;
  const auto left = run.event(50, {WaitKind::transport, 0, 0, 20, 0, kPs});
  const auto arrived = run.event(70, {WaitKind::message, left, 0, 70, 0, {}});
  run.event(100, {WaitKind::transport, arrived, 0, 75, 0, kW1});
  const std::size_t end = run.note(MessageDelivered{kPs, kW1, {}, 9, 0, {}, {}});
  EXPECT_THAT(run.path({end, 0}), ElementsAre("20 busy thread ps 0", "30 transport ps 0", "20 latency ps 0 to worker 1",
                                              "5 busy thread worker 1", "25 transport worker 1"));
}

TEST(CriticalPath, begins_where_it_is_asked_to) {
  HandMade run;
  const auto first = run.event(40, computes(0, 0));
  run.note(kernel(kCpu, kMatMul, 0));
  run.event(60, {WaitKind::storage, first, 0, 0, 0, kPs});
  const std::size_t end = run.note(LogLine{});
  EXPECT_THAT(run.path({end, 25}), ElementsAre("15 computing MatMul on worker 0", "20 storage ps 0"));
  EXPECT_THAT(run.path({end, 50}), ElementsAre("10 storage ps 0"));
}

TEST(CriticalPath, names_the_worker_that_pushed_last_and_those_with_which_it_tied) {
  HandMade run;
  run.event(1, {WaitKind::world, 0, 0, 0, 0, {}});
  run.note(StepBegan{kW0, StepId{10}, Purpose::train});
  run.note(StepBegan{kW1, StepId{11}, Purpose::train});
  run.note(GradientPushed{kPs, kAccumulator, StepId{11}, 0, 0, true});
  run.note(GradientPushed{kPs, kAccumulator, StepId{10}, 0, 0, true});
  const std::size_t first = run.note(AggregateTaken{kPs, kAccumulator, StepId{12}, 2, 1});
  run.event(2, {WaitKind::world, 1, 0, 0, 0, {}});
  run.note(GradientPushed{kPs, kAccumulator, StepId{11}, 1, 1, true});
  run.note(GradientPushed{kPs, kAccumulator, StepId{10}, 0, 1, false});
  const std::size_t second = run.note(AggregateTaken{kPs, kAccumulator, StepId{12}, 1, 2});
  const auto pushes = critical_path(run.log, run.causes, {second, 0}).pushes;
  ASSERT_EQ(pushes.size(), 2u);
  EXPECT_EQ(std::pair(pushes[0].aggregate, pushes[0].task), std::pair(std::int64_t{1}, kW0));
  EXPECT_THAT(pushes[0].tied, ElementsAre(kW1));
  EXPECT_EQ(std::pair(pushes[1].aggregate, pushes[1].task), std::pair(std::int64_t{2}, kW1));
  EXPECT_THAT(pushes[1].tied, ElementsAre());
  EXPECT_EQ(ends_of_aggregate(run.log, 1)->entry, first);
  EXPECT_EQ(ends_of_aggregate(run.log, 2)->since, 1);
  EXPECT_FALSE(ends_of_aggregate(run.log, 3));
  EXPECT_EQ(ends_of_run(run.log)->entry, second);
}

TEST(CriticalPath, leads_to_the_aggregate_that_all_accumulators_have_had_taken) {
  HandMade run;
  constexpr NameId kOther{7u};
  const auto take = [&](Nanos at, NameId accumulator) {
    run.event(at, {WaitKind::world, static_cast<std::uint32_t>(at - 1), 0, 0, 0, {}});
    return run.note(AggregateTaken{kPs, accumulator, StepId{12}, 1, 1});
  };
  take(1, kAccumulator);
  const std::size_t first = take(2, kOther), second = (take(3, kOther), take(4, kAccumulator));
  take(5, kAccumulator);
  EXPECT_EQ(ends_of_aggregate(run.log, 1)->entry, first);
  EXPECT_EQ(ends_of_aggregate(run.log, 2)->entry, second);
  EXPECT_EQ(ends_of_aggregate(run.log, 2)->since, 2);
  EXPECT_FALSE(ends_of_aggregate(run.log, 3));
  EXPECT_EQ(ends_of_run(run.log)->entry, second);
}

TEST(CriticalPath, calls_no_tie_what_came_earlier) {
  HandMade run;
  run.event(1, {WaitKind::world, 0, 0, 0, 0, {}});
  run.note(StepBegan{kW0, StepId{10}, Purpose::train});
  run.note(StepBegan{kW1, StepId{11}, Purpose::train});
  run.note(GradientPushed{kPs, kAccumulator, StepId{11}, 0, 0, true});
  run.event(2, {WaitKind::world, 1, 0, 0, 0, {}});
  run.note(GradientPushed{kPs, kAccumulator, StepId{10}, 0, 0, true});
  const std::size_t end = run.note(AggregateTaken{kPs, kAccumulator, StepId{12}, 2, 1});
  const auto pushes = critical_path(run.log, run.causes, {end, 0}).pushes;
  ASSERT_EQ(pushes.size(), 1u);
  EXPECT_EQ(pushes[0].task, kW0);
  EXPECT_THAT(pushes[0].tied, ElementsAre());
}

TEST(CriticalPath, of_a_step_is_from_its_beginning_to_its_end) {
  HandMade run;
  for (const Nanos at : {10, 20}) {
    run.event(at, {WaitKind::world, 0, 0, 0, 0, {}});
    run.note(StepBegan{kW1, StepId{static_cast<std::size_t>(at)}, Purpose::train});
    run.event(at + 5, {WaitKind::world, static_cast<std::uint32_t>(run.causes.events.size() - 1), 0, 0, 0, {}});
    run.note(StepEnded{kW1, StepId{static_cast<std::size_t>(at)}, 0});
  }
  EXPECT_EQ(ends_of_step(run.log, kW1, 2)->since, 20);
  EXPECT_EQ(ends_of_step(run.log, kW1, 2)->entry, 3u);
  EXPECT_FALSE(ends_of_step(run.log, kW1, 3));
  EXPECT_FALSE(ends_of_step(run.log, kW0, 1));
  EXPECT_EQ(ends_of_run(run.log)->entry, 3u) << "nothing aggregates";
}

TEST(CriticalPath, sums_are_by_kind_and_by_whose_time_it_is_the_most_first) {
  HandMade run;
  const auto a = run.event(10, computes(0, 0));
  run.note(kernel(kCpu, kMatMul, 0));
  const auto b = run.event(30, {WaitKind::timer, a, 0, 0, 0, kW1});
  run.event(45, computes(b, 30));
  const std::size_t end = run.note(kernel(kCpu, kMatMul, 30));
  const auto all = sums(critical_path(run.log, run.causes, {end, 0}), run.log, kTasks);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(std::pair(all[0].who, all[0].time), std::pair(std::string("MatMul on worker 0"), Nanos{25}));
  EXPECT_EQ(std::pair(all[1].who, all[1].time), std::pair(std::string("worker 1"), Nanos{20}));
}

}  // namespace
}  // namespace tarry
