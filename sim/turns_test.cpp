#include "sim/turns.hpp"

#include <gtest/gtest.h>

#include "sim/world.hpp"

namespace tarry {
namespace {

constexpr TaskId kOne{0u}, kOther{1u};

Turns::Asked of_step(std::uint64_t step) { return {CostId{0u}, {}, StepId{step}, {}}; }

TEST(Turns, of_one_name_on_one_task_are_the_same) {
  Turns turns;
  const TurnsId reader = turns.find(kOne, "reader");
  EXPECT_EQ(turns.find(kOne, "reader"), reader);
  EXPECT_NE(turns.find(kOther, "reader"), reader);
  EXPECT_NE(turns.find(kOne, "another"), reader);
  EXPECT_FALSE(turns.find(kOne, "").valid());
}

TEST(Turns, go_to_those_that_wait_in_the_order_in_which_they_came) {
  Turns turns;
  const TurnsId reader = turns.find(kOne, "reader");
  EXPECT_TRUE(turns.begin(reader, of_step(1)));
  EXPECT_FALSE(turns.begin(reader, of_step(2)));
  EXPECT_FALSE(turns.begin(reader, of_step(3)));
  EXPECT_EQ(turns.end(reader)->step, StepId{2u});
  EXPECT_FALSE(turns.begin(reader, of_step(4)));
  EXPECT_EQ(turns.end(reader)->step, StepId{3u});
  EXPECT_EQ(turns.end(reader)->step, StepId{4u});
  EXPECT_FALSE(turns.end(reader));
  EXPECT_TRUE(turns.begin(reader, of_step(5)));
}

TEST(Turns, of_a_process_that_has_ended_are_over_and_nobody_waits) {
  Turns turns;
  const TurnsId reader = turns.find(kOne, "reader"), other = turns.find(kOther, "reader");
  for (const TurnsId id : {reader, other})
    for (std::uint64_t step = 1; step < 3; ++step) turns.begin(id, of_step(step));
  turns.clear(kOne);
  EXPECT_TRUE(turns.begin(reader, of_step(3)));
  EXPECT_FALSE(turns.end(reader));
  EXPECT_EQ(turns.end(other)->step, StepId{2u});
}

// A CPU with a thread for each kernel, and reads of 10 ns.
struct Reads {
  NameTable names;
  std::vector<Nanos> ended;
  World world{{.hosts = {{"host"}}, .tasks = {{"/job:worker/replica:0/task:0", HostId{0u}}}},
              {.rules = {{.op = "Read", .amount = Constant{10}}}},
              1,
              names,
              [this](Nanos at, const Event& e) {
                if (std::holds_alternative<KernelRan>(e)) ended.push_back(at);
              }};

  void ask(std::string_view node, std::string_view reader) {
    const KernelSite site{kOne, "/job:worker/replica:0/task:0/device:CPU:0", node, "Read", Doing::unknown, reader};
    world.run_kernel(world.cost_of(site).id, {}, StepId{1}, {[](void*, std::uint64_t) {}, nullptr, 0});
  }
  std::vector<Nanos> run() {
    world.run([] { return false; }, 1'000);
    return ended;
  }
};

TEST(Turns, let_reads_of_one_reader_follow_each_other_and_those_of_others_pass) {
  Reads r;
  r.ask("a", "reader"), r.ask("a", "reader"), r.ask("b", "reader"), r.ask("c", "another"), r.ask("d", "");
  r.ask("d", "");
  EXPECT_EQ(r.run(), (std::vector<Nanos>{10, 10, 10, 10, 20, 30}));
}

TEST(Turns, of_an_ended_process_keep_nobody_of_the_next_one_waiting) {
  Reads r;
  r.ask("a", "reader"), r.ask("a", "reader");
  r.world.end_process(kOne);
  r.ask("a", "reader");
  EXPECT_EQ(r.run(), (std::vector<Nanos>{10}));
}

}  // namespace
}  // namespace tarry
