#include "placer/place/conflict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/place/small_world.hpp"

namespace tarry {
namespace {

using namespace small_world;  // NOLINT(google-build-using-namespace): the tests read as sentences of it
using ::testing::ElementsAre;
using ::testing::IsEmpty;

StatusOr<Conflict> conflict_in(const std::vector<N>& nodes, const World& w) {
  const Graph g = graph_of(nodes, w.rules);
  return minimal_conflict(g, w.devices, w.rules, options_of(nodes, g, w));
}

TEST(MinimalConflict, keeps_only_the_variable_the_assignment_and_their_edge) {
  const auto c = conflict_in({{"in", "TestInput"},
                              {"noise", "TestRelu", {"in"}, "/gpu:0", {"in2"}},
                              {"in2", "TestRelu", {"in"}},
                              {"v", "VariableGPU"},
                              {"a", "AssignCPU", {"v", "in"}, "/cpu:0"}},
                             hard());
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->kind, "D8");
  EXPECT_THAT(
      to_string(*c),
      ::testing::AllOf(::testing::HasSubstr("  error:  Nodes were connected by a reference or resource connection"),
                       ::testing::Not(::testing::HasSubstr("D8"))));
  EXPECT_THAT(c->nodes, ElementsAre("v (VariableGPU)", "a (AssignCPU)"));
  EXPECT_THAT(c->edges, ElementsAre("v:0 -> a:0"));
  EXPECT_THAT(c->requests, IsEmpty());
}

TEST(MinimalConflict, keeps_the_requests_that_cannot_be_merged) {
  const auto c = conflict_in(
      {{"i", "TestInput"}, {"x", "TestRelu", {"i"}, "/gpu:0"}, {"y", "TestRelu", {"i"}, "/gpu:1", {"x"}}}, hard());
  ASSERT_TRUE(c.ok());
  EXPECT_THAT(c->nodes, ElementsAre("x (TestRelu)", "y (TestRelu)"));
  EXPECT_THAT(c->requests, ElementsAre("x asks for /gpu:0", "y asks for /gpu:1", "y has loc:@x"));
}

TEST(MinimalConflict, has_the_number_of_what_no_device_satisfies) {
  const auto kind = [](std::vector<N> nodes) {
    nodes.insert(nodes.begin(), {"i", "TestInput"});
    const auto c = conflict_in(nodes, hard());
    return c.ok() ? c->kind : c.status().ToString();
  };
  EXPECT_EQ(kind({{"x", "TestRelu", {"i"}, "/job:nobody"}}), "D16a");
  EXPECT_EQ(kind({{"x", "ReluCPU", {"i"}, "/gpu:0"}}), "D16b");
  EXPECT_EQ(kind({{"x", "TestRelu", {"i"}, "/job:nobody"}, {"y", "TestRelu", {"i"}, "", {"x"}}}), "D16a");
  EXPECT_EQ(kind({{"y", "TestRelu", {"i"}, "", {"x"}}, {"x", "TestRelu", {"i"}, "/job:nobody"}}), "D16d");
}

TEST(MinimalConflict, of_no_devices_at_all_needs_no_node) {
  const auto c = conflict_in({{"i", "TestInput"}}, hard(DeviceSet()));
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(c->kind, "D1");
  EXPECT_THAT(c->nodes, IsEmpty());
}

TEST(MinimalConflict, is_not_found_where_there_is_none) {
  EXPECT_EQ(conflict_in({{"i", "TestInput"}}, hard()).status().code(), Code::kFailedPrecondition);
}

// The check that recordings are held to can fail: with more than is needed, it says what.
TEST(MinimalConflict, that_has_too_much_is_told_what_can_be_left_out) {
  const World w = hard();
  const std::vector<N> nodes = {{"in", "TestInput"}, {"v", "VariableGPU"}, {"a", "AssignCPU", {"v", "in"}, "/cpu:0"}};
  auto c = conflict_in(nodes, w);
  ASSERT_TRUE(c.ok());
  EXPECT_EQ(can_be_left_out(*c, w.devices, w.rules, options_of({}, c->graph, w)), std::nullopt);
  c->graph = graph_of(nodes, w.rules);
  EXPECT_EQ(can_be_left_out(*c, w.devices, w.rules, options_of(nodes, c->graph, w)), "in (TestInput)");
}

// Without any one of its nodes a minimal conflict is none, or one of another kind.
RC_GTEST_PROP(MinimalConflict, cannot_lose_a_node, ()) {
  const auto request = rc::gen::element<std::string>("", "/cpu:0", "/gpu:1", "/gpu:2", "/job:z");
  const auto op = rc::gen::element<std::string>("TestRelu", "ReluCPU", "ReluGPU");
  const auto group = rc::gen::element<std::string>("n0", "n1", "n2");
  std::vector<N> nodes = {{"i", "TestInput"}};
  for (int k = 0; k < 5; ++k) nodes.push_back({fmt::format("n{}", k), *op, {"i"}, *request, {*group}});
  const auto c = conflict_in(nodes, hard());
  if (!c.ok()) return;
  const bool fails = !c->error.ok();
  RC_ASSERT(fails);
  const World w = hard();
  for (const NodeId n : c->graph.op_nodes()) {
    Graph smaller = c->graph;
    smaller.remove_node(n);
    const auto other = minimal_conflict(smaller, w.devices, w.rules, options_of({}, smaller, w));
    const bool gone = !other.ok() || other->kind != c->kind;
    RC_ASSERT(gone);
  }
}

}  // namespace
}  // namespace tarry
