#include "properties/programs/shrink.hpp"

#include <gtest/gtest.h>

#include "properties/programs/shrink_passes.hpp"

namespace tarry {
namespace {

const AttrEntry kInts{"T", DataType::kInt32};

AttrValue number(std::int32_t value) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = DataType::kInt32;
  t->content.assign(reinterpret_cast<const char*>(&value), sizeof value);
  return std::shared_ptr<const TensorSpec>(std::move(t));
}

NodeSpec constant(const char* name, std::int32_t value, std::vector<std::string> inputs = {}) {
  return {name, "Const", "", std::move(inputs), {{"dtype", DataType::kInt32}, {"value", number(value)}}};
}
NodeSpec op(const char* name, const char* what, std::vector<std::string> inputs) {
  return {name, what, "", std::move(inputs), {kInts}};
}
NodeSpec enter(const char* name, const char* input, bool is_constant) {
  return {name,
          "Enter",
          "",
          {input},
          {kInts,
           {"frame_name", std::string("loop")},
           {"is_constant", is_constant},
           {"parallel_iterations", std::int64_t{1}}}};
}
NodeSpec merge(const char* name, const char* first, const char* second) {
  return {name, "Merge", "", {first, second}, {kInts, {"N", std::int64_t{2}}}};
}

// i counts from 0 to 3; v is what the invariant was in the iteration before.
Program counting_loop() {
  Program p{.id = "loop", .devices = {"/job:w/replica:0/task:0/device:CPU:0"}, .nodes = {}, .fetches = {"v_exit:0"}};
  p.nodes = {constant("zero", 0),
             constant("seven", 7),
             enter("i_enter", "zero", false),
             merge("i", "i_enter", "i_next"),
             enter("v_enter", "zero", false),
             merge("v", "v_enter", "v_next"),
             constant("three", 3, {"^i"}),
             op("less", "Less", {"i", "three"}),
             {"cond", "LoopCond", "", {"less"}, {}},
             op("i_switch", "Switch", {"i", "cond"}),
             op("v_switch", "Switch", {"v", "cond"}),
             enter("same", "seven", true),
             constant("one", 1, {"^i_switch"}),
             op("add", "AddV2", {"i_switch:1", "one"}),
             op("i_next", "NextIteration", {"add"}),
             {"v_next", "NextIteration", "", {"same", "^i_switch"}, {kInts}},
             op("v_exit", "Exit", {"v_switch"})};
  return p;
}

std::size_t count(const Program& p, std::string_view what) {
  return static_cast<std::size_t>(std::ranges::count(p.nodes, what, &NodeSpec::op));
}
const NodeSpec* named(const Program& p, std::string_view name) {
  const auto it = std::ranges::find(p.nodes, name, &NodeSpec::name);
  return it == p.nodes.end() ? nullptr : &*it;
}

// Of programs with a graph, the smallest for which that holds.
Program smallest(const Program& p, const std::function<bool(const Program&)>& holds) {
  return shrink(p, [&](const Program& less) { return facts_of(less).has_value() && holds(less); }).smallest;
}

TEST(Shrinking, joins_the_variables_of_a_loop) {
  const Program p = smallest(counting_loop(), [](const Program& less) { return count(less, "LoopCond") == 1; });
  EXPECT_EQ(count(p, "Merge"), 1u) << to_text(p);
}

TEST(Shrinking, computes_nothing_that_may_be_a_constant) {
  const Program p = smallest(counting_loop(), [](const Program& less) { return count(less, "LoopCond") == 1; });
  EXPECT_EQ(count(p, "Less") + count(p, "AddV2"), 0u) << to_text(p);
}

TEST(Shrinking, makes_a_branch_of_a_loop) {
  const Program p = smallest(
      counting_loop(), [](const Program& less) { return count(less, "AddV2") == 1 && count(less, "Switch") >= 1; });
  EXPECT_EQ(count(p, "LoopCond") + count(p, "Enter") + count(p, "NextIteration") + count(p, "Exit"), 0u) << to_text(p);
}

TEST(Shrinking, a_branch_gives_what_its_body_made) {
  std::optional<Program> branch;
  (void)branches_for_loops(counting_loop(), [&](const Program& less) { return branch = less, true; });
  ASSERT_TRUE(branch);
  EXPECT_EQ(named(*branch, "v_exit")->op, "Merge");
  EXPECT_EQ(named(*branch, "v_exit")->inputs, (std::vector<std::string>{"v_switch", "seven"}));
  EXPECT_EQ(named(*branch, "v_switch")->inputs, (std::vector<std::string>{"zero", "less"}));
  EXPECT_TRUE(facts_of(*branch));
}

TEST(Shrinking, a_loop_that_no_variable_leaves_is_no_branch) {
  Program p = counting_loop();
  std::erase_if(p.nodes, [](const NodeSpec& n) {
    return n.op == "Switch" || n.op == "Exit" || n.op == "NextIteration" || n.op == "Merge";
  });
  EXPECT_FALSE(branches_for_loops(p, [](const Program&) { return true; }));
}

// Only a Merge may read what comes later.
bool is_in_order(const Program& p) {
  const Positions at = positions(p);
  const auto stands_before = [&](const NodeSpec& n) {
    return std::ranges::all_of(
        n.inputs, [&](const std::string& i) { return at.find(parse_input(i).node)->second < at.find(n.name)->second; });
  };
  return std::ranges::all_of(p.nodes, [&](const NodeSpec& n) { return n.op == "Merge" || stands_before(n); });
}

TEST(Shrinking, reads_an_invariant_for_a_constant_of_the_loop) {
  std::optional<Program> less;
  EXPECT_TRUE(invariants_for_constants(counting_loop(), [&](const Program& p) { return less = p, true; }));
  ASSERT_TRUE(less);
  EXPECT_TRUE(named(*less, "three")->inputs.empty());
  EXPECT_EQ(named(*less, "same")->inputs, std::vector<std::string>{"three"});
  EXPECT_EQ(named(*less, "less")->inputs, (std::vector<std::string>{"i", "same"}));
  EXPECT_EQ(named(*less, "seven"), nullptr);
  EXPECT_TRUE(is_in_order(*less)) << to_text(*less);
}

TEST(Shrinking, moves_a_handle_with_what_uses_it) {
  const char* there = "/job:w/replica:0/task:0/device:CPU:1";
  const AttrEntry floats{"dtype", DataType::kFloat};
  Program p{
      .id = "handle", .devices = {"/job:w/replica:0/task:0/device:CPU:0", there}, .nodes = {}, .fetches = {"read:0"}};
  p.nodes = {{"handle", "VarHandleOp", there, {}, {floats, {"shape", Shape()}}},
             {"read", "ReadVariableOp", there, {"handle"}, {floats}}};
  p = smallest(p, [](const Program& less) {
    const NodeSpec *handle = named(less, "handle"), *read = named(less, "read");
    return less.devices.size() == 2 && handle != nullptr && read != nullptr && handle->device == read->device;
  });
  EXPECT_EQ(named(p, "handle")->device, p.devices[0]);
}

}  // namespace
}  // namespace tarry
