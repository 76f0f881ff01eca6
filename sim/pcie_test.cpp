#include "sim/pcie.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>

#include "sim/devices.hpp"

namespace tarry {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

constexpr Nanos kMs = 1'000'000;
constexpr std::uint64_t kGB = 1'000'000'000;

// A host with tasks of so many GPUs each, whose copy engines have these bandwidths, one after the other.
ClusterSpec one_host(const PcieSpec& pcie, const std::vector<std::vector<std::uint64_t>>& tasks) {
  ClusterSpec c{.hosts = {{.name = "h", .pcie = pcie}}, .tasks = {}, .network = {}};
  for (const auto& bandwidths : tasks) {
    c.tasks.push_back({"/job:w/replica:0/task:" + std::to_string(c.tasks.size()), HostId{0u}});
    for (const std::uint64_t b : bandwidths) c.tasks.back().gpus.push_back({.copy_bandwidth = b});
  }
  return c;
}

Devices::Duration usual(Nanos alone) { return {alone, alone}; }

struct Copies {
  EventHeap heap;
  Devices devices;
  std::vector<std::pair<Nanos, std::uint64_t>> ended;
  std::vector<Nanos> ran;

  explicit Copies(const ClusterSpec& cluster) : devices(cluster, heap) {}
  [[nodiscard]] DeviceId engine(int task, int gpu, CopyEngine e) const {
    return devices.find(
        copy_engine_name("/job:w/replica:0/task:" + std::to_string(task) + "/device:GPU:" + std::to_string(gpu), e));
  }
  void copy(int task, int gpu, Devices::Duration alone, std::uint64_t number, CopyEngine e = CopyEngine::to_device) {
    devices.run(engine(task, gpu, e), alone,
                {[](void* self, std::uint64_t n) {
                   auto* c = static_cast<Copies*>(self);
                   c->ended.emplace_back(c->heap.now(), n);
                   c->ran.push_back(c->devices.ran());
                 },
                 this, number});
  }
  void run_all() {
    while (!heap.empty()) heap.run_next();
  }
};

// 120 MB each at 12 GB/s take 10 ms alone; four share 12 GB/s, so each has a fourth.
TEST(PcieRoots, four_equal_copies_below_one_root_take_four_times_as_long) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB, 12 * kGB}, {12 * kGB}, {12 * kGB}}));
  c.copy(0, 0, usual(10 * kMs), 0);
  c.copy(0, 1, usual(10 * kMs), 1);
  c.copy(1, 0, usual(10 * kMs), 2);
  c.copy(2, 0, usual(10 * kMs), 3);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(40 * kMs, 0), Pair(40 * kMs, 1), Pair(40 * kMs, 2), Pair(40 * kMs, 3)));
}

TEST(PcieRoots, carry_each_direction_apart) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB, 12 * kGB}}));
  c.copy(0, 0, usual(10 * kMs), 0, CopyEngine::to_device);
  c.copy(0, 1, usual(10 * kMs), 1, CopyEngine::to_host);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(10 * kMs, 0), Pair(10 * kMs, 1)));
}

TEST(PcieRoots, are_filled_with_gpus_in_the_order_of_the_tasks) {
  Copies c(one_host({.root_bandwidth = 12 * kGB, .gpus_per_root = 2}, {{12 * kGB}, {12 * kGB, 12 * kGB}, {12 * kGB}}));
  c.copy(0, 0, usual(10 * kMs), 0);
  c.copy(1, 0, usual(10 * kMs), 1);  // the second GPU below the first root
  c.copy(1, 1, usual(10 * kMs), 2);  // alone below the second one
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(10 * kMs, 2), Pair(20 * kMs, 0), Pair(20 * kMs, 1)));
}

TEST(PcieRoots, of_two_hosts_are_two) {
  ClusterSpec cluster = one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}, {12 * kGB}});
  cluster.hosts.push_back({.name = "i", .pcie = cluster.hosts[0].pcie});
  cluster.tasks[1].host = HostId{1u};
  Copies c(cluster);
  c.copy(0, 0, usual(10 * kMs), 0);
  c.copy(1, 0, usual(10 * kMs), 1);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(10 * kMs, 0), Pair(10 * kMs, 1)));
}

