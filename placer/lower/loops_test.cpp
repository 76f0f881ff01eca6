// Loops and what they become in the graph; the names and edges are those that 2.15.1 makes.

#include "placer/lower/lowered.hpp"

namespace tarry {
namespace {

using ::testing::Contains;
using ::testing::IsSupersetOf;

// below(a, h) = a < 10
FunctionSpec below() {
  OpDef op = signature("below");
  op.inputs.push_back({.name = "h", .type = DataType::kResource});
  op.outputs[0].type = DataType::kBool;
  auto ten = std::make_shared<TensorSpec>(TensorSpec{DataType::kFloat, Shape(), std::string("\0\0\x20\x41", 4), {}});
  return {op,
          {{"ten", "Const", "", {}, {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(ten)}}},
           {"less", "Less", "", {"a", "ten:output:0"}, {{"T", DataType::kFloat}}}},
          {{"b", "less:z:0"}},
          {},
          {}};
}

// next(a, h) = a + a, h
FunctionSpec next() {
  FunctionSpec f = twice();
  f.signature.name = "next";
  f.signature.inputs.push_back({.name = "h", .type = DataType::kResource});
  f.signature.outputs.push_back({.name = "k", .type = DataType::kResource});
  f.returns.emplace_back("k", "h");
  return f;
}

GraphSpec with_loop() {
  AttrList types;
  types.type = {DataType::kFloat, DataType::kResource};
  return program({below(), next()},
                 {source("x"),
                  {"v", "VarHandleOp", "/device:CPU:1", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}},
                  {"l",
                   "While",
                   "",
                   {"x", "v"},
                   {{"T", types},
                    {"cond", FuncRef{"below", nullptr}},
                    {"body", FuncRef{"next", nullptr}},
                    {"parallel_iterations", std::int64_t{7}},
                    {"_lower_using_switch_merge", true}}},
                  unary("Neg", "z", {"l"})});
}

TEST(Loops, become_a_frame_in_which_a_value_goes_round_and_a_resource_is_constant) {
  const Graph g = lowered(with_loop());
  EXPECT_THAT(inputs_of(g),
              IsSupersetOf({"l/enter/_2 x", "l/enter/_3 v", "l/merge/_4 l/enter/_2 l/next_iteration/_10",
                            "l/LoopCond/_5 Func/l/cond/_0/output/_14", "l/x_switch/_6 l/merge/_4 l/LoopCond/_5",
                            "l/loop_body_control/_7 l/x_switch/_6:1", "l/exit/_8 l/x_switch/_6",
                            "l/LoopExecuted/_9 ^l/exit/_8", "l l/exit/_8 v", "z l/exit/_8",
                            "l/next_iteration/_10 Func/l/body/_1/output/_19 ^Func/l/body/_1/output_control_node/_21"}));
  EXPECT_THAT(inputs_of(g), Contains("Func/l/body/_1/input/_18 l/enter/_3 ^Func/l/body/_1/input_control_node/_16"));
  const Attrs &value = g.node(g.find("l/enter/_2")).attrs, &resource = g.node(g.find("l/enter/_3")).attrs;
  EXPECT_EQ(*value.get<std::string>("frame_name"), "l");
  EXPECT_EQ(*value.get<std::int64_t>("parallel_iterations"), 7);
  EXPECT_FALSE(*value.get<bool>("is_constant"));
  EXPECT_TRUE(*resource.get<bool>("is_constant"));
}

TEST(Loops, run_where_their_values_come_from) {
  GraphSpec spec = with_loop();
  spec.nodes[0].device = "/job:ps/task:1";
  const Graph g = lowered(spec);
  for (const char* name : {"l/enter/_2", "l/merge/_4", "l/x_switch/_6", "l/exit/_8", "l/next_iteration/_10"})
    EXPECT_EQ(g.requested_device(g.find(name)), "/job:ps/task:1") << name;
  EXPECT_EQ(g.requested_device(g.find("l/enter/_3")), "/device:CPU:1");
  EXPECT_EQ(g.requested_device(g.find("l/LoopCond/_5")), "");
}

