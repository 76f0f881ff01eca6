// Processes that stand still, connections that break, GPUs that are lost.

#include <gtest/gtest.h>

#include "sim/world.hpp"

namespace tarry {
namespace {

constexpr TaskId kUntroubled{0u}, kTroubled{1u};
const std::string kTroubledGpu = "/job:worker/replica:0/task:0/device:GPU:0";

ClusterSpec troubled_tasks() {
  ClusterSpec c{
      .hosts = {{"a"}, {"b"}},
      .tasks = {{"/job:ps/replica:0/task:0", HostId{0u}}, {"/job:worker/replica:0/task:0", HostId{1u}, 0, {{}}}}};
  c.network.between_hosts = {.latency = 100};
  return c;
}

struct TroubledWorld {
  NameTable names;
  std::vector<std::pair<Nanos, Event>> events;
  World world;

  explicit TroubledWorld(const ClusterSpec& cluster = troubled_tasks(), CostRules costs = {})
      : world(cluster, std::move(costs), 1, names, [this](Nanos at, const Event& e) { events.emplace_back(at, e); }) {}
  void run() {
    while (world.run([] { return false; }) != Ended::idle) {
    }
  }
};

TEST(World, a_process_that_stands_still_does_nothing_until_it_goes_on) {
  TroubledWorld f(troubled_tasks(), {.rules = {{.op = "MatMul", .amount = Constant{10}}}});
  std::string did;
  const auto mark = [&](const std::string& what) { did += fmt::format("{}@{} ", what, f.world.now()); };
  f.world.run_kernel(f.world.cost_of({kTroubled, kTroubledGpu, "m", "MatMul"}).id, {}, StepId{3},
                     {[](void*, std::uint64_t) {}, nullptr, 0});
  f.world.after(kTroubled, 20, [&] { mark("timer"); });
  f.world.after(kUntroubled, 20, [&] { mark("other"); });
  f.world.send(kUntroubled, kTroubled, {f.world.name("m")}, 1, [&](const Status&) { mark("message"); });
  f.world.after(4, [&] {
    f.world.stand_still(kTroubled);
    f.world.in_process(kTroubled, [&] { mark("news"); });
  });
  f.world.after(400, [&] { f.world.go_on(kTroubled); });
  f.run();
  EXPECT_EQ(did, "other@20 news@400 timer@400 message@400 ");
  EXPECT_EQ(f.world.now(), 406);
}

TEST(World, a_process_that_ends_while_it_stands_still_does_not_go_on) {
  TroubledWorld f;
  std::string did;
  f.world.after(kTroubled, 20, [&] { did += "timer "; });
  f.world.send(kUntroubled, kTroubled, {f.world.name("m")}, 1, [&](const Status&) { did += "message "; });
  f.world.stand_still(kTroubled);
  f.world.after(200, [&] { f.world.end_process(kTroubled); });
  f.run();
  EXPECT_EQ(did, "message ");
  EXPECT_FALSE(f.world.stands_still(kTroubled));
}

TEST(World, a_broken_message_is_told_to_the_end_that_waits_for_it) {
  TroubledWorld f;
  std::string told;
  const auto mark = [&](const std::string& what) {
    return [&, what](const Status& s) { told += fmt::format("{} {} ", what, text_of(s)); };
  };
  f.world.network().hold(both_ways(HostId{0u}, HostId{1u}), Hold::breaking);
  f.world.network().lose_held_after(both_ways(HostId{0u}, HostId{1u}), 10);
  f.world.send(kUntroubled, kTroubled, {f.world.name("RunGraph request")}, 1, mark("request"));
  f.world.send(kUntroubled, kTroubled, {f.world.name("RunGraph reply")}, 1, mark("reply"));
  f.world.stand_still(kTroubled);
  f.world.after(50, [&] {
    EXPECT_EQ(told, "request Socket closed ");
    f.world.go_on(kTroubled);
  });
  f.run();
  EXPECT_EQ(told, "request Socket closed reply Socket closed ");
  EXPECT_TRUE(f.events.empty());
}

TEST(World, a_gpu_is_lost_to_a_process_and_its_memory_to_others) {
  ClusterSpec cluster = troubled_tasks();
  cluster.tasks[1].gpus[0].memory_bytes = 1'000;
  TroubledWorld f(cluster);
  const DeviceHealth* first = f.world.health_of(kTroubled, kTroubledGpu);
  f.world.gpus().lose(kTroubled, kTroubledGpu);
  EXPECT_TRUE(first->is_lost);
  f.world.gpus().set_others(kTroubled, kTroubledGpu, 700);
  EXPECT_FALSE(f.world.memory_of(kTroubled, kTroubledGpu)->take(400));
  f.world.end_process(kTroubled);
  EXPECT_FALSE(f.world.health_of(kTroubled, kTroubledGpu)->is_lost);
  EXPECT_FALSE(f.world.memory_of(kTroubled, kTroubledGpu)->take(400));
  f.world.gpus().set_others(kTroubled, kTroubledGpu, 0);
  EXPECT_TRUE(f.world.memory_of(kTroubled, kTroubledGpu)->take(400));
  EXPECT_EQ(f.world.health_of(kUntroubled, "/job:ps/replica:0/task:0/device:CPU:0"), nullptr);
}

}  // namespace
}  // namespace tarry