// 2 GB/s is less than a half of 10 GB/s, so the other copy has 8 GB/s: of 160 MB it has 80 MB after 10 ms, and then
// 10 GB/s.
TEST(PcieRoots, give_what_a_slow_engine_cannot_use_to_the_others) {
  Copies c(one_host({.root_bandwidth = 10 * kGB}, {{16 * kGB, 2 * kGB}}));
  c.copy(0, 0, usual(16 * kMs), 0);  // 160 MB, which have 10 GB/s alone
  c.copy(0, 1, usual(10 * kMs), 1);  // 20 MB
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(10 * kMs, 1), Pair(18 * kMs, 0)));
}

// A quarter of the first copy is over when the second one comes; they share until the second is over.
TEST(PcieRoots, share_only_while_there_are_others) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB, 12 * kGB}}));
  c.copy(0, 0, usual(40 * kMs), 0);
  c.heap.after(10 * kMs, [&] { c.copy(0, 1, usual(5 * kMs), 1); });
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(20 * kMs, 1), Pair(45 * kMs, 0)));
  EXPECT_THAT(c.ran, ElementsAre(10 * kMs, 45 * kMs));
}

TEST(PcieRoots, are_left_to_others_by_the_copies_of_a_task_that_stands_still) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}, {12 * kGB}}));
  c.copy(0, 0, usual(20 * kMs), 0);
  c.copy(1, 0, usual(20 * kMs), 1);
  c.heap.after(10 * kMs, [&] { c.devices.stand_still(TaskId{0u}); });  // each has 5 ms of its work
  c.heap.after(100 * kMs, [&] { c.devices.go_on(TaskId{0u}); });
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(25 * kMs, 1), Pair(115 * kMs, 0)));
  EXPECT_THAT(c.ran, ElementsAre(25 * kMs, 25 * kMs));
  EXPECT_EQ(c.devices.use()[c.engine(0, 0, CopyEngine::to_device).index()].busy, 25 * kMs);
}

TEST(PcieRoots, a_copy_that_begins_while_its_task_stands_still_waits_for_it) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}}));
  c.devices.stand_still(TaskId{0u});
  c.copy(0, 0, usual(20 * kMs), 0);
  c.heap.after(7 * kMs, [&] { c.devices.go_on(TaskId{0u}); });
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(27 * kMs, 0)));
}

TEST(PcieRoots, are_free_of_a_process_that_has_ended) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}, {12 * kGB}}));
  c.copy(0, 0, usual(20 * kMs), 0);
  c.copy(1, 0, usual(20 * kMs), 1);
  c.heap.after(10 * kMs, [&] {
    c.devices.clear(TaskId{0u});
    c.copy(0, 0, usual(1 * kMs), 2);  // of the next process
  });
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(10 * kMs, 0), Pair(12 * kMs, 2), Pair(26 * kMs, 1)));
}

TEST(PcieRoots, do_not_call_it_sharing_that_a_task_stands_still) {
  Causes causes;
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}}));
  c.heap.keep_causes(causes);
  c.copy(0, 0, usual(20 * kMs), 0);
  c.heap.after(5 * kMs, [&] { c.devices.stand_still(TaskId{0u}); });
  c.heap.after(50 * kMs, [&] { c.devices.go_on(TaskId{0u}); });
  c.run_all();
  ASSERT_EQ(causes.events.size(), 4u);
  EXPECT_EQ(causes.events[3].at, 65 * kMs);
  EXPECT_EQ(causes.events[3].wait.cause, 2u);
  EXPECT_EQ(causes.events[3].wait.second_until, 65 * kMs);
}

TEST(PcieRoots, say_what_others_took) {
  Causes causes;
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB, 12 * kGB}}));
  c.heap.keep_causes(causes);
  c.copy(0, 0, usual(10 * kMs), 0);
  c.copy(0, 1, usual(10 * kMs), 1);
  c.run_all();
  ASSERT_EQ(causes.events.size(), 3u);
  for (std::size_t i : {1, 2}) {
    EXPECT_EQ(causes.events[i].wait.kind, WaitKind::kernel);
    EXPECT_EQ(causes.events[i].wait.second_until, 10 * kMs);
    EXPECT_EQ(causes.events[i].at, 20 * kMs);
  }
  for (const int gpu : {0, 1})
    EXPECT_EQ(c.devices.use()[c.engine(0, gpu, CopyEngine::to_device).index()].shared, 10 * kMs);
}

