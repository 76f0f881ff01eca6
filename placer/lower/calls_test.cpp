// Calls and what they become in the graph; the names and edges are those that 2.15.1 makes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "placer/lower/lowered.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(Calls, the_body_comes_into_the_graph_and_an_IdentityN_keeps_the_name) {
  const Graph g = lowered(program({twice()}, {source("x"), call("y", "twice", {"x"}), unary("Neg", "z", {"y"})}));
  EXPECT_THAT(inputs_of(g),
              UnorderedElementsAre("x", "Func/y/input/_0 x", "y/sum Func/y/input/_0 Func/y/input/_0",
                                   "Func/y/output/_1 y/sum", "Func/y/output_control_node/_2", "z Func/y/output/_1",
                                   "y Func/y/output/_1 ^Func/y/output_control_node/_2"));
  EXPECT_EQ(g.op_name(g.find("y")), "IdentityN");
}

TEST(Calls, what_waits_for_the_call_waits_for_its_control_outputs) {
  FunctionSpec f = twice();
  f.control_returns = {{"done", "sum"}};
  const Graph g = lowered(program({f}, {source("x"), call("y", "twice", {"x"}), unary("Neg", "z", {"x", "^y"})}));
  EXPECT_THAT(inputs_of(g),
              ::testing::IsSupersetOf({"Func/y/output_control_node/_2 ^y/sum", "z x ^Func/y/output_control_node/_2"}));
}

TEST(Calls, what_the_call_waits_for_holds_back_the_whole_body) {
  const Graph g = lowered(program({with_constant()}, {source("x"), source("w"), call("y", "plus_one", {"x", "^w"})}));
  EXPECT_THAT(inputs_of(g),
              ::testing::IsSupersetOf({"Func/y/input_control_node/_0 ^w", "y/one ^Func/y/input_control_node/_0",
                                       "Func/y/input/_1 x ^Func/y/input_control_node/_0",
                                       "Func/y/output_control_node/_3 ^Func/y/input_control_node/_0"}));
}

TEST(Calls, a_call_inside_a_body_is_inlined_too) {
  FunctionSpec outer = twice();
  outer.signature.name = "outer";
  outer.nodes = {call("sum", "twice", {"a"})};
  outer.returns = {{"b", "sum:output:0"}};
  const Graph g = lowered(program({twice(), outer}, {source("x"), call("y", "outer", {"x"})}));
  EXPECT_TRUE(g.find("y/sum/sum").valid());
  EXPECT_EQ(*g.node(g.find("y/sum/sum")).attrs.get<std::string>(kInlinedFrom), "{{function_node twice}}{{node sum}}");
}

TEST(Calls, inside_a_body_that_is_held_back_are_held_back_too) {
  FunctionSpec outer = twice();
  outer.signature.name = "outer";
  outer.nodes = {call("inner", "plus_one", {"a"})};
  outer.returns = {{"b", "inner:output:0"}};
  const Graph g =
      lowered(program({with_constant(), outer}, {source("x"), source("w"), call("y", "outer", {"x", "^w"})}));
  EXPECT_THAT(inputs_of(g), ::testing::IsSupersetOf({"Func/y/inner/input_control_node/_4 ^Func/y/input_control_node/_0",
                                                     "y/inner/one ^Func/y/inner/input_control_node/_4"}));
}

TEST(Calls, an_input_runs_beside_its_producer_and_the_body_where_it_says_or_beside_the_call) {
  FunctionSpec f = with_constant();
  f.nodes[0].device = "/device:CPU:1";
  GraphSpec spec = program({f}, {source("x"), call("y", "plus_one", {"x"})});
  spec.nodes[0].device = "/job:ps/task:0";
  spec.nodes[1].device = "/job:worker/task:1";
  const Graph g = lowered(spec);
  EXPECT_EQ(g.requested_device(g.find("Func/y/input/_0")), "/job:ps/task:0");
  EXPECT_EQ(g.requested_device(g.find("y/one")), "/job:worker/task:1/device:CPU:1");
  EXPECT_EQ(g.requested_device(g.find("y/sum")), "/job:worker/task:1");
  EXPECT_EQ(g.requested_device(g.find("Func/y/output/_1")), "");
  spec.nodes[1].device = "/job:worker/replica:0/task:1/device:GPU:0";
  EXPECT_EQ(lowered(spec).requested_device(lowered(spec).find("y/one")), "/job:worker/replica:0/task:1/device:CPU:1");
}

