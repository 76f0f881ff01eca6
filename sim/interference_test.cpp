#include "sim/interference.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

constexpr TaskId kFirstTask{0u}, kSecondTask{1u}, kThirdTask{2u};

// Two tasks on one host, one on another.
ClusterSpec three_tasks() {
  ClusterSpec c;
  c.hosts = {{"a"}, {"b"}};
  c.tasks = {{"/job:worker/replica:0/task:0", HostId{0u}},
             {"/job:worker/replica:0/task:1", HostId{0u}},
             {"/job:worker/replica:0/task:2", HostId{1u}}};
  return c;
}

TEST(Interference, makes_kernels_longer_that_begin_in_its_windows) {
  const ClusterSpec c = three_tasks();
  Interferences all({{.task = kFirstTask, .first = 5, .every = 10, .lasts = 3, .percent = 300}}, c, Random(1));
  all.begin(100);
  EXPECT_EQ(all.of(7, kFirstTask, 104), 7) << "before the first window";
  for (const Nanos start : {105, 107, 115, 117, 125}) EXPECT_EQ(all.of(7, kFirstTask, start), 21) << start;
  for (const Nanos start : {108, 114, 118, 124}) EXPECT_EQ(all.of(7, kFirstTask, start), 7) << start;
  EXPECT_EQ(all.of(7, kSecondTask, 105), 7) << "of another task";
}

TEST(Interference, does_nothing_before_the_start) {
  const ClusterSpec c = three_tasks();
  Interferences all({{.task = kFirstTask, .percent = 300}}, c, Random(1));
  EXPECT_EQ(all.of(7, kFirstTask, 50), 7);
  all.begin(60);
  EXPECT_EQ(all.of(7, kFirstTask, 59), 7);
  EXPECT_EQ(all.of(7, kFirstTask, 60), 21);
}

TEST(Interference, of_one_window_in_four_hits_a_quarter_of_them) {
  const ClusterSpec c = three_tasks();
  Interferences all({{.task = kFirstTask, .every = 10, .lasts = 10, .percent = 200, .one_in = 4}}, c, Random(1));
  all.begin(0);
  int hit = 0;
  for (Nanos window = 0; window < 10'000; ++window) hit += all.of(1, kFirstTask, 10 * window) == 2;
  EXPECT_NEAR(hit, 2500, 150);
}

RC_GTEST_PROP(Interference, of_a_host_slows_all_its_tasks_together, (std::uint64_t seed, std::uint32_t now)) {
  const ClusterSpec c = three_tasks();
  Interferences all({{.host = HostId{0u}, .every = 10, .lasts = 5, .percent = 200, .one_in = 2}}, c, Random(seed));
  all.begin(0);
  RC_ASSERT(all.of(8, kFirstTask, now) == all.of(8, kSecondTask, now));
  RC_ASSERT(all.of(8, kThirdTask, now) == 8);
}

RC_GTEST_PROP(Interference, has_the_same_luck_whatever_else_interferes, (std::uint64_t seed, std::uint32_t now)) {
  const ClusterSpec c = three_tasks();
  const Interference one{.task = kFirstTask, .every = 10, .lasts = 5, .percent = 200, .one_in = 2};
  const Interference other{.task = kThirdTask, .every = 10, .lasts = 5, .percent = 200, .one_in = 2};
  Interferences alone({one}, c, Random(seed)), both({other, one}, c, Random(seed));
  alone.begin(0), both.begin(0);
  RC_ASSERT(alone.of(8, kFirstTask, now) == both.of(8, kFirstTask, now));
}

}  // namespace
}  // namespace tarry
