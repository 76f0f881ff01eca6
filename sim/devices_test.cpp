#include "sim/devices.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

const std::string kCpu = "/job:w/replica:0/task:0/device:CPU:0", kGpu0 = "/job:w/replica:0/task:0/device:GPU:0";

struct OneTask {
  EventHeap heap;
  Devices devices;
  std::vector<std::pair<Nanos, std::uint64_t>> done;

  explicit OneTask(int threads)
      : devices({.hosts = {{"h"}}, .tasks = {{"/job:w/replica:0/task:0", HostId{0u}, threads, {{}}}}}, heap) {}
  void run(const std::string& device, Nanos duration, std::uint64_t name) {
    devices.run(devices.find(device), duration,
                {[](void* self, std::uint64_t n) {
                   auto* t = static_cast<OneTask*>(self);
                   t->done.emplace_back(t->heap.now(), n);
                 },
                 this, name});
  }
  void run_all() {
    while (!heap.empty()) heap.run_next();
  }
};

using Done = std::vector<std::pair<Nanos, std::uint64_t>>;

TEST(Devices, a_gpu_stream_runs_one_kernel_after_the_other) {
  OneTask t(0);
  for (std::uint64_t i = 0; i < 3; ++i) t.run(kGpu0, 10, i);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{10, 0}, {20, 1}, {30, 2}}));
}

// ---- launches ----

struct Launching : OneTask {
  Launching() : OneTask(0) {}
  void launch(Nanos launch, Nanos work, std::uint64_t name) {
    devices.run(devices.find(kGpu0), {launch + work, launch + work, launch},
                {[](void* self, std::uint64_t n) {
                   auto* t = static_cast<Launching*>(self);
                   t->done.emplace_back(t->heap.now(), n);
                   if (t->left-- > 0) t->launch(5, 10, n + 1);
                 },
                 this, name});
  }
  int left = 0;  // kernels that are asked for when the one before has ended
};

TEST(Devices, launch_a_kernel_while_others_run) {
  Launching t;
  for (std::uint64_t i = 0; i < 3; ++i) t.launch(5, 10, i);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{15, 0}, {25, 1}, {35, 2}}));
  EXPECT_EQ(t.devices.use()[1].busy, 35);
}

TEST(Devices, take_the_launches_where_these_are_longer_than_the_work) {
  Launching t;
  for (std::uint64_t i = 0; i < 3; ++i) t.launch(5, 2, i);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{7, 0}, {12, 1}, {17, 2}}));
}

TEST(Devices, have_launched_what_follows_without_a_pause) {
  Launching t;
  t.left = 2;
  t.launch(5, 10, 0);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{15, 0}, {25, 1}, {35, 2}}));
}

TEST(Devices, launch_after_a_pause_when_the_kernel_is_asked_for) {
  Launching t;
  t.launch(5, 10, 0);
  t.heap.after(16, [&] { t.launch(5, 10, 1); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{15, 0}, {31, 1}}));
}

TEST(Devices, launch_what_waits_not_before_it_was_asked_for) {
  Launching t;
  t.launch(5, 10, 0);
  t.heap.after(14, [&] { t.launch(5, 10, 1); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{15, 0}, {29, 1}}));
}

TEST(Devices, have_launched_nothing_behind_a_kernel_without_a_launch) {
  Launching t;
  t.launch(5, 10, 0);
  t.heap.after(100, [&] { t.run(kGpu0, 1, 1); });
  t.heap.after(101, [&] { t.launch(5, 10, 2); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{15, 0}, {101, 1}, {115, 2}}));
}

TEST(Devices, of_a_new_process_have_launched_nothing) {
  Launching t;
  t.launch(5, 10, 0);
  t.heap.after(15, [&] {
    t.devices.clear(TaskId{0u});
    t.launch(5, 10, 1);
  });
  t.run_all();
  EXPECT_EQ(t.done.back(), std::pair(Nanos{30}, std::uint64_t{1}));
}

// ---- lanes ----

TEST(Devices, two_threads_run_two_kernels_at_once) {
  OneTask t(2);
  for (std::uint64_t i = 0; i < 3; ++i) t.run(kCpu, 10, i);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{10, 0}, {10, 1}, {20, 2}}));
}

TEST(Devices, a_cpu_without_a_limit_runs_everything_at_once) {
  OneTask t(0);
  for (std::uint64_t i = 0; i < 3; ++i) t.run(kCpu, 10, i);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{10, 0}, {10, 1}, {10, 2}}));
  EXPECT_EQ(t.devices.use()[0].busy, 30);
  EXPECT_EQ(t.devices.use()[1].busy, 0);
}

TEST(Devices, are_busy_only_as_long_as_a_kernel_has_run_by_now) {
  OneTask t(1);
  t.run(kCpu, 100, 0);
  t.run(kCpu, 100, 1);  // waits for the lane
  t.run(kGpu0, 40, 2);
  t.heap.run_next();
  EXPECT_EQ(t.devices.use()[0].busy, 40);
  EXPECT_EQ(t.devices.use()[1].busy, 40);
  t.run_all();
  EXPECT_EQ(t.devices.use()[0].busy, 200);
}

