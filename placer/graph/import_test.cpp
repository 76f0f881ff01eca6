#include "placer/graph/import.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

NodeSpec source(std::string name) { return {std::move(name), "Placeholder", "", {}, {{"dtype", DataType::kFloat}}}; }
NodeSpec unary(std::string op, std::string name, std::vector<std::string> inputs) {
  return {std::move(name), std::move(op), "", std::move(inputs), {{"T", DataType::kFloat}}};
}
NodeSpec relu(std::string name, std::vector<std::string> inputs) {
  return unary("Relu", std::move(name), std::move(inputs));
}

std::string failure(const GraphSpec& spec) { return std::string(text_of(import_graph(spec).status())); }

std::vector<std::string> order(const GraphSpec& spec, const ImportOptions& options = {}) {
  const auto g = import_graph(spec, options);
  EXPECT_TRUE(g.ok()) << g.status();
  std::vector<std::string> names;
  for (const NodeId n : g->op_nodes()) names.emplace_back(g->name(n));
  return names;
}

TEST(Import, leaves_attributes_as_they_are_that_the_op_does_not_have) {
  const auto g = import_graph({{{"a", "Placeholder", "", {}, {{"dtype", DataType::kFloat}, {"colour", "red"}}}}});
  ASSERT_TRUE(g.ok()) << g.status();
  const auto* colour = g->node(g->find("a")).attrs.get<std::string>("colour");
  ASSERT_NE(colour, nullptr);
  EXPECT_EQ(*colour, "red");
}

TEST(Import, an_input_names_an_output_by_the_digits_behind_a_last_colon_and_else_output_0) {
  const auto parsed = [](std::string_view text) {
    const InputName input = parse_input(text);
    return fmt::format("{}|{}", input.node, input.slot);
  };
  EXPECT_EQ(parsed("layer_12"), "layer_12|0");
  EXPECT_EQ(parsed("layer_12:3"), "layer_12|3");
  EXPECT_EQ(parsed("^layer_12"), "layer_12|-1");
  EXPECT_EQ(parsed("12"), "12|0");
  EXPECT_EQ(parsed("a:"), "a:|0");
  EXPECT_EQ(parsed("a:x1"), "a:x1|0");
  EXPECT_EQ(parsed("a:-1"), "a:-1|0");
  EXPECT_EQ(parsed("a:99999999999"), "a:99999999999|0");
}

TEST(Import, of_the_ready_nodes_the_first_in_the_file_gets_the_next_id) {
  EXPECT_EQ(order({{relu("late", {"b"}), source("a"), source("b")}}), (std::vector<std::string>{"a", "b", "late"}));
}

TEST(Import, up_to_release_1_8_ready_nodes_were_a_stack) {
  EXPECT_EQ(order({{source("a"), source("b"), relu("c", {"b"})}}, {.oldest_order = true}),
            (std::vector<std::string>{"b", "c", "a"}));
}

TEST(Import, a_loop_is_closed_at_the_end) {
  const auto g = import_graph({{source("a"),
                                {"e", "Enter", "", {"a"}, {{"T", DataType::kFloat}, {"frame_name", "f"}}},
                                {"m", "Merge", "", {"e", "n"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}},
                                unary("NextIteration", "n", {"m"})}});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_EQ(g->edge(g->input_edge(g->find("m"), 1)).src, g->find("n"));
}

TEST(Import, defaults_of_the_op_are_filled_in) {
  const auto g = import_graph({{source("a"), {"m", "MatMul", "", {"a", "a"}, {{"T", DataType::kFloat}}}}});
  EXPECT_EQ(*g->node(g->find("m")).attrs.get<bool>("transpose_a"), false);
}

TEST(Import, nodes_of_one_op_keep_the_types_and_the_attributes_that_each_was_written_with) {
  const auto product = [](std::string name, std::string of, DataType type, bool transposed) {
    return NodeSpec{std::move(name), "MatMul", "", {of, of}, {{"T", type}, {"transpose_a", transposed}}};
  };
  const auto g = import_graph({{source("f"),
                                {"i", "Placeholder", "", {}, {{"dtype", DataType::kInt32}}},
                                product("a", "f", DataType::kFloat, false),
                                product("b", "i", DataType::kInt32, false),
                                product("c", "f", DataType::kFloat, true),
                                product("d", "f", DataType::kFloat, false)}});
  ASSERT_TRUE(g.ok()) << g.status();
  const auto attrs = [&](const char* name) -> const Attrs& { return g->node(g->find(name)).attrs; };
  EXPECT_EQ(*attrs("b").get<DataType>("T"), DataType::kInt32);
  EXPECT_EQ(*attrs("c").get<bool>("transpose_a"), true);
  EXPECT_EQ(*attrs("d").get<bool>("transpose_a"), false);
  EXPECT_EQ(g->output_type(g->find("b"), 0), DataType::kInt32);
}

