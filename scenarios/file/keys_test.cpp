#include "scenarios/file/keys.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

const TaskNames kTasks{{"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:12"}, {"server", "host12"}};

TEST(Keys, every_cause_has_some) {
  for (int c = 0; c <= static_cast<int>(Proof::Cause::tokens); ++c)
    EXPECT_NE(keys_of({.cause = static_cast<Proof::Cause>(c)}, kTasks), "") << c;
}

TEST(Keys, name_the_task_the_host_and_the_op) {
  EXPECT_EQ(keys_of({.cause = Proof::Cause::late_start, .task = TaskId{1u}}, kTasks),
            "training.workers.worker/12.start_after and first_step_after");
  EXPECT_EQ(keys_of({.cause = Proof::Cause::slow_card, .a = "server"}, kTasks),
            "cluster.hosts[] with 'name: server': nic");
  EXPECT_EQ(keys_of({.cause = Proof::Cause::slow_card, .a = "server", .b = "card 1"}, kTasks),
            "cluster.hosts[] with 'name: server': nics, card 1");
  EXPECT_EQ(keys_of({.cause = Proof::Cause::op, .a = "MatMul"}, kTasks), "costs[] with 'op: MatMul'");
}

}  // namespace
}  // namespace tarry
