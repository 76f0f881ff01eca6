// Conditionals and what they become in the graph; the names and edges are those that 2.15.1 makes.

#include "placer/lower/lowered.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

NodeSpec conditional(std::string op, std::vector<std::string> inputs) {
  return {"c",
          std::move(op),
          "",
          std::move(inputs),
          {{"Tcond", DataType::kBool},
           {"Tin", floats(1)},
           {"Tout", floats(1)},
           {"then_branch", FuncRef{"twice", nullptr}},
           {"else_branch", FuncRef{"plus_one", nullptr}},
           {"_lower_using_switch_merge", true}}};
}

GraphSpec with_cond(const std::string& op = "StatelessIf") {
  return program({twice(), with_constant()},
                 {source("p", DataType::kBool), source("x"), conditional(op, {"p", "x"}), unary("Neg", "z", {"c"})});
}

TEST(Conditionals, become_a_switch_of_each_input_a_call_of_each_branch_and_a_merge_of_each_result) {
  const Graph g = lowered(with_cond());
  EXPECT_THAT(inputs_of(g),
              IsSupersetOf({"c/switch_pred/_2 p p", "c/pivot_f/_3 c/switch_pred/_2", "c/pivot_t/_4 c/switch_pred/_2:1",
                            "c/x/_5 x p", "c/output/_6 Func/c/then/_0/output/_10 Func/c/else/_1/output/_14",
                            "z c/output/_6", "c c/output/_6 ^c/branch_executed/_7"}));
  EXPECT_THAT(inputs_of(g), IsSupersetOf({"Func/c/then/_0/input_control_node/_8 ^c/pivot_t/_4",
                                          "Func/c/then/_0/input/_9 c/x/_5:1 ^Func/c/then/_0/input_control_node/_8",
                                          "Func/c/else/_1/input/_13 c/x/_5 ^Func/c/else/_1/input_control_node/_12"}));
  EXPECT_EQ(g.node(g.find("c/x/_5")).attrs.get<AttrList>("_class")->s, std::vector<std::string>{"loc:@x"});
}

TEST(Conditionals, wait_at_the_switch_of_the_predicate_and_are_waited_for_at_the_branch_executed) {
  GraphSpec spec = with_cond("If");
  spec.nodes[2].inputs.emplace_back("^w");
  spec.nodes[3].inputs = {"x", "^c"};
  spec.nodes.push_back(source("w"));
  EXPECT_THAT(inputs_of(lowered(spec)), IsSupersetOf({"c/switch_pred/_2 p p ^w", "z x ^c/branch_executed/_7"}));
}

AttrList location(const std::string& text) {
  AttrList list;
  list.s = {text};
  return list;
}

TEST(Conditionals, hand_their_location_to_all_nodes_but_the_one_that_keeps_the_name) {
  GraphSpec spec = with_cond();
  spec.nodes[2].attrs.set("_class", location("loc:@x"));
  const Graph g = lowered(spec);
  for (const char* name :
       {"c/switch_pred/_2", "c/pivot_f/_3", "c/pivot_t/_4", "c/output/_6", "c/branch_executed/_7", "c/x/_5"})
    EXPECT_EQ(g.node(g.find(name)).attrs.get<AttrList>("_class")->s, std::vector<std::string>{"loc:@x"}) << name;
  EXPECT_EQ(g.node(g.find("c")).attrs.find("_class"), nullptr);
}

TEST(Conditionals, are_inlined_where_calls_are_not) {
  Graph g = imported(with_cond());
  ASSERT_TRUE(lower_functions(g, {.inlines_calls = false}).ok());
  EXPECT_TRUE(g.find("c/then/_0/sum").valid());
}

TEST(Conditionals, of_several_branches_have_a_switch_of_as_many_outputs) {
  GraphSpec spec = program({twice(), with_constant()}, {source("i", DataType::kInt32), source("x")});
  AttrList branches;
  branches.func = {FuncRef{"twice", nullptr}, FuncRef{"plus_one", nullptr}, FuncRef{"twice", nullptr}};
  spec.nodes.push_back(
      {"c",
       "Case",
       "",
       {"i", "x"},
       {{"Tin", floats(1)}, {"Tout", floats(1)}, {"branches", branches}, {"_lower_using_switch_merge", true}}});
  const Graph g = lowered(spec);
  EXPECT_THAT(inputs_of(g),
              IsSupersetOf({"c/branch_index/_3 i i", "c/pivot_1/_5 c/branch_index/_3:1", "c/x/_7 x i",
                            "c/branch_executed/_9 c/pivot_0/_4 c/pivot_1/_5 c/pivot_2/_6 "
                            "^Func/c/branch0/_0/output_control_node/_13 ^Func/c/branch1/_1/output_control_node/_17 "
                            "^Func/c/branch2/_2/output_control_node/_21"}));
  EXPECT_EQ(g.op_name(g.find("c/x/_7")), "_SwitchN");
  EXPECT_EQ(g.node(g.find("c/x/_7")).attrs.get<AttrList>("_class")->s, std::vector<std::string>{"x"});  // as recorded
  EXPECT_EQ(g.node(g.find("c/pivot_1/_5")).attrs.find("_class"), nullptr);
}

TEST(Conditionals, with_a_branch_that_gives_another_number_of_results_are_refused) {
  GraphSpec spec = with_cond();
  spec.nodes[2].attrs.set("Tout", floats(2));
  Graph g = imported(spec);
  const Status s = lower_functions(g);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_EQ(text_of(s), "Node 'c': its function 'twice' has 1 results, and 2 are wanted");
}

TEST(Conditionals, with_a_branch_that_gives_another_type_are_refused) {
  GraphSpec spec = with_cond();
  AttrList whole;
  whole.type = {DataType::kInt32};
  spec.nodes[2].attrs.set("Tout", whole);
  spec.nodes.pop_back();
  Graph g = imported(spec);
  EXPECT_EQ(text_of(lower_functions(g)), "Node 'c': result 0 of its function 'twice' is float, and int32 is wanted");
}

TEST(Lowering, of_an_op_that_cannot_be_lowered_is_refused) {
  GraphSpec spec = program({twice()}, {source("x")});
  spec.nodes[0].attrs.set("_lower_using_switch_merge", true);
  Graph g = imported(spec);
  EXPECT_THAT(text_of(lower_functions(g)), HasSubstr("Node {{node x}} of type Placeholder has"));
}

}  // namespace
}  // namespace tarry