TEST(Loops, wait_with_all_their_values_and_are_waited_for_at_the_loop_executed) {
  GraphSpec spec = with_loop();
  spec.nodes[2].inputs.emplace_back("^w");
  spec.nodes[3].inputs = {"x", "^l"};
  spec.nodes.push_back(source("w"));
  EXPECT_THAT(inputs_of(lowered(spec)),
              IsSupersetOf({"l/LoopControlInputs/_4 ^w", "l/enter/_2 x ^l/LoopControlInputs/_4",
                            "l/enter/_3 v ^l/LoopControlInputs/_4", "z x ^l/LoopExecuted/_10"}));
}

TEST(Loops, in_a_body_have_a_frame_of_their_own_after_each_call) {
  FunctionSpec f = twice();
  f.nodes = {{"e", "Enter", "", {"a"}, {{"T", DataType::kFloat}, {"frame_name", "inner"}}},
             {"sum", "Exit", "", {"e:output:0"}, {{"T", DataType::kFloat}}}};
  f.returns = {{"b", "sum:output:0"}};
  const Graph g = lowered(program({f}, {source("x"), call("y", "twice", {"x"}), call("z", "twice", {"x"})}));
  EXPECT_EQ(*g.node(g.find("y/e")).attrs.get<std::string>("frame_name"), "y/inner");
  EXPECT_EQ(*g.node(g.find("z/e")).attrs.get<std::string>("frame_name"), "z/inner");
}

TEST(Loops, in_a_body_that_references_enter_have_such_a_frame_too) {
  const Attrs of_float{{"T", DataType::kFloat}};
  Attrs enters = of_float;
  enters.set("frame_name", "inner");
  FunctionSpec f = twice();
  f.nodes = {{"v", "VariableV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}},
             {"e", "RefEnter", "", {"v:ref:0"}, enters},
             {"x", "RefExit", "", {"e:output:0"}, of_float},
             {"sum", "Identity", "", {"x:output:0"}, enters}};
  f.returns = {{"b", "sum:output:0"}};
  const Graph g = lowered(program({f}, {source("x"), call("y", "twice", {"x"})}));
  EXPECT_EQ(*g.node(g.find("y/e")).attrs.get<std::string>("frame_name"), "y/inner");
  EXPECT_EQ(*g.node(g.find("y/sum")).attrs.get<std::string>("frame_name"), "inner") << "it enters nothing";
}

TEST(Loops, whose_condition_does_not_give_one_bool_are_refused) {
  GraphSpec spec = with_loop();
  spec.functions[0].signature.outputs[0].type = DataType::kFloat;
  spec.functions[0].nodes[1] = {"less", "AddV2", "", {"a", "ten:output:0"}, {{"T", DataType::kFloat}}};
  Graph g = imported(spec);
  EXPECT_EQ(text_of(lower_functions(g)), "Node 'l': its condition 'below' does not give one bool");
}

TEST(Loops, whose_body_gives_less_than_the_loop_has_are_refused) {
  GraphSpec spec = with_loop();
  spec.functions[1].signature.outputs.pop_back();
  spec.functions[1].returns.pop_back();
  Graph g = imported(spec);
  EXPECT_EQ(text_of(lower_functions(g)), "Node 'l': its function 'next' has 1 results, and 2 are wanted");
}

TEST(Loops, without_a_function_or_with_no_parallel_iteration_are_refused) {
  for (const auto& [attr, text] :
       std::vector<std::pair<const char*, const char*>>{{"parallel_iterations", "parallel_iterations must be > 0"}}) {
    GraphSpec spec = with_loop();
    spec.nodes[2].attrs.set(attr, std::int64_t{0});
    Graph g = imported(spec);
    EXPECT_EQ(text_of(lower_functions(g)), text);
  }
}

}  // namespace
}  // namespace tarry
