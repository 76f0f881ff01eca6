// Times of nodes, and receives that wait for them (runtime.md B.6; rows TopologicalSort... of I.1). A whole recorded part is in `tarry conform rpc` (worker_recv_scheduling).

#include "workers/worker/recv_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NodeSpec node(std::string name, std::string op, std::vector<std::string> inputs, std::int64_t start) { return {std::move(name), std::move(op), "/device:CPU:0", std::move(inputs), {{"_start_time", start}}}; }

std::vector<std::string> order(const GraphSpec& g) {
  std::vector<std::string> names;
  const auto nodes = by_start_time(g);
  for (const TimedNode& t : *nodes) names.push_back(fmt::format("{} {}", g.nodes[t.node].name, t.start));
  return names;
}

std::vector<std::string> inputs_of(const GraphSpec& g, const std::string& name) { return std::ranges::find(g.nodes, name, &NodeSpec::name)->inputs; }

TEST(StartTimes, order_nodes_that_do_not_depend_on_each_other) {
  GraphSpec g;
  for (const int i : {3, 1, 2}) g.nodes.push_back(node(fmt::format("p{}", i), "Placeholder", {}, i));
  EXPECT_THAT(order(g), ElementsAre("p1 1", "p2 2", "p3 3"));
}

TEST(StartTimes, that_are_not_behind_an_inputs_are_put_off_to_one_after_it) {
  GraphSpec g;
  g.nodes = {node("p0", "Placeholder", {}, 1), node("p1", "Placeholder", {}, 2), node("s0", "Square", {"p0"}, 49), node("s1", "Square", {"p1"}, 48), node("addn", "AddN", {"s0", "s1:0"}, 1)};
  EXPECT_THAT(order(g), ElementsAre("p0 1", "p1 2", "s1 48", "s0 49", "addn 50"));
}

TEST(StartTimes, of_a_merge_do_not_wait_for_the_next_iteration) {
  GraphSpec g;
  g.nodes = {node("next", "NextIteration", {"merge"}, 9), node("merge", "Merge", {"enter", "next"}, 5), node("enter", "Enter", {}, 3)};
  EXPECT_THAT(order(g), ElementsAre("enter 3", "merge 5", "next 9"));
}

TEST(StartTimes, must_be_there) {
  GraphSpec g;
  g.nodes = {{"a", "NoOp", "", {}, {}}};
  EXPECT_EQ(text_of(by_start_time(g).status()), "No attr named '_start_time' in NodeDef:");
}

TEST(ReceiveSchedule, holds_a_receive_back_until_six_epochs_before_it_is_needed) {
  GraphSpec g;  // 250 / 100 + 1 = 3 a epoch
  g.nodes = {node("first", "NoOp", {}, 4), node("early", "_Recv", {}, 17), node("late", "_Recv", {}, 30), node("last", "NoOp", {}, 250)};
  std::uint64_t counter = 7;
  ASSERT_TRUE(schedule_receives(g, counter).ok());
  EXPECT_THAT(inputs_of(g, "early"), IsEmpty());              // epoch 5
  EXPECT_THAT(inputs_of(g, "late"), ElementsAre("^synch_4_G11"));  // epoch 10
  EXPECT_THAT(inputs_of(g, "synch_1_G8"), IsEmpty());         // nothing starts before 3
  EXPECT_THAT(inputs_of(g, "synch_2_G9"), ElementsAre("^first"));
  EXPECT_EQ(counter, 7u + 84u);                               // 0, 3, ... 249
}

}  // namespace
}  // namespace tarry