TEST(Calls, a_node_whose_op_is_a_function_runs_where_the_call_runs) {
  GraphSpec spec = program({twice()}, {source("x"), {"y", "twice", "/device:CPU:1", {"x"}, {}}});
  const Graph g = lowered(spec);
  for (const char* name : {"Func/y/input/_0", "y/sum", "Func/y/output/_1", "Func/y/output_control_node/_2"})
    EXPECT_EQ(g.requested_device(g.find(name)), "/device:CPU:1") << name;
  EXPECT_THAT(inputs_of(g), ::testing::Contains("Func/y/output_control_node/_2 ^Func/y/output/_1"));
}

TEST(Calls, a_location_in_the_body_is_moved_with_it_and_that_of_an_argument_is_its_Identity) {
  FunctionSpec f = with_constant();
  AttrList beside;
  beside.s = {"loc:@one", "loc:@a", "loc:@elsewhere"};
  f.nodes[1].attrs.set("_class", beside);
  const Graph g = lowered(program({f}, {source("x"), call("y", "plus_one", {"x"})}));
  EXPECT_THAT(g.node(g.find("y/sum")).attrs.get<AttrList>("_class")->s,
              ::testing::ElementsAre("loc:@y/one", "loc:@Func/y/input/_0", "loc:@elsewhere"));
}

TEST(Calls, stay_without_inlining_but_for_those_that_are_marked) {
  NodeSpec marked = call("z", "twice", {"x"});
  marked.attrs.set("_lower_as_multi_device_function", true);
  Graph g = imported(program({twice()}, {source("x"), call("y", "twice", {"x"}), marked}));
  ASSERT_TRUE(lower_functions(g, {.inlines_calls = false}).ok());
  EXPECT_EQ(g.op_name(g.find("y")), "PartitionedCall");
  EXPECT_EQ(g.op_name(g.find("z")), "IdentityN");
}

TEST(Calls, of_an_unknown_function_are_refused_by_name) {
  Graph g = imported(program({twice()}, {source("x"), call("y", "nobody", {"x"})}));
  const Status s = lower_functions(g);
  EXPECT_EQ(s.code(), Code::kInvalidArgument);
  EXPECT_THAT(text_of(s), ::testing::StartsWith("Failed to find function \"nobody\" in function library: function {"));
}

TEST(Calls, of_a_body_that_is_no_graph_are_refused_with_the_functions_name) {
  FunctionSpec f = twice();
  f.nodes[0].op = "Nonsense";
  Graph g = imported(program({f}, {source("x"), call("y", "twice", {"x"})}));
  EXPECT_THAT(text_of(lower_functions(g)), ::testing::StartsWith("function twice: "));
}

TEST(Calls, leave_a_node_the_origin_that_the_body_says_of_it) {
  FunctionSpec f = twice();
  f.nodes[0].attrs.set(kInlinedFrom, "{{node first}}");
  const Graph g = lowered(program({f}, {source("x"), call("y", "twice", {"x"})}));
  EXPECT_EQ(*g.node(g.find("y/sum")).attrs.get<std::string>(kInlinedFrom), "{{node first}}");
}

TEST(Calls, in_a_circle_are_refused) {
  FunctionSpec f = twice();
  f.nodes = {call("sum", "twice", {"a"})};
  f.returns = {{"b", "sum:output:0"}};
  Graph g = imported(program({f}, {source("x"), call("y", "twice", {"x"})}));
  const Status s = lower_functions(g);
  EXPECT_EQ(s.code(), Code::kUnimplemented);
  EXPECT_THAT(text_of(s), HasSubstr("Node {{node y/sum}} calls function {{function_node twice}}"));
}

