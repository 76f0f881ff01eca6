#include "placer/lower/apart.hpp"

#include "placer/graph/stack_traces.hpp"
#include "placer/lower/lowered.hpp"

namespace tarry {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

FunctionSpec marked(FunctionSpec f) {
  f.attrs.set("_noinline", true);
  return f;
}

std::vector<std::string> callers_of(const Graph& g, std::string_view node) {
  const auto* callers = g.node(g.find(node)).attrs.get<AttrList>(kCallers);
  return callers == nullptr ? std::vector<std::string>() : callers->s;
}

std::string origin_of(const Graph& g, std::string_view node) {
  return *g.node(g.find(node)).attrs.get<std::string>(kInlinedFrom);
}

TEST(Apart, is_a_call_of_a_function_that_must_not_be_inlined) {
  for (const auto& [name, value] :
       std::vector<AttrEntry>{{"_noinline", true}, {"api_implements", std::string("lstm")}}) {
    FunctionSpec f = twice();
    f.attrs.set(name, value);
    const Graph g = lowered(program({f}, {source("x"), call("y", "twice", {"x"})}));
    EXPECT_THAT(callers_of(g, "y/sum"), ElementsAre("twice", "y")) << name;
    EXPECT_EQ(origin_of(g, "y/sum"), "{{node sum}}") << name;
  }
}

TEST(Apart, is_a_call_that_XLA_compiles) {
  NodeSpec y = call("y", "twice", {"x"});
  y.attrs.set("_XlaMustCompile", true);
  EXPECT_THAT(callers_of(lowered(program({twice()}, {source("x"), y})), "y/sum"), ElementsAre("twice", "y"));
}

TEST(Apart, a_body_waits_for_all_inputs_and_consumers_for_all_results) {
  const GraphSpec spec = program({marked(with_constant())}, {source("x"), call("y", "plus_one", {"x"}),
                                                             unary("Neg", "z", {"y"}), unary("Neg", "w", {"x", "^y"})});
  EXPECT_THAT(inputs_of(lowered(spec)),
              IsSupersetOf({"Func/y/all_inputs/_0 ^Func/y/an_input/_1", "Func/y/an_input/_1 x",
                            "Func/y/input_control_node/_3 ^Func/y/all_inputs/_0",
                            "Func/y/input/_4 Func/y/an_input/_1 ^Func/y/input_control_node/_3",
                            "Func/y/all_results/_2 Func/y/output/_5 ^Func/y/output_control_node/_6",
                            "z Func/y/all_results/_2", "w x ^Func/y/all_results/_2 ^Func/y/output_control_node/_6"}));
}

TEST(Apart, are_calls_inside_a_body_that_runs_apart_with_their_names_there) {
  FunctionSpec outer = twice();
  outer.signature.name = "outer";
  outer.nodes = {call("inner", "twice", {"a"})};
  outer.returns = {{"b", "inner:output:0"}};
  const std::vector<NodeSpec> nodes{source("x"), call("y", "outer", {"x"})};
  const Graph both = lowered(program({marked(twice()), marked(outer)}, nodes));
  EXPECT_THAT(callers_of(both, "y/inner/sum"), ElementsAre("outer", "y", "twice", "inner"));
  const Graph only_outer = lowered(program({twice(), marked(outer)}, nodes));
  EXPECT_THAT(callers_of(only_outer, "y/inner/sum"), ElementsAre("outer", "y"));
  EXPECT_EQ(origin_of(only_outer, "y/inner/sum"), "{{function_node twice}}{{node sum}}");
  const Graph only_inner = lowered(program({marked(twice()), outer}, nodes));
  EXPECT_THAT(callers_of(only_inner, "y/inner/sum"), ElementsAre("twice", "y/inner"));
  EXPECT_EQ(origin_of(only_inner, "y/inner/sum"), "{{node sum}}");
}

// if p then x + x else x + 1
GraphSpec with_unmarked_cond() {
  return program({twice(), with_constant()}, {source("p", DataType::kBool),
                                              source("x"),
                                              {"c",
                                               "StatelessIf",
                                               "",
                                               {"p", "x"},
                                               {{"Tcond", DataType::kBool},
                                                {"Tin", floats(1)},
                                                {"Tout", floats(1)},
                                                {"then_branch", FuncRef{"twice", nullptr}},
                                                {"else_branch", FuncRef{"plus_one", nullptr}}}}});
}

TEST(Apart, is_a_conditional_without_the_attribute_that_lowers_it) {
  const Graph g = lowered(with_unmarked_cond());
  const std::vector<std::string> lines = inputs_of(g);
  EXPECT_THAT(lines, ::testing::Contains(::testing::StartsWith("Func/c/all_inputs/_0 ")));
  int bodies = 0;
  for (const NodeId n : g.op_nodes()) {
    if (g.op_name(n) != "AddV2") continue;
    ++bodies;
    EXPECT_EQ(origin_of(g, g.name(n)), "{{node sum}}");
    EXPECT_THAT(callers_of(g, g.name(n)), ElementsAre("", "c"));
  }
  EXPECT_EQ(bodies, 2);
}

// A function that prints its argument and gives it, without a control output for that.
FunctionSpec printing(std::string name, std::vector<NodeSpec> more = {}) {
  FunctionSpec f{signature(std::move(name)), std::move(more), {{"b", "out:output:0"}}, {}, {}};
  f.nodes.push_back({"print", "Print", "", {"a"}, {{"T", DataType::kFloat}, {"U", AttrList()}}});
  f.nodes.push_back({"out", "Identity", "", {"a"}, {{"T", DataType::kFloat}}});
  f.signature.is_stateful = true;
  return f;
}

NodeSpec cond_of(std::string name, const std::string& function, std::vector<std::string> inputs, bool is_marked,
                 DataType predicate = DataType::kFloat) {
  NodeSpec n{std::move(name),
             "If",
             "",
             std::move(inputs),
             {{"Tcond", predicate},
              {"Tin", floats(1)},
              {"Tout", floats(1)},
              {"then_branch", FuncRef{function, nullptr}},
              {"else_branch", FuncRef{function, nullptr}}}};
  if (is_marked) n.attrs.set("_lower_using_switch_merge", true);
  return n;
}

// How many nodes of an op something waits for that the node `c` stands for.
std::size_t effects(const Graph& g, std::string_view op) {
  std::size_t found = 0;
  for (const NodeId n : g.op_nodes()) {
    if (g.op_name(n) != op) continue;
    for (const EdgeId e : g.out_edges(n))
      found += g.edge(e).is_control() && g.name(g.edge(e).dst).find("output_control_node") != std::string_view::npos;
  }
  return found;
}

TEST(Apart, the_branches_of_a_conditional_run_their_stateful_nodes_though_nothing_depends_on_them) {
  const auto of = [](bool is_marked) {
    const NodeSpec c = cond_of("c", "f", {"p", "x"}, is_marked, DataType::kBool);
    return effects(lowered(program({printing("f")}, {source("x"), source("p", DataType::kBool), c})), "Print");
  };
  EXPECT_EQ(of(false), 2u) << "one in each branch";
  EXPECT_EQ(of(true), 0u) << "it is lowered";
  const Graph called = lowered(program({marked(printing("f"))}, {source("x"), call("c", "f", {"x"})}));
  EXPECT_EQ(effects(called, "Print"), 0u);
}

TEST(Apart, the_condition_and_the_body_of_a_loop_do_so_too) {
  FunctionSpec cond = printing("cond");
  cond.signature.outputs = {{.name = "b", .type = DataType::kBool}};
  cond.nodes.back() = {"out", "Cast", "", {"a"}, {{"SrcT", DataType::kFloat}, {"DstT", DataType::kBool}}};
  cond.returns = {{"b", "out:y:0"}};
  const NodeSpec loop{
      "c", "While", "", {"x"}, {{"T", floats(1)}, {"cond", FuncRef{"cond", nullptr}}, {"body", FuncRef{"f", nullptr}}}};
  const Graph g = lowered(program({cond, printing("f")}, {source("x"), loop}));
  EXPECT_EQ(effects(g, "Print"), 2u);
  std::size_t waits = 0;  // the loop goes on when its condition has run
  for (const NodeId n : g.op_nodes())
    if (g.op_name(n) == "LoopCond")
      for (const EdgeId e : g.in_edges(n)) waits += g.edge(e).is_control();
  EXPECT_EQ(waits, 1u);
}

// What is in such a branch: another conditional, marked or not, a call by name, and a PartitionedCall.
TEST(Apart, in_a_branch_that_runs_whole_nothing_is_lowered_and_calls_by_name_run_whole_as_well) {
  const auto prints_of = [](NodeSpec inner) {
    FunctionSpec middle{signature("middle"), {std::move(inner)}, {{"b", "inner:output:0"}}, {}, {}};
    if (middle.nodes.front().op == "inner_f") middle.returns = {{"b", "inner:b:0"}};
    const Graph g =
        lowered(program({printing("inner_f"), middle}, {source("x"), cond_of("c", "middle", {"x", "x"}, false)}));
    return effects(g, "Print");
  };
  EXPECT_EQ(prints_of(cond_of("inner", "inner_f", {"a", "a"}, false)), 4u);
  EXPECT_EQ(prints_of(cond_of("inner", "inner_f", {"a", "a"}, true)), 4u);
  EXPECT_EQ(prints_of({"inner", "inner_f", "", {"a"}, {}}), 2u);
  EXPECT_EQ(prints_of(call("inner", "inner_f", {"a"})), 0u);
}

// Of what the function prints that such a branch calls.
std::vector<std::string> callers_of_print(NodeSpec inner, const char* result) {
  const FunctionSpec middle{signature("middle"), {std::move(inner)}, {{"b", result}}, {}, {}};
  const Graph g =
      lowered(program({printing("inner_f"), middle}, {source("x"), cond_of("c", "middle", {"x", "x"}, false)}));
  for (const NodeId n : g.op_nodes())
    if (g.op_name(n) == "Print") return callers_of(g, g.name(n));
  return {"nothing is printed"};
}

TEST(Apart, in_a_branch_that_runs_whole_is_a_partitioned_call_and_no_call_by_name) {
  EXPECT_THAT(callers_of_print(call("inner", "inner_f", {"a"}), "inner:output:0"),
              ElementsAre("", "c", "inner_f", "inner"));
  EXPECT_THAT(callers_of_print({"inner", "inner_f", "", {"a"}, {}}, "inner:b:0"), ElementsAre("", "c"));
}

// The first prints its argument, in the frame of a loop of version 1, or behind a Switch that may not be taken.
TEST(Apart, what_may_be_dead_or_is_in_a_frame_holds_up_no_result) {
  const auto prints_behind = [](NodeSpec before) {
    FunctionSpec f{signature("f"), {std::move(before)}, {{"b", "out:output:0"}}, {}, {}};
    const std::string input = f.nodes[0].op == "Enter" ? "first:output:0" : "first:output_true:0";
    f.nodes.push_back({"p", "Cast", "", {"a"}, {{"SrcT", DataType::kFloat}, {"DstT", DataType::kBool}}});
    f.nodes.push_back({"print", "Print", "", {input}, {{"T", DataType::kFloat}, {"U", AttrList()}}});
    f.nodes.push_back({"out", "Identity", "", {"a"}, {{"T", DataType::kFloat}}});
    return effects(lowered(program({f}, {source("x"), cond_of("c", "f", {"x", "x"}, false)})), "Print");
  };
  EXPECT_EQ(prints_behind({"first", "Enter", "", {"a"}, {{"T", DataType::kFloat}, {"frame_name", std::string("l")}}}),
            0u);
  EXPECT_EQ(prints_behind({"first", "Switch", "", {"a", "p:y:0"}, {{"T", DataType::kFloat}}}), 0u);
}

TEST(Apart, a_conditional_takes_a_predicate_of_any_type) {
  const auto of = [](bool is_marked) {
    Graph g = imported(program({twice()}, {source("x"), cond_of("c", "twice", {"x", "x"}, is_marked)}));
    return std::string(text_of(lower_functions(g)));
  };
  EXPECT_EQ(of(false), "");
  EXPECT_THAT(of(true), ::testing::StartsWith("Input 'pred' passed float expected bool while building NodeDef "
                                              "'c/switch_pred/_2' using Op<name=Switch; "));
}

TEST(Apart, a_call_waits_in_the_frame_of_what_it_waits_for) {
  FunctionSpec f = with_constant();
  f.signature.inputs.clear();
  f.nodes.back().inputs = {"one:output:0", "one:output:0"};
  NodeSpec y = call("y", "plus_one", {"^x"});
  y.attrs.set("Tin", AttrList());
  EXPECT_THAT(inputs_of(lowered(program({marked(f)}, {source("x"), y}))),
              ::testing::Contains("Func/y/all_inputs/_0 ^x"));
}

TEST(Apart, names_of_what_it_is_made_of_do_not_count_among_those_of_the_graph) {
  const GraphSpec spec = program({marked(twice()), with_constant()},
                                 {source("x"), call("y", "twice", {"x"}), call("z", "plus_one", {"x"})});
  EXPECT_THAT(inputs_of(lowered(spec)), ::testing::Contains("Func/z/input/_0 x"));
}

TEST(Apart, is_nothing_where_calls_are_left_alone) {
  Graph g = imported(with_unmarked_cond());
  ASSERT_TRUE(lower_functions(g, {.inlines_calls = false}).ok());
  EXPECT_EQ(g.op_name(g.find("c")), "StatelessIf");
}

TEST(Apart, is_no_node_of_a_TPU_or_of_a_cluster_of_XLA) {
  for (const char* mark : {"_tpu_replicate", "_xla_compile_id"}) {
    NodeSpec y = call("y", "twice", {"x"});
    y.attrs.set(mark, std::string("1"));
    const Graph g = lowered(program({twice()}, {source("x"), y}));
    EXPECT_EQ(g.op_name(g.find("y")), "PartitionedCall") << mark;
  }
}

}  // namespace
}  // namespace tarry
