#include "placer/partition/recv_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "placer/core/check.hpp"

namespace tarry {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

NodeSpec at(std::string name, std::int64_t start, std::vector<std::string> inputs = {}, std::string op = "NoOp") {
  return {std::move(name), std::move(op), "", std::move(inputs), {{"_start_time", start}}};
}

std::vector<std::string> order_of(const GraphSpec& g) {
  const auto order = in_order_of_time(g);
  check(order.ok(), "an order");
  std::vector<std::string> names;
  for (const TimedNode& n : *order) names.push_back(g.nodes[n.node].name);
  return names;
}
std::vector<std::string> numbered(const std::string& prefix, int first, int last) {  // either way
  std::vector<std::string> names;
  for (int i = first; first <= last ? i <= last : i >= last; i += first <= last ? 1 : -1)
    names.push_back(prefix + std::to_string(i));
  return names;
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// docs/rules/runtime.md#I.1: twenty placeholders in a mixed-up order, times 1 to 20.
std::vector<NodeSpec> shuffled_placeholders() {
  std::vector<NodeSpec> nodes;
  for (int i = 0; i < 20; ++i) nodes.push_back(at("p" + std::to_string(i * 7 % 20), i * 7 % 20 + 1, {}, "Placeholder"));
  return nodes;
}

TEST(TopologicalSortNodesWithTimePriority, NoDependencies) {
  EXPECT_EQ(order_of({shuffled_placeholders()}), numbered("p", 0, 19));
}

TEST(TopologicalSortNodesWithTimePriority, Dependencies) {
  GraphSpec g{shuffled_placeholders()};
  std::vector<std::string> squares;
  for (int i = 0; i < 20; ++i) {
    squares.push_back("s" + std::to_string(i));
    g.nodes.push_back(at(squares.back(), 49 - i, {"p" + std::to_string(i)}, "Square"));
  }
  g.nodes.push_back(at("addn", 1, squares, "AddN"));
  EXPECT_EQ(order_of(g), numbered("p", 0, 19) + numbered("s", 19, 0) + std::vector<std::string>{"addn"});
  EXPECT_EQ(in_order_of_time(g)->back().start, 50);
}

TEST(TopologicalSortNodesWithTimePriority, WhileLoop) {
  GraphSpec g{shuffled_placeholders()};
  std::vector<std::string> loops;
  for (int i = 0; i < 20; ++i) {
    const std::string w = "while" + std::to_string(i) + "/";
    std::int64_t start = 100 + 10 * i;
    g.nodes.push_back(at(w + "Enter", start++, {"p" + std::to_string(i)}, "Enter"));
    g.nodes.push_back(at(w + "Merge", start++, {w + "Enter", w + "NextIteration"}, "Merge"));
    g.nodes.push_back(at(w + "Less", start++, {w + "Merge"}, "Less"));
    g.nodes.push_back(at(w + "LoopCond", start++, {w + "Less"}, "LoopCond"));
    g.nodes.push_back(at(w + "Switch", start++, {w + "Merge", w + "LoopCond"}, "Switch"));
    g.nodes.push_back(at(w + "Add", start++, {w + "Switch:1"}, "Add"));
    g.nodes.push_back(at(w + "NextIteration", start++, {w + "Add"}, "NextIteration"));
    g.nodes.push_back(at(w + "Exit", start++, {w + "Switch"}, "Exit"));
    for (const char* n : {"Enter", "Merge", "Less", "LoopCond", "Switch", "Add", "NextIteration", "Exit"})
      loops.push_back(w + n);
    g.nodes.push_back(at("s" + std::to_string(i), 499 - i, {w + "Exit"}, "Square"));
  }
  EXPECT_EQ(order_of(g), numbered("p", 0, 19) + loops + numbered("s", 19, 0));
}

TEST(ReceiveSchedule, needs_a_start_time_everywhere) {
  GraphSpec g{{at("a", 1)}};
  g.nodes.push_back({"b", "NoOp", "", {}, {}});
  const auto order = in_order_of_time(g);
  EXPECT_EQ(order.status().code(), Code::kNotFound);
  EXPECT_EQ(text_of(order.status()), "No attr named '_start_time' in NodeDef:");
}

GraphSpec scheduled(std::vector<NodeSpec> nodes) {
  GraphSpec g{std::move(nodes)};
  int next = 0;
  check(schedule_receives(g, "/device:CPU:0",
                          [&](std::string_view prefix) { return fmt::format("{}_G{}", prefix, next++); })
            .ok(),
        "a schedule");
  return g;
}
const NodeSpec& named(const GraphSpec& g, std::string_view name) {
  return *std::ranges::find(g.nodes, name, &NodeSpec::name);
}

TEST(ReceiveSchedule, a_receive_waits_for_the_trigger_six_epochs_before_its_own) {
  const GraphSpec g = scheduled({at("early", 5, {}, "_Recv"), at("n", 3), at("late", 9, {}, "_Recv"),
                                 at("host", 9, {}, "_HostRecv")});  // epochs of length 1
  EXPECT_THAT(named(g, "early").inputs, IsEmpty());
  EXPECT_THAT(named(g, "late").inputs, ElementsAre("^synch_3_G3"));
  EXPECT_THAT(named(g, "host").inputs, IsEmpty());
  EXPECT_THAT(named(g, "synch_3_G3").inputs, IsEmpty());  // nothing starts before 3
  EXPECT_THAT(named(g, "synch_4_G4").inputs, ElementsAre("^n"));
  EXPECT_EQ(named(g, "synch_4_G4").op, "ControlTrigger");
}

TEST(ReceiveSchedule, has_a_hundred_epochs_at_most) {
  std::vector<NodeSpec> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(at("n" + std::to_string(i), i));
  const GraphSpec g = scheduled(std::move(nodes));
  EXPECT_EQ(g.nodes.size(), 1100u);
}

RC_GTEST_PROP(ReceiveScheduleProperty, a_node_comes_and_starts_after_its_inputs, ()) {
  GraphSpec g;
  const int n = *rc::gen::inRange(1, 30);
  for (int i = 0; i < n; ++i) {
    std::vector<std::string> inputs;
    if (i > 0) inputs.push_back("n" + std::to_string(*rc::gen::inRange(0, i)));
    g.nodes.push_back(at("n" + std::to_string(i), *rc::gen::inRange(0, 50), inputs));
  }
  const std::vector<TimedNode> order = *in_order_of_time(g);
  RC_ASSERT(order.size() == g.nodes.size());
  std::map<std::string, std::int64_t> started;
  for (const TimedNode& t : order) {
    for (const std::string& input : g.nodes[t.node].inputs)
      RC_ASSERT(started.contains(input) && started[input] < t.start);
    started[g.nodes[t.node].name] = t.start;
  }
}

}  // namespace
}  // namespace tarry