TEST(Sums, are_waited_for_by_what_waited_for_them) {
  const NodeSpec sum{"s", "AccumulateNV2", "", {"x", "x"}, {{"T", DataType::kFloat}, {"N", 2}, {"shape", Shape({3})}}};
  const Graph g = lowered(program({}, {source("x"), sum, unary("Neg", "y", {"s"}), unary("Neg", "z", {"x", "^s"})}));
  EXPECT_EQ(g.op_name(g.find("s")), "DestroyTemporaryVariable");
  EXPECT_THAT(inputs_of(g), ::testing::IsSupersetOf({"y s", "z x ^s"}));
}

// f9 calls f8 twice, f8 calls f7 twice, ...
GraphSpec doubling() {
  std::vector<FunctionSpec> functions{twice()};
  functions[0].signature.name = "f0";
  for (int i = 1; i < 10; ++i) {
    FunctionSpec f = twice();
    f.signature.name = fmt::format("f{}", i);
    const std::string next = fmt::format("f{}", i - 1);
    f.nodes = {call("left", next, {"a"}), call("right", next, {"left:output:0"})};
    f.returns = {{"b", "right:output:0"}};
    functions.push_back(std::move(f));
  }
  return program(std::move(functions), {source("x"), call("y", "f9", {"x"})});
}

TEST(Calls, that_make_a_graph_too_large_are_refused_and_one_that_just_fits_is_not) {
  const std::size_t size = lowered(doubling()).node_slots();
  Graph fits = imported(doubling()), too_large = imported(doubling());
  EXPECT_TRUE(lower_functions(fits, {.most_nodes = size}).ok());
  const Status s = lower_functions(too_large, {.most_nodes = size / 2});
  EXPECT_EQ(s.code(), Code::kResourceExhausted);
  EXPECT_THAT(text_of(s), HasSubstr(fmt::format("make a graph of more than {} nodes", size / 2)));
}

RC_GTEST_PROP(Calls, a_chain_of_calls_leaves_no_call_and_keeps_every_name, ()) {
  const int length = *rc::gen::inRange(1, 12);
  std::vector<NodeSpec> nodes{source("x")};
  for (int i = 0; i < length; ++i)
    nodes.push_back(call(fmt::format("y{}", i), *rc::gen::element<std::string>("twice", "plus_one"),
                         {i == 0 ? "x" : fmt::format("y{}", *rc::gen::inRange(0, i))}));
  const Graph g = lowered(program({twice(), with_constant()}, nodes));
  for (int i = 0; i < length; ++i) RC_ASSERT(g.op_name(g.find(fmt::format("y{}", i))) == "IdentityN");
  for (const NodeId n : g.op_nodes())
    for (int slot = 0; slot < g.input_count(n); ++slot) RC_ASSERT(g.input_edge(n, slot).valid());
}

TEST(Calls, of_a_function_with_an_op_that_nobody_knows_name_that_op) {
  FunctionSpec f = twice();
  f.nodes = {unary("MyCustomOp", "own", {"a"}), unary("Neg", "sum", {"own:y:0"})};
  f.returns = {{"b", "sum:y:0"}};
  Graph g = imported(program({f}, {source("x"), call("c", "twice", {"x"})}));
  const Status s = lower_functions(g);
  EXPECT_EQ(s.code(), Code::kNotFound);
  EXPECT_THAT(std::string(text_of(s)),
              ::testing::StartsWith("function twice: Op type not registered 'MyCustomOp' in "));
  f.nodes.front().op = "Neg";
  f.nodes.back().inputs = {"nobody:y:0"};
  g = imported(program({f}, {source("x"), call("c", "twice", {"x"})}));
  EXPECT_EQ(text_of(lower_functions(g)), "function twice: Input nobody:y:0 of function twice is not found");
}

}  // namespace
}  // namespace tarry
