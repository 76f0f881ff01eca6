
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/place/small_world.hpp"

namespace tarry {
namespace {

using namespace small_world;  // NOLINT(google-build-using-namespace): the tests read as sentences of it
using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- docs/rules/placer.md#E.2 ----

TEST(Place, without_constraints_an_op_takes_the_best_device_that_has_a_kernel) {
  auto p = place_nodes({{"in", "TestInput"}, {"n1", "TestRelu", {"in"}}, {"n2", "TestRelu", {"in:1"}}});
  EXPECT_EQ(p.device["in"], "CPU:0");
  EXPECT_EQ(p.device["n1"], "GPU:0");
}

TEST(Place, a_shape_runs_where_its_input_is) {
  EXPECT_EQ(place_nodes({{"v", "VariableCPU"}, {"s", "Shape", {"v"}}}).device["s"], "CPU:0");
}

TEST(Place, a_generator_follows_its_consumers) {
  auto p = place_nodes({{"v", "VariableCPU"}, {"in", "TestCPUGPUOutput"}, {"a", "TestAssign", {"v", "in"}}});
  EXPECT_EQ(p.device["in"], "CPU:0");
}

TEST(Place, a_generator_whose_consumers_differ_takes_its_best_device) {
  auto p = place_nodes({{"v1", "VariableCPU", {}, "", {}, "CPU:1"},
                        {"v2", "VariableCPU", {}, "", {}, "CPU:2"},
                        {"in", "TestCPUGPUOutput"},
                        {"a1", "TestAssign", {"v1", "in"}},
                        {"a2", "TestAssign", {"v2", "in"}}});
  EXPECT_EQ(p.device["in"], "GPU:0");
  EXPECT_EQ(p.device["a2"], "CPU:2");
}

TEST(Place, a_reference_edge_overrides_the_consumers_request) {
  auto p = place_nodes({{"in", "TestDevice", {}, "/job:a/task:0/gpu:0"},
                        {"v", "TestVariable", {}, "/job:a/task:0/gpu:0"},
                        {"a", "TestAssign", {"v", "in"}, "/job:a/task:0/cpu:0"}},
                       hard());
  EXPECT_EQ(p.device["v"], "GPU:0");
  EXPECT_EQ(p.device["a"], "GPU:0");
}

TEST(Place, an_edge_ties_two_datasets_whatever_versions_their_ops_are) {
  const N in{"in", "TestCPUGPUOutput"}, any{"d", "AnyDatasetV2", {"in"}};
  EXPECT_EQ(place_nodes({in, any, {"next", "NextDatasetV13", {"d"}}}).device["d"], "CPU:0");
  EXPECT_EQ(place_nodes({in, any, {"r", "DatasetReader", {"d"}}}).device["d"], "GPU:0");
}

TEST(Place, nodes_of_one_group_share_a_device) {
  auto p = place_nodes({{"in", "TestInput"}, {"c", "TestRelu", {"in"}, "", {"in"}}, {"free", "TestRelu", {"in"}}});
  EXPECT_EQ(p.device["c"], "CPU:0");
  EXPECT_EQ(p.device["free"], "GPU:0");
}

TEST(Place, an_impossible_group_is_an_error_when_hard_and_ignored_when_soft) {
  const std::vector<N> nodes = {
      {"in", "TestInput"}, {"c", "ReluCPU", {"in"}, "", {"in"}}, {"foo", "ReluGPU", {"in"}, "", {"in", "c"}}};
  EXPECT_THAT(error_of(place_nodes(nodes, hard())),
              StartsWith("Cannot colocate nodes {{colocation_node foo}} and {{colocation_node in}} because no "
                         "device type supports both of those nodes and the other nodes colocated with them."));
  auto p = place_nodes(nodes, soft());
  EXPECT_EQ(p.device["c"], "CPU:0");
  EXPECT_EQ(p.device["foo"], "GPU:0");
}

TEST(Place, soft_placement_moves_what_cannot_run_where_it_was_asked_for) {
  EXPECT_EQ(place_nodes({{"in", "TestDevice", {}, "/gpu:11"}}, soft()).device["in"], "GPU:0");
  EXPECT_EQ(place_nodes({{"v", "VariableGPU", {}, "/cpu:0"}}, soft()).device["v"], "GPU:0");
}

TEST(Place, a_device_that_is_not_there_is_an_error_when_hard) {
  const Placed p = place_nodes({{"in", "TestDevice", {}, "/gpu:11"}}, hard(devices_of({"CPU:0", "GPU:0"})));
  EXPECT_EQ(p.status.code(), Code::kInvalidArgument);
  EXPECT_EQ(error_of(p),
            "Cannot assign a device for operation in: {{node in}} was explicitly assigned to /gpu:11 but available "
            "devices are [ "
            "/job:a/replica:0/task:0/device:CPU:0, /job:a/replica:0/task:0/device:GPU:0 ]. Make sure the device "
            "specification refers to a valid "
            "device.\n\t [[in]]");
}

TEST(Place, an_op_without_a_kernel_for_the_device_names_its_kernels) {
  EXPECT_EQ(error_of(place_nodes({{"v", "VariableGPU", {}, "/cpu:0"}}, hard())),
            "Cannot assign a device for operation v: Could not satisfy explicit device specification '/cpu:0' because "
            "no supported kernel for "
            "CPU "
            "devices is available.\nColocation Debug Info:\nColocation group had the following types and supported "
            "devices: \nRoot "
            "Member(assigned_device_name_index_=-1 requested_device_name_='/device:CPU:0' assigned_device_name_='' "
            "resource_device_name_='/device:CPU:0' supported_device_types_=[GPU] possible_devices_=[]\nVariableGPU: "
            "GPU \n\nColocation members, "
            "user-requested devices, and framework assigned devices, if any:\n  v (VariableGPU) /cpu:0\n\nOp: "
            "VariableGPU\nNode attrs: "
            "\nRegistered "
            "kernels:\n  device='GPU'\n\n\t [[{{node v}}]]");
}

TEST(Place, a_request_without_a_type_loses_its_closing_quote) {
  const Placed p = place_nodes({{"v", "VariableGPU", {}, "/job:b"}},
                               hard(devices_of({"GPU:0", "/job:b/replica:0/task:0/device:CPU:0"})));
  EXPECT_THAT(error_of(p), HasSubstr("explicit device specification '/job:b\nColocation Debug Info:"));
}

TEST(Place, a_node_is_told_when_its_group_is_wanted_elsewhere) {
  const DeviceSet b = devices_of({"/job:b/replica:0/task:0/device:GPU:0", "/job:b/replica:0/task:1/device:CPU:0"});
  const Placed p = place_nodes(
      {{"in", "TestInput"}, {"v", "VariableGPU"}, {"a", "TestAssign", {"v", "in"}, "/job:b/task:1"}}, hard(b));
  EXPECT_THAT(error_of(p), HasSubstr("'' because the node {{colocation_node v}} was colocated with a group of nodes "
                                     "that required incompatible device "
                                     "'/job:b/task:1'. All available devices [/job:b/replica:0/task:0/device:GPU:0, "));
  EXPECT_THAT(error_of(p), HasSubstr("\nTestAssign: GPU CPU \nVariableGPU: GPU \n"));
}

TEST(Place, an_op_that_nobody_serves_is_an_error) {
  EXPECT_THAT(error_of(place_nodes({{"v", "NoKernels"}})),
              HasSubstr("No OpKernel was registered to support Op 'NoKernels' used by {{node v}} with these "
                        "attrs: []\nRegistered devices: [CPU, GPU]\nRegistered kernels:\n  <no registered kernels>\n"));
}

TEST(Place, an_empty_device_set_is_an_error_before_anything_else) {
  const Placed p = place_nodes({{"v", "NoKernels"}}, hard(DeviceSet()));
  EXPECT_EQ(p.status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(error_of(p), "No devices are registered");
}

TEST(Place, a_request_that_does_not_parse_shows_the_node) {
  EXPECT_EQ(error_of(place_nodes({{"in", "TestInput", {}, "/foo:bar"}})),
            "Malformed device specification '/foo:bar' in node: {name:'in' id:2 op device:{requested: '/foo:bar', "
            "assigned: ''} "
            "def:{{{node in}} = "
            "TestInput[_device=\"/foo:bar\"]()}}\n\t [[in]]");
}

TEST(Place, a_pre_assigned_node_keeps_its_device_whatever_it_requests) {
  EXPECT_EQ(place_nodes({{"in", "TestInput", {}, "/gpu:1", {}, "CPU:2"}}, hard()).device["in"], "CPU:2");
}

TEST(Place, remembered_devices_must_parse_exist_and_have_a_kernel) {
  EXPECT_THAT(error_of(place_nodes({{"in", "TestInput", {}, "", {}, "/foo:bar"}})),
              StartsWith("Malformed assigned device '/foo:bar'\n"));
  EXPECT_THAT(error_of(place_nodes({{"in", "TestInput", {}, "", {}, "/job:a"}})),
              StartsWith("Assigned device '/job:a' does not match any device. This"));
  EXPECT_THAT(error_of(place_nodes({{"in", "TestInput", {}, "", {}, "GPU:0"}})),
              StartsWith("Assigned device '/job:a/replica:0/task:0/device:GPU:0' does not have registered OpKernel "
                         "support for TestInput\n"));
}

TEST(Place, a_variable_and_an_op_of_another_type_cannot_be_joined) {
  EXPECT_THAT(error_of(place_nodes({{"v", "VariableGPU"}, {"in", "TestInput"}, {"a", "AssignCPU", {"v", "in"}}})),
              StartsWith("Nodes were connected by a reference or resource connection (requiring them to be on the same "
                         "device), but the two nodes were "
                         "assigned two different devices: Cannot colocate nodes {{colocation_node v}} and "
                         "{{colocation_node a}} because"));
}

// ---- docs/rules/placer.md#E.3, #E.4 ----

TEST(Place, two_handles_on_different_devices_cannot_meet) {
  EXPECT_EQ(error_of(place_nodes(
                {{"x", "Handle", {}, "/cpu:0"}, {"y", "Handle", {}, "/gpu:0"}, {"two", "TwoHandlesIn", {"x", "y"}}})),
            "Cannot place the graph because a reference or resource edge connects colocation groups with incompatible "
            "resource devices: "
            "/device:GPU:0 vs "
            "/device:CPU:0. The edge src node is name='y' (op='Handle'), and the dst node is name='two' "
            "(op='TwoHandlesIn').");
}

TEST(Place, kernels_priorities_beat_types_unless_they_disagree) {
  EXPECT_EQ(place_nodes({{"d", "DatasetSP"}}).device["d"], "CPU:0");
  EXPECT_EQ(place_nodes({{"d", "DatasetNP"}, {"it", "IteratorRP", {"d"}}}).device["d"], "GPU:0");
  EXPECT_EQ(place_nodes({{"d", "DatasetSP"}, {"it", "IteratorRP", {"d"}}}).device["it"], "GPU:0");
}

TEST(Place, soft_placement_moves_a_resource_as_a_last_resort) {
  EXPECT_EQ(place_nodes({{"d", "DatasetSP", {}, "/cpu:0"}, {"it", "IteratorGPU", {"d"}}}, soft()).device["d"], "GPU:0");
}

TEST(Place, xla_devices_serve_only_who_asks_for_them) {
  World w = soft(devices_of({"CPU:0", "XLA_CPU:0"}));
  auto p = place_nodes(
      {{"in", "TestInput"}, {"n1", "TestXlaOp", {"in"}}, {"n2", "TestXlaOp", {"in"}, "", {}, "XLA_CPU:0"}}, w);
  EXPECT_EQ(p.device["n1"], "CPU:0");
  EXPECT_EQ(p.device["n2"], "XLA_CPU:0");
  w.rules.xla_excluded = false;
  EXPECT_EQ(place_nodes({{"in", "TestInput"}, {"n1", "TestXlaOp", {"in"}}}, w).device["n1"], "XLA_CPU:0");
}

TEST(Place, an_op_without_kernels_here_is_believed_on_another_task) {
  World w = hard(devices_of({"CPU:0", "/job:b/replica:0/task:1/device:GPU:0"}));
  w.options.default_local_device = DeviceId{0u};
  EXPECT_EQ(place_nodes({{"v", "NoKernels", {}, "/job:b/task:1/gpu:0"}}, w).device["v"],
            "/job:b/replica:0/task:1/device:GPU:0");
  EXPECT_FALSE(place_nodes({{"v", "NoKernels", {}, "/job:a/task:0/cpu:0"}}, w).status.ok());
}

// ---- docs/rules/placer.md#E.6 ----

TEST(Place, a_shape_in_a_group_stays_with_the_group) {  // docs/rules/placer.md#Q2
  auto p = place_nodes({{"i", "TestInput"},
                        {"p", "TestRelu", {"i"}, "/gpu:3"},
                        {"t", "TestRelu", {"i"}},
                        {"s", "Shape", {"p"}, "", {"t"}}},
                       soft());
  EXPECT_EQ(p.device["t"], "GPU:0");
  EXPECT_EQ(p.device["s"], "GPU:0");
}

TEST(Place, soft_merging_depends_on_the_order_of_the_nodes) {  // docs/rules/placer.md#Q4
  const auto last = [](std::string a, std::string b, std::string c) {
    return place_nodes({{"i", "TestInput"},
                        {"n0", "TestRelu", {"i"}, a},
                        {"n1", "TestRelu", {"i"}, b, {"n0"}},
                        {"n2", "TestRelu", {"i"}, c, {"n0"}}},
                       soft())
        .device["n2"];
  };
  EXPECT_EQ(last("/gpu:2", "/cpu:1", "/gpu:2"), "GPU:2");
  EXPECT_EQ(last("/gpu:2", "/gpu:2", "/cpu:1"), "GPU:0");
  EXPECT_EQ(last("/cpu:1", "/gpu:2", "/gpu:2"), "GPU:2");
}

TEST(Place, a_chain_of_groups_holds_together_from_2_2_on) {  // docs/rules/placer.md#Q5
  const std::vector<N> chain = {
      {"A", "TestInput"}, {"B", "TestRelu", {"A"}, "", {"A"}}, {"C", "TestRelu", {"A"}, "", {"B"}}};
  EXPECT_EQ(place_nodes(chain).device["C"], "CPU:0");
  EXPECT_EQ(place_nodes(chain, {.rules = rules_1_15()}).device["C"], "GPU:0");
}

TEST(Place, names_without_a_common_field_are_merged_from_2_2_on) {  // docs/rules/placer.md#Q6
  const std::vector<N> nodes = {
      {"v", "TestVariable", {}, "/job:a"}, {"i", "TestInput"}, {"x", "TestAssign", {"v", "i"}, "/cpu:1"}};
  EXPECT_EQ(place_nodes(nodes, hard()).device["v"], "CPU:1");
  EXPECT_EQ(place_nodes(nodes, {.rules = rules_1_15()}).device["v"], "GPU:0");
}

TEST(Place, devices_are_ordered_by_name_as_text) {  // docs/rules/placer.md#Q8
  EXPECT_EQ(place_nodes({{"i", "TestInput"}, {"n", "TestRelu", {"i"}}}, hard(devices_of({"CPU:0", "GPU:2", "GPU:10"})))
                .device["n"],
            "GPU:10");
}

TEST(Place, an_unconstrained_op_lands_on_the_first_task_by_name_unless_one_is_local) {  // docs/rules/placer.md#Q9
  World w = hard(devices_of({"/job:worker/replica:0/task:0/device:CPU:0", "/job:ps/replica:0/task:1/device:CPU:0",
                             "/job:ps/replica:0/task:0/device:CPU:0"}));
  EXPECT_EQ(place_nodes({{"i", "TestInput"}}, w).device["i"], "/job:ps/replica:0/task:0/device:CPU:0");
  w.options.local_task = "/job:worker/replica:0/task:0";
  EXPECT_EQ(place_nodes({{"i", "TestInput"}}, w).device["i"], "/job:worker/replica:0/task:0/device:CPU:0");
}

TEST(Place, an_ignored_group_still_leaves_its_request_behind) {  // docs/rules/placer.md#Q14
  const DeviceSet two =
      devices_of({"CPU:0", "GPU:0", "/job:b/replica:0/task:0/device:CPU:0", "/job:b/replica:0/task:0/device:GPU:0"});
  auto p = place_nodes({{"in", "TestInput", {}, "/job:b"}, {"foo", "ReluGPU", {"in"}, "", {"in"}}}, soft(two));
  EXPECT_EQ(p.device["foo"], "/job:b/replica:0/task:0/device:GPU:0");
}

TEST(Place, a_group_goes_where_its_pre_assigned_member_is) {  // docs/rules/placer.md#Q23
  auto p = place_nodes(
      {{"i", "TestInput"}, {"x", "TestRelu", {"i"}, "", {}, "GPU:2"}, {"z", "TestRelu", {"i"}, "", {"x"}}}, hard());
  EXPECT_EQ(p.device["z"], "GPU:2");
}

// ---- properties ----

RC_GTEST_PROP(Place, the_order_of_the_device_list_does_not_matter, ()) {
  std::vector<std::string> names = {"CPU:0", "CPU:1", "GPU:0", "GPU:10", "GPU:2"};
  const std::vector<N> nodes = {
      {"i", "TestInput"}, {"v", "TestVariable"}, {"a", "TestAssign", {"v", "i"}}, {"r", "TestRelu", {"i"}, "", {"a"}}};
  const auto expected = place_nodes(nodes, soft(devices_of(names))).device;
  for (std::size_t i = names.size(); i > 1; --i) std::swap(names[i - 1], names[*rc::gen::inRange<std::size_t>(0, i)]);
  RC_ASSERT(place_nodes(nodes, soft(devices_of(names))).device == expected);
}

RC_GTEST_PROP(Place, soft_placement_never_fails_on_requests_for_types_and_ids, ()) {
  const auto request = rc::gen::element<std::string>("", "/cpu:0", "/cpu:9", "/gpu:1", "/gpu:*", "/device:T:3",
                                                     "/job:a", "/task:0/gpu:7");
  const auto group = rc::gen::element<std::string>("i", "n0", "n1");
  std::vector<N> nodes = {{"i", "TestInput", {}, *request}};
  for (int k = 0; k < 5; ++k) nodes.push_back({fmt::format("n{}", k), "TestRelu", {"i"}, *request, {*group}});
  RC_ASSERT(place_nodes(nodes, soft()).status.ok());
}

// Found by hunting live TensorFlow 2.15.1: its own order of nodes is not the order in which they were assigned.
TEST(Place, numbers_the_names_of_assigned_devices_as_they_were_assigned) {
  const std::vector<N> nodes = {{"i", "TestInput", {}, "", {}, "CPU:0"},
                                {"q", "TestRelu", {"i"}, "", {}, "CPU:1"},
                                {"r", "TestGPUOutput", {}, "", {"q"}}};
  const World w = hard();
  EXPECT_THAT(error_of(place_nodes(nodes, w)), HasSubstr("Root Member(assigned_device_name_index_=2 "));
  Graph g = graph_of(nodes, w.rules);
  PlaceOptions options = options_of(nodes, g, w);
  options.assigned_order = {g.find("q"), g.find("i")};
  EXPECT_THAT(std::string(text_of(place(g, w.devices, w.rules, options))),
              HasSubstr("Root Member(assigned_device_name_index_=1 "));
}

}  // namespace
}  // namespace tarry
