#include "placer/partition/cut_test.hpp"

namespace tarry {
namespace {

// ---- conditionals and loops ----

TEST(Partition, a_conditional_is_cut_without_control_loops) {
  const Cut c = cut({input("A1"),
                     input("A2", DataType::kBool),
                     {"A3", "Switch", {"A1", "A2"}, kFloat},
                     {"B4", "Identity", {"A3:1"}, kFloat},
                     {"A5", "Merge", {"A3", "B4"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}}});
  ASSERT_TRUE(c.status.ok());
  EXPECT_THAT(c.all("Enter"), IsEmpty());
  EXPECT_THAT(c.all("_Send"), SizeIs(2));
  EXPECT_THAT(c.node("A3/_0").inputs, ElementsAre("A3:1"));
}

std::vector<N> loop(const std::string& enter, const std::string& next) {
  const Attrs b = {{"T", DataType::kBool}};
  return {input("A1", DataType::kBool),
          {enter,
           "Enter",
           {"A1"},
           {{"T", DataType::kBool}, {"frame_name", "loop"}, {"parallel_iterations", std::int64_t{3}}}},
          {"A3", "Merge", {enter, next}, {{"T", DataType::kBool}, {"N", std::int64_t{2}}}},
          {"A4", "LoopCond", {"A3"}, {}},
          {"B1", "Identity", {"A3"}, b},
          {next, "NextIteration", {"B1"}, b}};
}

TEST(Partition, a_device_in_anothers_loop_gets_a_control_loop_of_its_own) {
  const Cut c = cut(loop("A2", "A5"));
  ASSERT_TRUE(c.status.ok()) << c.status.message();
  for (const NodeSpec* recv : c.all("_Recv")) EXPECT_THAT(recv->inputs, SizeIs(1)) << recv->name;
  for (const char* op : {"Enter", "Merge", "Switch", "NextIteration"})
    EXPECT_THAT(c.all(op), Contains(::testing::Truly([](const NodeSpec* n) { return n->name.starts_with("_cloop"); })))
        << op;
  EXPECT_EQ(*c.all("Enter").back()->attrs.get<std::int64_t>("parallel_iterations"), 3);
}

// docs/rules/runtime.md#I.1, CrossDeviceLoopFull: while (i < 10) i += j, with the addition on another device.
TEST(Partition, a_whole_loop_with_its_body_elsewhere_receives_once_an_iteration) {
  const Attrs merge = {{"T", DataType::kInt32}, {"N", std::int64_t{2}}};
  const auto entered = [](const char* name, const char* from, bool constant) {
    return N{name,
             "Enter",
             {from},
             {{"T", DataType::kInt32},
              {"frame_name", "while"},
              {"is_constant", constant},
              {"parallel_iterations", std::int64_t{10}}}};
  };
  const Cut c = cut({input("A_i", DataType::kInt32),
                     input("A_ten", DataType::kInt32),
                     input("B_j", DataType::kInt32),
                     entered("A_enter", "A_i", false),
                     entered("A_limit", "A_ten", true),
                     entered("B_step", "B_j", true),
                     {"A_merge", "Merge", {"A_enter", "A_next"}, merge},
                     {"A_less", "Less", {"A_merge", "A_limit"}, kInt},
                     {"A_cond", "LoopCond", {"A_less"}, {}},
                     {"A_switch", "Switch", {"A_merge", "A_cond"}, kInt},
                     {"A_exit", "Exit", {"A_switch"}, kInt},
                     add("B_add", {"A_switch:1", "B_step"}, kInt),
                     {"A_next", "NextIteration", {"B_add"}, kInt}});
  ASSERT_TRUE(c.status.ok()) << c.status.message();
  std::vector<const NodeSpec*> receives = c.all("_Recv");
  std::ranges::copy(c.all("_HostRecv"), std::back_inserter(receives));
  EXPECT_THAT(receives, SizeIs(3));  // i to B, the sum back to A, and whether the loop goes on to B
  for (const NodeSpec* recv : receives)
    EXPECT_THAT(recv->inputs, Contains(::testing::StartsWith("^_cloop"))) << recv->name;
  for (const char* op : {"Enter", "Merge", "Switch", "NextIteration"})
    EXPECT_THAT(c.all(op), Contains(::testing::Truly([](const NodeSpec* n) {
                  return n->name.starts_with("_cloop") && n->device.ends_with("CPU:1");
                })))
        << op;
}

TEST(Partition, control_flow_nodes_move_to_their_consumers) {
  const Cut c = cut(loop("B2", "B5"));
  EXPECT_EQ(c.node("B2").device, "/job:a/replica:0/task:0/device:CPU:0");
  EXPECT_THAT(c.node("A3").inputs, ElementsAre("B2", "B5"));
}

TEST(Partition, of_several_consumers_the_first_is_followed_but_none_in_0_12) {
  std::vector<N> nodes = loop("B2", "B5");
  nodes.push_back({"A6", "Identity", {"B2"}, {{"T", DataType::kBool}}});
  nodes.push_back({"A7", "Identity", {"B5"}, {{"T", DataType::kBool}}});
  const auto device_in = [&](const char* node, bool follows_first) {
    return cut(graph_of(nodes), [&](PartitionOptions& o) { o.cut.follows_first = follows_first; }).node(node).device;
  };
  for (const char* node : {"B2", "B5"}) {
    EXPECT_THAT(device_in(node, true), EndsWith("CPU:0"));
    EXPECT_THAT(device_in(node, false), EndsWith("CPU:1"));
  }
  EXPECT_FALSE(partition_rules_of(rules_0_12()).follows_first);
  EXPECT_TRUE(partition_rules_of(rules_1_12()).follows_first);
}

TEST(Partition, what_a_control_flow_node_only_controls_is_not_followed) {
  std::vector<N> nodes = loop("B2", "B5");
  nodes.insert(nodes.begin() + 2, {"B7", "NoOp", {"^B2"}});
  nodes.push_back({"B8", "NoOp", {"^B5"}});
  for (const bool follows_first : {true, false})
    for (const char* node : {"B2", "B5"})
      EXPECT_THAT(
          cut(graph_of(nodes), [&](PartitionOptions& o) { o.cut.follows_first = follows_first; }).node(node).device,
          EndsWith("CPU:0"))
          << node << follows_first;
}

TEST(Partition, a_loop_on_one_device_is_left_alone) {
  EXPECT_THAT(cut({input("A1", DataType::kBool),
                   {"A2", "Enter", {"A1"}, {{"T", DataType::kBool}, {"frame_name", "loop"}}},
                   {"A3", "Exit", {"A2"}, {{"T", DataType::kBool}}}})
                  .all("Enter"),
              SizeIs(1));
}

TEST(Partition, a_loop_that_crosses_needs_a_predicate) {
  const Cut c = cut({input("A1"),
                     {"A2", "Enter", {"A1"}, {{"T", DataType::kFloat}, {"frame_name", "loop"}}},
                     {"A3", "Neg", {"A2"}, kFloat},
                     {"B4", "Neg", {"A3"}, kFloat}});
  EXPECT_EQ(text_of(c.status), "A cross-device loop must have a pivot predicate: loop");
}

TEST(Partition, inputs_from_different_frames_are_refused) {
  const Cut c = cut({input("A1"),
                     {"A2", "Enter", {"A1"}, {{"T", DataType::kFloat}, {"frame_name", "loop"}}},
                     add("A3", {"A1", "A2"})});
  EXPECT_THAT(std::string(text_of(c.status)),
              HasSubstr("{{node A3}} has inputs from different frames. The input {{node "));
}

N entered(const char* name, const char* from, const char* frame) {
  return {name, "Enter", {from}, {{"T", DataType::kBool}, {"frame_name", frame}}};
}

TEST(Partition, a_frame_within_two_others_is_refused) {
  const Cut c = cut({input("A1", DataType::kBool),
                     entered("A2", "A1", "outer"),
                     entered("A3", "A2", "inner"),
                     entered("A4", "A1", "inner"),
                     {"B5", "Identity", {"A4"}, {{"T", DataType::kBool}}}});
  EXPECT_THAT(
      std::string(text_of(c.status)),
      HasSubstr("Invalid loop structure: Mismatched parent frames for \"inner\": \"\" vs \"outer\". The node giving "
                "this error: {{node A4}}"));
}

TEST(Partition, a_loop_with_two_conditions_is_refused) {
  const Cut c = cut({input("A1", DataType::kBool),
                     entered("A2", "A1", "loop"),
                     {"A3", "LoopCond", {"A2"}, {}},
                     {"A4", "LoopCond", {"A2"}, {}},
                     {"B5", "Identity", {"A4"}, {{"T", DataType::kBool}}}});
  EXPECT_THAT(std::string(text_of(c.status)),
              HasSubstr("Invalid loop structure: Loop \"loop\" has more than one LoopCond node: "));
}

}  // namespace
}  // namespace tarry