TEST(Devices, are_no_longer_busy_once_the_process_is_gone) {
  OneTask t(1);
  t.run(kCpu, 100, 0);
  t.run(kGpu0, 40, 1);
  t.heap.run_next();
  t.devices.clear(TaskId{0u});
  t.run_all();
  EXPECT_EQ(t.devices.use()[0].busy, 40);
  EXPECT_EQ(t.devices.use()[1].busy, 40);
}

TEST(Devices, are_free_again_when_a_kernel_has_ended) {
  OneTask t(1);
  t.run(kGpu0, 10, 0);
  t.run_all();
  t.run(kGpu0, 10, 1);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{10, 0}, {20, 1}}));
}

TEST(Devices, of_a_new_process_do_not_notice_that_a_kernel_of_the_old_one_would_have_ended) {
  OneTask t(1);
  t.run(kCpu, 100, 0);
  t.run(kGpu0, 40, 1);
  t.heap.run_next();
  t.devices.clear(TaskId{0u});
  t.run(kCpu, 100, 2);
  t.run(kCpu, 100, 3);
  t.run_all();
  EXPECT_EQ(t.done, (Done{{40, 1}, {100, 0}, {140, 2}, {240, 3}}));
}

TEST(Devices, a_gpu_with_copies_has_an_engine_each_way_beside_its_stream) {
  EventHeap heap;
  const GpuSpec gpu{.memory_bytes = 0, .rates = {}, .copy_bandwidth = 1'000};
  const Devices devices({.hosts = {{"h"}}, .tasks = {{"/job:w/replica:0/task:0", HostId{0u}, 0, {gpu}}}}, heap);
  ASSERT_EQ(devices.use().size(), 4u);
  for (const CopyEngine e : {CopyEngine::to_device, CopyEngine::to_host})
    EXPECT_EQ(devices.use()[devices.find(copy_engine_name(kGpu0, e)).index()].lanes, 1);
  EXPECT_NE(devices.find(copy_engine_name(kGpu0, CopyEngine::to_device)),
            devices.find(copy_engine_name(kGpu0, CopyEngine::to_host)));
}

TEST(Devices, an_unknown_device_is_a_bug) {
  OneTask t(0);
  EXPECT_THROW((void)t.devices.find("/job:w/replica:0/task:0/device:GPU:1"), Bug);
}

RC_GTEST_PROP(Devices, a_stream_is_first_come_first_served_and_never_idle_before_the_last,
              (const std::vector<std::uint8_t>& durations)) {
  OneTask t(1);
  for (std::size_t i = 0; i < durations.size(); ++i) t.run(kCpu, durations[i], i);
  t.run_all();
  Nanos at = 0;
  RC_ASSERT(t.done.size() == durations.size());
  for (std::size_t i = 0; i < durations.size(); ++i)
    RC_ASSERT(t.done[i] == std::pair(at += durations[i], std::uint64_t{i}));
}

TEST(Devices, of_a_task_that_stands_still_go_on_later_where_they_stopped) {
  OneTask t(1);
  t.run(kCpu, 10, 0);
  t.run(kCpu, 10, 1);
  t.run(kGpu0, 100, 2);
  t.heap.after(4, [&] { t.devices.stand_still(TaskId{0u}); });
  t.heap.after(54, [&] { t.devices.go_on(TaskId{0u}); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{60, 0}, {70, 1}, {150, 2}}));
  EXPECT_EQ(t.devices.use()[0].busy, 20);
  EXPECT_EQ(t.devices.use()[1].busy, 100);
}

TEST(Devices, that_stood_still_before_a_kernel_began_give_it_its_own_time) {
  OneTask t(0);
  for (const Nanos at : {4, 24, 44}) {
    t.heap.after(at, [&] { t.devices.stand_still(TaskId{0u}); });
    t.heap.after(at + 10, [&] { t.devices.go_on(TaskId{0u}); });
  }
  t.heap.after(20, [&] { t.run(kGpu0, 20, 0); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{60, 0}}));
  EXPECT_EQ(t.devices.use()[1].busy, 20);
}

TEST(Devices, may_stand_still_again_and_again) {
  OneTask t(1);
  t.run(kCpu, 100, 0);
  for (const Nanos at : {10, 30, 200}) {
    t.heap.after(at, [&] { t.devices.stand_still(TaskId{0u}); });
    t.heap.after(at + 10, [&] { t.devices.go_on(TaskId{0u}); });
  }
  t.heap.after(205, [&] { t.run(kCpu, 7, 1); });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{120, 0}, {217, 1}}));
}

TEST(Devices, that_stood_still_at_the_end_of_a_process_are_free_for_the_next_one) {
  OneTask t(1);
  t.run(kCpu, 10, 0);
  t.heap.after(4, [&] { t.devices.stand_still(TaskId{0u}); });
  t.heap.after(50, [&] {
    t.devices.clear(TaskId{0u});
    t.run(kCpu, 10, 1);
  });
  t.run_all();
  EXPECT_EQ(t.done, (Done{{50, 0}, {60, 1}}));
  EXPECT_EQ(t.devices.use()[0].busy, 14);
}

}  // namespace
}  // namespace tarry