TEST(Import, a_reference_may_feed_a_value) {
  EXPECT_TRUE(
      import_graph({{{"v", "VariableV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}}, relu("r", {"v"})}})
          .ok());
}

TEST(Import, refuses_with_the_texts_of_2_15) {
  EXPECT_EQ(failure({{source("a"), source("a")}}), "Node 'a' is not unique");
  EXPECT_EQ(failure({{source("a b")}}), "Node 'a b': Node name contains invalid characters");
  EXPECT_EQ(failure({{source("a\\b")}}), "Node 'a\\b': Node name contains invalid characters");
  EXPECT_EQ(failure({{{"a", "", "", {}, {}}}}), "Node 'a' does not specify an operation");
  EXPECT_EQ(failure({{source("a"), relu("n", {"^a", "a"})}}),
            "Node 'n': Control dependencies must come after regular dependencies");
  EXPECT_EQ(failure({{relu("n", {"nobody"})}}), "Node 'n': Unknown input node 'nobody'");
  EXPECT_EQ(failure({{source("a"), relu("n", {"a:1"})}}),
            "Node 'n': Connecting to invalid output 1 of source node a which has 1 outputs.");
  EXPECT_EQ(failure({{{"i", "Placeholder", "", {}, {{"dtype", DataType::kInt32}}}, relu("n", {"i"})}}),
            "Input 0 of node n was passed int32 from i:0 incompatible with expected float.");
  EXPECT_THAT(failure({{relu("n", {"m"}), relu("m", {"n"})}}), StartsWith("2 nodes in a cycle"));
  EXPECT_THAT(failure({{source("a"), relu("n", {"a", "a"})}}),
              StartsWith("NodeDef expected inputs 'float' do not match 2 inputs specified; Op<name=Relu; "));
  EXPECT_THAT(failure({{{"n", "Relu", "", {"n"}, {}}}}), HasSubstr("in a cycle"));
  EXPECT_THAT(failure({{source("a"), {"n", "Enter", "", {"a"}, {{"T", DataType::kFloat}}}}}),
              StartsWith("NodeDef missing attr 'frame_name' from Op<name=Enter; "));
  EXPECT_THAT(failure({{source("a"), {"n", "Relu", "", {"a"}, {{"T", DataType::kString}}}}}),
              StartsWith("Value for attr 'T' of string is not in the list of allowed values: float, "));
  EXPECT_EQ(
      failure(
          {{{"a", "Placeholder", "", {}, {{"dtype", DataType::kFloat}, {"_class", AttrList{.s = {"loc:@ghost"}}}}}}}),
      "Node 'a' expects to be colocated with unknown node 'ghost'");
}

TEST(Import, an_attribute_names_a_type_that_is_no_reference) {
  const auto of_type = [](DataType t) { return failure({{{"p", "Placeholder", "", {}, {{"dtype", t}}}}}); };
  EXPECT_THAT(of_type(DataType::kInvalid),
              StartsWith("AttrValue has invalid DataType\n\t for attr 'dtype'\n\t; NodeDef"));
  EXPECT_THAT(of_type(DataType{99}), StartsWith("AttrValue has invalid DataType enum: 99\n\t for attr 'dtype'"));
  EXPECT_THAT(of_type(ref_type(DataType::kFloat)),
              StartsWith("AttrValue must not have reference type value of float_ref\n\t for attr 'dtype'"));
  EXPECT_THAT(failure({{source("a"), {"n", "IdentityN", "", {"a"}, {{"T", AttrList{.type = {DataType::kInvalid}}}}}}}),
              StartsWith("AttrValue contains invalid DataType\n\t for attr 'T'"));
}

TEST(Import, an_attribute_that_is_no_shape_is_refused_where_the_ops_shape_function_reads_it) {
  const auto shaped = [](std::string op, const Shape& shape) {
    return failure({{{"p", std::move(op), "", {}, {{"dtype", DataType::kFloat}, {"shape", shape}}}}});
  };
  Shape unknown_with_sizes = Shape::unknown();
  unknown_with_sizes.dims = {3};
  const std::int64_t huge = 9'000'000'000'000'000'000;
  EXPECT_EQ(shaped("Placeholder", Shape({-2})),
            "Shape [-2] has dimensions with values below -1 (where -1 means unknown) for '{{node p}} = "
            "Placeholder[dtype=DT_FLOAT, shape=[-2]]()' with input shapes: .");
  EXPECT_EQ(shaped("TemporaryVariable", unknown_with_sizes),
            "An unknown shape must not have any dimensions set. for '{{node p}} = TemporaryVariable[dtype=DT_FLOAT, "
            "shape=<unknown>[3], var_name=\"\"]()' with input shapes: .");
  EXPECT_THAT(shaped("VariableV2", Shape({huge, 9, -5})),
              StartsWith("Shape [9000000000000000000,9,-5] is too large (more than 2**63 - 1 entries) for"));
  EXPECT_THAT(shaped("VarHandleOp", Shape(std::vector<std::int64_t>(255, 1))),
              HasSubstr("] has too many dimensions for"));
  EXPECT_EQ(shaped("Placeholder", Shape({-1, huge, 0, huge})), "");
  EXPECT_EQ(shaped("ConditionalAccumulator", Shape({-2})), "") << "its kernel refuses";
}

TEST(Import, a_shape_that_is_none_is_said_with_the_node_and_the_shapes_of_its_inputs) {
  EXPECT_EQ(failure({{source("a"),
                      {"p",
                       "PlaceholderWithDefault",
                       "/cpu:0",
                       {"a", "^a"},
                       {{"dtype", DataType::kFloat}, {"shape", Shape({2, -3})}}}}}),
            "Shape [2,-3] has dimensions with values below -1 (where -1 means unknown) for '{{node p}} = "
            "PlaceholderWithDefault[dtype=DT_FLOAT, shape=[2,-3], _device=\"/cpu:0\"](a, ^a)' with input shapes: ?.");
}

TEST(Import, an_op_is_refused_by_graphs_of_the_version_that_removed_it_and_later_ones) {
  const NodeSpec old{"p", "PlaceholderV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}};
  EXPECT_EQ(failure({{old}, {22, 0, {}}}), "");
  const auto g = import_graph({{old}, {23, 0, {}}});
  EXPECT_EQ(g.status().code(), Code::kUnimplemented);
  EXPECT_EQ(text_of(g.status()),
            "Op PlaceholderV2 is not available in GraphDef version 23. It has been removed in version 23. Placeholder "
            "now behaves the same as PlaceholderV2..");
}

TEST(Import, names_that_begin_with_an_underscore_are_TensorFlows_own) {
  EXPECT_EQ(failure({{source("_a")}}), "Node '_a': Node name contains invalid characters");
  EXPECT_TRUE(import_graph({{source("_a")}}, made_by_itself()).ok());
}

TEST(Import, an_attribute_holds_a_value_of_its_type) {
  const auto of_identities = [](AttrValue t) {
    return failure({{source("a"), {"n", "IdentityN", "", {"a"}, {{"T", std::move(t)}}}}});
  };
  EXPECT_THAT(
      of_identities(AttrList{.i = {3}}),
      StartsWith("AttrValue had value with type 'list(int)' when 'list(type)' expected\n\t for attr 'T'\n\t; "
                 "NodeDef: {{node n}}; Op<name=IdentityN; signature=input: -> output:; attr=T:list(type),min=1>"));
  const auto of_one = [](AttrValue t) {
    return failure({{source("a"), {"n", "Neg", "", {"a"}, {{"T", std::move(t)}}}}});
  };
  EXPECT_THAT(of_one(AttrList{.type = {DataType::kFloat}}),
              StartsWith("AttrValue had value with type 'list(type)' when 'type' expected"));
  EXPECT_THAT(of_one(AttrList()), StartsWith("AttrValue missing value with expected type 'type'\n\t for attr 'T'"));
  EXPECT_THAT(of_one(AttrValue()), StartsWith("AttrValue missing value with expected type 'type'"));
}

TEST(Import, an_unknown_op_is_NOT_FOUND_and_the_nearest_one_is_suggested) {
  const auto g = import_graph({{{"n", "Rleu", "", {}, {}}}});
  EXPECT_EQ(g.status().code(), Code::kNotFound);
  EXPECT_THAT(std::string(text_of(g.status())), HasSubstr("Op type not registered 'Rleu'"));
  EXPECT_THAT(std::string(text_of(g.status())), HasSubstr("did you mean 'Relu'?"));
}

TEST(Import, a_refused_extension_leaves_the_graph_as_it_was) {
  auto g = *import_graph({{source("a")}});
  EXPECT_FALSE(extend_graph(g, {{source("b"), source("a")}}).ok());
  EXPECT_FALSE(g.find("b").valid());
  EXPECT_TRUE(extend_graph(g, {{relu("b", {"a"})}}).ok());
  EXPECT_TRUE(g.find("b").valid());
}

TEST(Import, an_extension_may_use_the_name_of_a_node_that_was_removed) {
  Graph g = import_graph({{source("a")}}).value();
  g.remove_node(g.find("a"));
  ASSERT_TRUE(extend_graph(g, {{source("b"), relu("a", {"b"}), relu("c", {"a"})}}).ok());
  EXPECT_EQ(g.edge(g.input_edge(g.find("c"), 0)).src, g.find("a"));
}

}  // namespace
}  // namespace tarry
