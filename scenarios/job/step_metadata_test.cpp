#include "scenarios/job/step_metadata.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;

constexpr TaskId kServerTask{0u}, kFirstTask{1u}, kSecondTask{2u};

const GraphSpec kOneStepGraph{{{"w", "Variable", "", {}, {}},
                               {"x", "Placeholder", "", {}, {}},
                               {"mul", "MatMul", "", {"x", "w:1", "^init"}, {}}}};

// Worker 0's first step multiplies, once it has the weights; a step of worker 1 goes on at the same time.
EventLog log_of_two_steps() {
  EventLog log(true);
  const std::string gpu = "/job:worker/replica:0/task:0/device:GPU:0";
  const std::string key = "/job:ps/replica:0/task:0/device:CPU:0;1f;" + gpu + ";edge_3_w;0:0";
  log.set_names({gpu, "mul", "MatMul", "RecvTensor request", "RecvTensor reply", key, "RunGraph request", ""});
  log.add(1'000, StepBegan{kFirstTask, StepId{1}, Purpose::train});
  log.add(1'000, StepBegan{kSecondTask, StepId{2}, Purpose::train});
  log.add(2'000, MessageDelivered{kFirstTask, kServerTask, NameId{3u}, 99, 1'500, NameId{5u}, StepId{1}});
  log.add(2'100, MessageDelivered{kFirstTask, kServerTask, NameId{6u}, 99, 1'500, NameId{7u}, StepId{1}});
  log.add(4'000, MessageDelivered{kServerTask, kFirstTask, NameId{4u}, 400, 3'000, NameId{5u}, StepId{1}});
  log.add(9'000, KernelRan{kFirstTask, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, 4'000});
  log.add(9'000, KernelRan{kSecondTask, NameId{0u}, NameId{1u}, NameId{2u}, StepId{2}, 3'000});
  log.add(9'500, StepEnded{kFirstTask, StepId{1}, 0});
  return log;
}

std::vector<std::string> told_times(const EventLog& log, NumberedStep step) {
  std::vector<std::string> out;
  const auto times = times_of_step(log, step, kOneStepGraph);
  if (!times) return {"none"};
  for (const NodeExecTime& t : *times)
    out.push_back(fmt::format("{} on {}: {} for {}; {}", t.node, t.device.substr(t.device.rfind('/')), t.start_ns,
                              t.duration_ns, t.label));
  return out;
}

TEST(StepMetadata, has_the_kernels_of_one_step_with_their_inputs_and_the_tensors_that_were_asked_for) {
  EXPECT_THAT(told_times(log_of_two_steps(), {kFirstTask, 1}),
              ElementsAre("RecvTensor on /device:GPU:0: 1500 for 2500; [400B] edge_3_w from "
                          "/job:ps/replica:0/task:0/device:CPU:0 to /job:worker/replica:0/task:0/device:GPU:0",
                          "mul on /device:GPU:0: 4000 for 5000; mul = MatMul(x, w:1)"));
}

TEST(StepMetadata, of_a_step_that_did_not_end_or_never_began_is_none) {
  EXPECT_THAT(told_times(log_of_two_steps(), {kSecondTask, 1}), ElementsAre("none"));
  EXPECT_THAT(told_times(log_of_two_steps(), {kFirstTask, 2}), ElementsAre("none"));
}

TEST(StepMetadata, gives_sizes_in_mebibytes_from_a_tenth_of_one) {
  EventLog log = log_of_two_steps();
  log.add(9'600, StepBegan{kFirstTask, StepId{3}, Purpose::train});
  log.add(9'700, MessageDelivered{kServerTask, kFirstTask, NameId{4u}, 1'572'864, 9'650, NameId{5u}, StepId{3}});
  log.add(9'800, StepEnded{kFirstTask, StepId{3}, 0});
  EXPECT_THAT(told_times(log, {kFirstTask, 2}),
              ElementsAre(testing::HasSubstr(": 9650 for 50; [1.5MB] edge_3_w from")));
}

TEST(StepMetadata, is_of_the_last_step_that_succeeded_of_the_first_task_when_nobody_says_which) {
  EventLog log = log_of_two_steps();
  EXPECT_EQ(last_whole_step(log), (NumberedStep{kFirstTask, 1}));
  log.add(9'600, StepBegan{kFirstTask, StepId{3}, Purpose::train});
  log.add(9'700, StepEnded{kSecondTask, StepId{2}, 0});
  log.add(9'800, StepEnded{kFirstTask, StepId{3}, 14});
  EXPECT_EQ(last_whole_step(log), (NumberedStep{kFirstTask, 1}));
  EXPECT_EQ(last_whole_step(EventLog()), std::nullopt);
}

}  // namespace
}  // namespace tarry
