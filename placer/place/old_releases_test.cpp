// What releases before 1.14 did otherwise (docs/rules/placer.md#C.1, #C.2, #E.6). 0.9 was never recorded: these are the
// specification's words.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/place/small_world.hpp"

namespace tarry {
namespace {

using namespace small_world;  // NOLINT(google-build-using-namespace): the tests read as sentences of it
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

World softly(Rules rules, DeviceSet devices = four_of_each()) {
  return {.devices = std::move(devices), .options = {.soft_placement = true}, .rules = std::move(rules)};
}
World hardly(Rules rules, DeviceSet devices = four_of_each()) {
  return {.devices = std::move(devices), .rules = std::move(rules)};
}

TEST(OldReleases, a_generator_followed_its_consumer_against_its_own_request) {  // docs/rules/placer.md#Q1
  const std::vector<N> nodes = {
      {"v", "VariableCPU"}, {"in", "TestCPUGPUOutput", {}, "/cpu:1"}, {"a", "TestAssign", {"v", "in"}}};
  EXPECT_EQ(place_nodes(nodes, softly(rules_0_9())).device["in"], "CPU:0");
  EXPECT_EQ(place_nodes(nodes, softly(rules_1_12())).device["in"], "CPU:1");
}

TEST(OldReleases, a_shape_left_its_group_for_its_input) {  // docs/rules/placer.md#Q2
  const std::vector<N> nodes = {{"i", "TestInput"},
                                {"p", "TestRelu", {"i"}, "/gpu:3"},
                                {"t", "TestRelu", {"i"}},
                                {"s", "Shape", {"p"}, "", {"t"}}};
  for (const Rules& rules : {rules_0_9(), rules_1_12()})
    EXPECT_EQ(place_nodes(nodes, softly(rules)).device["s"], "GPU:3") << rules.release;
  EXPECT_EQ(place_nodes(nodes, softly(rules_1_15())).device["s"], "GPU:0");
}

TEST(OldReleases, two_references_on_different_devices_moved_the_first_then_were_an_error) {  // docs/rules/placer.md#Q7
  const std::vector<N> nodes = {
      {"va", "TestVariable", {}, "/gpu:0"}, {"vb", "TestVariable", {}, "/gpu:1"}, {"o", "TwoRefsIn", {"va", "vb"}}};
  auto silently = place_nodes(nodes, hardly(rules_0_9()));
  EXPECT_EQ(silently.device["va"], "GPU:1");
  EXPECT_EQ(silently.device["o"], "GPU:1");
  EXPECT_THAT(error_of(place_nodes(nodes, hardly(rules_1_12()))),
              StartsWith("Could not colocate node with its resource and reference inputs; devices "));
}

TEST(OldReleases, custom_types_came_first) {  // docs/rules/placer.md#Q10
  const DeviceSet three = devices_of({"CPU:0", "GPU:0", "T1:0"});
  EXPECT_EQ(place_nodes({{"n", "SourceAnywhere"}}, softly(rules_0_9(), three)).device["n"], "T1:0");
  EXPECT_EQ(place_nodes({{"n", "SourceAnywhere"}}, softly(rules_1_12(), three)).device["n"], "GPU:0");
}

TEST(OldReleases, a_generator_with_two_out_edges_was_none) {  // docs/rules/placer.md#Q12, #Q13
  const std::vector<N> nodes = {{"v", "VariableCPU"},
                                {"in", "TestCPUGPUOutput"},
                                {"a", "TestAssign", {"v", "in"}},
                                {"b", "TestAssign", {"v", "in"}}};
  EXPECT_EQ(place_nodes(nodes, softly(rules_0_9())).device["in"], "GPU:0");
  EXPECT_EQ(place_nodes(nodes, softly(rules_1_12())).device["in"], "CPU:0");
}

TEST(OldReleases, resources_tied_nothing_before_0_12) {
  const std::vector<N> nodes = {{"x", "Handle", {}, "/cpu:0"}, {"it", "IteratorGPU", {"x"}}};
  EXPECT_EQ(place_nodes(nodes, hardly(rules_0_9())).device["x"], "CPU:0");
  EXPECT_FALSE(place_nodes(nodes, hardly(rules_0_12())).status.ok());
}

// docs/rules/placer.md#E.2 TestColocationGroupWithUnsatisfiableReferenceConnections: the empty list of types passed
// unnoticed.
TEST(OldReleases, an_impossible_group_showed_late_in_0_9) {
  const std::vector<N> nodes = {{"in", "TestInput"},
                                {"var1", "VariableCPU"},
                                {"var2", "VariableCPU"},
                                {"var3", "VariableGPU"},
                                {"assign1", "TestAssign", {"var1", "in"}, "", {"var1"}},
                                {"assign2", "TestAssign", {"var2", "in"}, "", {"var2"}},
                                {"assign3", "TestAssign", {"var3", "in"}, "", {"var2"}}};
  EXPECT_THAT(error_of(place_nodes(nodes, softly(rules_0_9()))),
              StartsWith("Cannot assign a device to node 'var3': Node had no OpKernel registered"));
  EXPECT_THAT(error_of(place_nodes(nodes, softly(rules_0_12()))),
              HasSubstr("because no device type supports both of those nodes"));
}

TEST(OldReleases, texts_of_0_9_list_neither_kernels_nor_groups_of_types) {
  EXPECT_EQ(error_of(place_nodes({{"v", "NoKernels"}}, softly(rules_0_9()))),
            "No OpKernel was registered to support Op 'NoKernels' with these attrs\n\t [[Node: v = NoKernels[]()]]");
  EXPECT_THAT(error_of(place_nodes({{"v", "VariableGPU"}, {"in", "TestInput"}, {"a", "AssignCPU", {"v", "in"}}},
                                   softly(rules_0_9()))),
              Not(HasSubstr("Colocation Debug Info")));
}

TEST(OldReleases, a_device_was_known_by_its_very_name_only) {
  DeviceSet set(DeviceLookup::as_written);
  ASSERT_TRUE(set.add("/job:a/replica:0/task:0/cpu:0").ok());
  EXPECT_TRUE(set.find("/job:a/replica:0/task:0/cpu:0").valid());
  EXPECT_FALSE(set.find("/job:a/replica:0/task:0/device:CPU:0").valid());
}

}  // namespace
}  // namespace tarry