// With room for all engines each copy ends as it would without a root.
RC_GTEST_PROP(PcieRoots, that_have_room_for_all_change_nothing, (const std::vector<std::uint16_t>& copies)) {
  const std::vector<std::vector<std::uint64_t>> gpus{{3 * kGB, 4 * kGB}, {5 * kGB}};
  Copies with(one_host({.root_bandwidth = 12 * kGB}, gpus)), without(one_host({}, gpus));
  for (Copies* c : {&with, &without}) {
    for (std::size_t i = 0; i < copies.size(); ++i)
      c->heap.after(copies[i] / 7,
                    [c, i, &copies] { c->copy(i % 3 == 2 ? 1 : 0, i % 3 == 1 ? 1 : 0, usual(copies[i]), i); });
    c->run_all();
  }
  RC_ASSERT(with.ended == without.ended);
}

// The copies of slow and of fast tasks: 12 MB cross the root for each, whatever their pace.
TEST(PcieRoots, carry_no_more_for_fast_tasks_and_no_less_for_slow_ones) {
  for (const std::vector<Nanos>& now :
       std::vector<std::vector<Nanos>>{{100'000, 100'000}, {2 * kMs, 2 * kMs}, {1, 1'900'000}}) {
    Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB, 12 * kGB}}));
    c.copy(0, 0, {now[0], kMs}, 0);
    c.copy(0, 1, {now[1], kMs}, 1);
    c.run_all();
    EXPECT_EQ(c.ended.back().first, 2 * kMs) << now[0] << " " << now[1];
  }
}

TEST(PcieRoots, a_copy_of_a_slow_task_takes_its_time_alone) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}}));
  c.copy(0, 0, {3 * kMs, kMs}, 0);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(3 * kMs, 0)));
  EXPECT_EQ(c.devices.use()[c.engine(0, 0, CopyEngine::to_device).index()].shared, 0);
}

TEST(PcieRoots, a_copy_of_a_fast_task_shares_nothing_while_it_is_alone) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{12 * kGB}}));
  c.copy(0, 0, {kMs / 10, kMs}, 0);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(kMs, 0)));
  EXPECT_EQ(c.devices.use()[c.engine(0, 0, CopyEngine::to_device).index()].shared, 0);
}

// Copies that begin together on equal engines end in the order of their work; until the k-th ends n - k + 1 share.
RC_GTEST_PROP(PcieRoots, share_fairly, ()) {
  const auto works = *rc::gen::suchThat(rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange(1u, 1u << 30)),
                                        [](const auto& w) { return !w.empty() && w.size() <= 16; });
  const auto bandwidth = *rc::gen::inRange<std::uint64_t>(kGB, 100 * kGB);
  const std::uint64_t own = std::min(bandwidth, 12 * kGB);
  Copies c(one_host({.root_bandwidth = bandwidth}, {std::vector<std::uint64_t>(works.size(), own)}));
  for (std::size_t i = 0; i < works.size(); ++i) c.copy(0, static_cast<int>(i), usual(works[i]), i);
  c.run_all();
  std::vector<std::uint32_t> sorted = works;
  std::ranges::sort(sorted);
  double end = 0, before = 0;
  RC_ASSERT(c.ended.size() == works.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    const auto sharing = static_cast<double>(sorted.size() - k);
    end += (sorted[k] - before) * std::max(1.0, sharing * static_cast<double>(own) / static_cast<double>(bandwidth));
    before = sorted[k];
    RC_ASSERT(std::abs(static_cast<double>(c.ended[k].first) - end) <= 20);
  }
}

TEST(PcieRoots, are_the_limit_of_engines_without_one) {
  Copies c(one_host({.root_bandwidth = 12 * kGB}, {{0, 0}}));
  c.copy(0, 0, usual(10 * kMs), 0);
  c.copy(0, 1, usual(10 * kMs), 1);
  c.run_all();
  EXPECT_THAT(c.ended, ElementsAre(Pair(20 * kMs, 0), Pair(20 * kMs, 1)));
}

}  // namespace
}  // namespace tarry
