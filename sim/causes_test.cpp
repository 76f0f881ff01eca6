// What the simulated world keeps of each event: what it waited for last, and how long for what.

#include "workers/causes.hpp"

#include <gtest/gtest.h>

#include "sim/runner.hpp"
#include "sim/world.hpp"

namespace tarry {
namespace {

constexpr TaskId kSender{0u}, kReceiver{1u};
const std::string kGraphics = "/job:worker/replica:0/task:0/device:GPU:0";

ClusterSpec server_and_worker(PathSpec between, std::uint64_t nic = 0) {
  ClusterSpec c{
      .hosts = {{"a", nic}, {"b", nic}},
      .tasks = {{"/job:ps/replica:0/task:0", HostId{0u}}, {"/job:worker/replica:0/task:0", HostId{1u}, 0, {{}}}}};
  c.network.between_hosts = between;
  return c;
}

struct Kept {
  NameTable names;
  World world;
  Causes causes;

  explicit Kept(const ClusterSpec& cluster, CostRules costs = {})
      : world(cluster, std::move(costs), 1, names, [](Nanos, const Event&) {}) {
    world.keep_causes(causes);
  }
  void run() {
    world.run([] { return false; });
  }
  void send(
      std::uint64_t bytes, std::function<void()> then = [] {}) {
    world.send(kSender, kReceiver, {}, bytes, [then = std::move(then)](const Status&) { then(); });
  }
  // Of the event with this number: when, since when, and the ends of its parts.
  [[nodiscard]] std::string told(std::uint32_t n) const {
    const auto& [at, w] = causes.events[n];
    return fmt::format("{} at {} after {}, parts to {} and {}, held by {}", static_cast<int>(w.kind), at, w.cause,
                       w.first_until, w.second_until, w.holder);
  }
};

TEST(Causes, a_message_waits_for_its_latency_and_its_bytes) {
  Kept k(server_and_worker({.latency = 100, .bandwidth = 1'000'000'000}));
  k.send(50, [&] { k.send(50); });
  k.run();
  EXPECT_EQ(k.told(1), "4 at 150 after 0, parts to 100 and 0, held by 0");
  EXPECT_EQ(k.told(2), "4 at 300 after 1, parts to 250 and 0, held by 0");
}

// Alone on a card of 1 GB/s that has half of it from 1 ms on: all of its time is its own bytes'.
TEST(Causes, a_flow_on_a_card_that_varies_is_held_against_what_the_card_has_then) {
  ClusterSpec c = server_and_worker({}, 1'000'000'000);
  c.network.engine = FlowsBy::shared;
  c.network.variations = {{.every = 1'000'000, .factor = Listed{{1'000'000, 500'000}}}};
  Kept k(c);
  k.world.begin_training();
  k.send(50'000);
  k.world.after(kSender, 1'200'000, [&] { k.send(50'000); });
  k.run();
  EXPECT_EQ(k.told(2), "5 at 50000 after 1, parts to 0 and 50000, held by 0");
  EXPECT_EQ(k.told(5), "5 at 1300000 after 4, parts to 1200000 and 1300000, held by 0");
}

TEST(Causes, a_timer_says_whose_it_is_and_a_write_that_it_waits_for_the_storage) {
  Kept k(server_and_worker({}));
  k.world.after(kReceiver, 10, [&] { k.world.store(kSender, 20, [] {}); });
  k.run();
  EXPECT_EQ(k.told(1), "0 at 10 after 0, parts to 0 and 0, held by 0");
  EXPECT_EQ(k.causes.events[1].wait.task, kReceiver);
  EXPECT_EQ(k.told(2), "2 at 30 after 1, parts to 0 and 0, held by 0");
  EXPECT_EQ(k.causes.events[2].wait.task, kSender);
}

TEST(Causes, a_kernel_that_waits_for_its_device_names_the_end_of_the_one_before) {
  CostRules costs;
  costs.rules.push_back({.op = "MatMul", .amount = Constant{30}});
  Kept k(server_and_worker({}), costs);
  const KernelSite site{.task = kReceiver, .device = kGraphics, .node = "n", .op = "MatMul"};
  const CostId cost = k.world.cost_of(site).id;
  k.world.after(5, [&] {
    for (int i = 0; i < 2; ++i) k.world.run_kernel(cost, {}, StepId{1}, {[](void*, std::uint64_t) {}, nullptr, 0});
  });
  k.run();
  EXPECT_EQ(k.told(2), "3 at 35 after 1, parts to 5 and 0, held by 0");
  EXPECT_EQ(k.told(3), "3 at 65 after 1, parts to 35 and 0, held by 2");
}

TEST(Causes, flows_wait_for_their_turn_and_share_their_way) {
  const auto told = run_in_child([] {
    Kept k(server_and_worker({.latency = 1'000}, 1'000'000));
    for (int i = 0; i < 2; ++i) k.send(1'000'000);
    k.run();
    return k.told(3) + "\n" + k.told(4);
  });
  EXPECT_EQ(told.value_or("failed"),
            "5 at 1000001000 after 1, parts to 1000 and 1000001000, held by 0\n"
            "5 at 2000001000 after 2, parts to 1000001000 and 2000001000, held by 3");
}

TEST(Causes, what_waits_while_a_process_stands_still_goes_on_because_that_ends) {
  Kept k(server_and_worker({.latency = 10}));
  k.world.stand_still(kReceiver);
  k.send(1);
  k.world.after(50, [&] { k.world.go_on(kReceiver); });
  k.run();
  EXPECT_EQ(k.causes.events.back().at, 50);
  EXPECT_EQ(k.causes.events[k.causes.events.back().wait.cause].at, 50);
  EXPECT_EQ(k.causes.events[k.causes.events.back().wait.cause].wait.kind, WaitKind::world);
}

TEST(Causes, are_kept_only_where_somebody_asks) {
  NameTable names;
  World world(server_and_worker({.latency = 10}), {}, 1, names, [](Nanos, const Event&) {});
  world.after(1, [] {});
  world.run([] { return false; });
  EXPECT_EQ(world.present(), 1u);
}

}  // namespace
}  // namespace tarry
