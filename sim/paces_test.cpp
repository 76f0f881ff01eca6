// How long kernels take when something slows them.

#include "sim/paces.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

constexpr HostId kOneHost{0u};
constexpr TaskId kOne{0u}, kTwo{1u};
constexpr DeviceId kCpuOne{0u}, kGpuOne{1u}, kCpuTwo{2u};

struct TwoTasks {
  ClusterSpec cluster{.hosts = {{"h"}}, .tasks = {{"/job:a/task:0", kOneHost}, {"/job:b/task:0", kOneHost}}};
  Paces paces{cluster, Random(1)};
  Nanos of(Nanos t, TaskId task, DeviceId device, std::string_view op = "MatMul", std::uint32_t cost = 0) {
    return paces.of(t, CostId{cost}, {task, device, cost == 0 ? "n" : "m", op, executions++});
  }
  std::uint64_t executions = 0;
};

TEST(Paces, are_usual_until_one_is_set_and_when_all_are_taken_back) {
  TwoTasks t;
  EXPECT_TRUE(t.paces.are_usual());
  t.paces.set_task(kOne, 200);
  t.paces.set_host(kOneHost, 200);
  t.paces.set_device(kGpuOne, 200);
  t.paces.set_tail(kOne, "*", Tail{1, 200});
  EXPECT_FALSE(t.paces.are_usual());
  t.paces.set_task(kOne, 100);
  t.paces.set_host(kOneHost, 100);
  t.paces.set_device(kGpuOne, 100);
  EXPECT_FALSE(t.paces.are_usual());
  t.paces.set_tail(kOne, "*", std::nullopt);
  EXPECT_TRUE(t.paces.are_usual());
}

TEST(Paces, of_task_host_and_device_multiply) {
  TwoTasks t;
  t.paces.set_task(kOne, 300);
  EXPECT_EQ(t.of(10, kOne, kCpuOne), 30);
  EXPECT_EQ(t.of(10, kTwo, kCpuTwo), 10);
  t.paces.set_host(kOneHost, 200);
  EXPECT_EQ(t.of(10, kOne, kCpuOne), 60);
  EXPECT_EQ(t.of(10, kTwo, kCpuTwo), 20);
  t.paces.set_device(kGpuOne, 50);
  EXPECT_EQ(t.of(10, kOne, kGpuOne), 30);
  EXPECT_EQ(t.of(10, kOne, kCpuOne), 60);
}

TEST(Paces, end_at_a_hundred_years) {
  TwoTasks t;
  t.paces.set_task(kOne, 1'000'000);
  EXPECT_EQ(t.of(Nanos{1} << 61, kOne, kCpuOne), 100LL * 365 * 24 * 3600 * kSecond);
}

TEST(Paces, of_a_tail_are_for_one_of_so_many_executions_of_the_ops_that_fit) {
  TwoTasks t;
  t.paces.set_tail(kOne, "Mat*", Tail{10, 500});
  int slow = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Nanos took = t.of(10, kOne, kCpuOne);
    EXPECT_TRUE(took == 10 || took == 50);
    slow += took == 50 ? 1 : 0;
    EXPECT_EQ(t.of(10, kOne, kCpuOne, "Conv2D", 1), 10);
    EXPECT_EQ(t.of(10, kTwo, kCpuTwo), 10);
  }
  EXPECT_NEAR(slow, 1'000, 100);
}

TEST(Paces, of_a_node_in_a_tail_do_not_depend_on_what_else_runs) {
  TwoTasks alone, beside;
  for (TwoTasks* t : {&alone, &beside}) t->paces.set_tail(kOne, "*", Tail{3, 200});
  for (int i = 0; i < 1'000; ++i) {
    (void)beside.of(10, kOne, kCpuOne, "Other", 1);
    alone.executions = beside.executions;
    EXPECT_EQ(alone.of(10, kOne, kCpuOne), beside.of(10, kOne, kCpuOne)) << i;
  }
}

TEST(Paces, of_an_execution_do_not_depend_on_when_the_tail_began) {
  TwoTasks early, late;
  early.paces.set_tail(kOne, "*", Tail{3, 200});
  for (int i = 0; i < 100; ++i) {
    if (i == 50) late.paces.set_tail(kOne, "*", Tail{3, 200});
    const Nanos first = early.of(10, kOne, kCpuOne), second = late.of(10, kOne, kCpuOne);
    if (i >= 50) EXPECT_EQ(first, second) << i;
  }
}

}  // namespace
}  // namespace tarry
