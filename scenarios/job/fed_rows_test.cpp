// Which feeds of zeros choose rows of variables: in graphs that ship, and op by op.

#include "scenarios/job/fed_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FedRows, of_a_table_in_parts_are_those_of_all_parts) {
  const FedRows fed = rows_by_zeros(shipped_program("word2vec_nce_ps2_task0", {.batch = 128}));
  EXPECT_THAT(fed.tensors, ElementsAre("words:0", "context:0"));
  EXPECT_EQ(fed.variable, "embedding/part_0");
  EXPECT_EQ(fed.rows, 50000);
}

TEST(FedRows, are_none_where_what_is_fed_is_no_id) {
  for (const char* name : {"softmax_async_ps1_task0", "resnet50_ps8_task0"})
    EXPECT_THAT(rows_by_zeros(shipped_program(name, {.batch = 4})).tensors, IsEmpty()) << name;
}

// ---- small graphs ----

constexpr const char* kIds = "ids";

NodeSpec node(std::string name, std::string op, std::vector<std::string> inputs) {
  return {std::move(name), std::move(op), "", std::move(inputs), {}};
}

NodeSpec table(std::string name, std::int64_t rows) {
  NodeSpec n = node(std::move(name), "VariableV2", {});
  n.attrs.set("dtype", DataType::kFloat), n.attrs.set("shape", Shape{rows, 8});
  return n;
}

// A look-up in a table of 100 rows, and `more`.
ClientProgram looking_up(std::vector<NodeSpec> more, DataType dtype = DataType::kInt64) {
  GraphSpec graph{{node(kIds, "Placeholder", {}), table("table", 100), node("read", "Identity", {"table"})}, {}, {}};
  graph.nodes.insert(graph.nodes.end(), more.begin(), more.end());
  ClientProgram p;
  p.graph = std::make_shared<const GraphSpec>(std::move(graph));
  p.feeds = {{.tensor = "ids:0", .dtype = dtype}};
  return p;
}

bool is_found(std::vector<NodeSpec> more, DataType dtype = DataType::kInt64) {
  return !rows_by_zeros(looking_up(std::move(more), dtype)).tensors.empty();
}

TEST(FedRows, are_found_behind_ops_that_hand_numbers_on) {
  EXPECT_TRUE(is_found({node("look", "GatherV2", {"read", "ids"})}));
  EXPECT_TRUE(is_found({node("flat", "Reshape", {"ids"}), node("look", "Gather", {"table", "flat:0"})}));
  EXPECT_TRUE(is_found({node("look", "ResourceGather", {"table", "ids"})}));
  EXPECT_FALSE(is_found({node("many", "Add", {"ids", "ids"}), node("look", "GatherV2", {"read", "many"})}));
  EXPECT_FALSE(is_found({node("look", "GatherV2", {"read", "^ids"})}));
}

TEST(FedRows, are_of_variables) {
  EXPECT_FALSE(is_found({node("made", "Neg", {"read"}), node("look", "GatherV2", {"made", "ids"})}));
  EXPECT_FALSE(is_found({node("look", "GatherV2", {"ids", "read"})})) << "what is read is the feed";
  EXPECT_FALSE(
      is_found({node("a", "Identity", {"b"}), node("b", "Identity", {"a"}), node("look", "GatherV2", {"a", "ids"})}));
}

TEST(FedRows, are_what_an_op_hands_on_and_not_its_other_inputs) {
  EXPECT_FALSE(is_found({node("flat", "Reshape", {"read", "ids"}), node("look", "Gather", {"table", "flat"})}));
  EXPECT_TRUE(
      is_found({node("fill", "SparseFillEmptyRows", {"i", "ids", "s"}), node("look", "Gather", {"table", "fill:1"})}));
  EXPECT_FALSE(
      is_found({node("fill", "SparseFillEmptyRows", {"ids", "v", "s"}), node("look", "Gather", {"table", "fill:1"})}));
  EXPECT_FALSE(
      is_found({node("fill", "SparseFillEmptyRows", {"i", "ids", "s"}), node("look", "Gather", {"table", "fill:2"})}));
  EXPECT_TRUE(is_found({node("part", "DynamicPartition", {"ids", "p"}), node("look", "Gather", {"table", "part:3"})}));
  EXPECT_TRUE(is_found({node("all", "ConcatV2", {"x", "ids", "axis"}), node("look", "Gather", {"table", "all"})}));
  EXPECT_FALSE(is_found({node("look", "Gather", {"table", "ids:1"})})) << "another output";
}

TEST(FedRows, are_whole_numbers_that_nobody_gave) {
  const std::vector<NodeSpec> look{node("look", "GatherV2", {"read", "ids"})};
  EXPECT_TRUE(is_found(look, DataType::kInt32));
  EXPECT_FALSE(is_found(look, DataType::kFloat));
  ClientProgram p = looking_up(look);
  EXPECT_EQ(rows_by_zeros(p).rows, 100);
  p.feeds[0].like = "other:0";
  EXPECT_THAT(rows_by_zeros(p).tensors, IsEmpty()) << "a tower is fed as another feed says";
  p.feeds[0].like = "", p.feeds[0].optional = true;
  EXPECT_THAT(rows_by_zeros(p).tensors, IsEmpty()) << "it is not fed";
  p.feeds[0].optional = false, p.feeds[0].shape = Shape{4097};
  EXPECT_THAT(rows_by_zeros(p).tensors, IsEmpty()) << "of so many the shape is fed alone";
  p.feeds[0].shape = Shape{4096};
  EXPECT_THAT(rows_by_zeros(p).tensors, ElementsAre("ids:0"));
  p.feeds[0].values = std::make_shared<const FeedValues>(FedUniform{});
  EXPECT_THAT(rows_by_zeros(p).tensors, IsEmpty());
}

TEST(FedRows, come_from_a_table_in_parts_by_way_of_what_hands_them_on) {
  const auto table_of = [](const std::string& variable, const std::string& by) {
    const ClientProgram p = looking_up({table(variable, 4), node("look", by, {variable, "ids"}),
                                        node("sent", "Identity", {"look"}), node("sum", "Neg", {"look"})});
    return std::tuple(table_in_parts(*p.graph, "look"), table_in_parts(*p.graph, "sent"),
                      table_in_parts(*p.graph, "sum"));
  };
  EXPECT_EQ(table_of("t/part_1", "GatherV2"), std::tuple("t", "t", ""));
  EXPECT_EQ(table_of("t", "GatherV2"), std::tuple("", "", "")) << "it is whole";
  EXPECT_EQ(table_of("t/part_1", "Add"), std::tuple("", "", ""));
  const ClientProgram round = looking_up({node("a", "Identity", {"b"}), node("b", "Identity", {"a"})});
  EXPECT_EQ(table_in_parts(*round.graph, "a"), "") << "it goes round";
}

TEST(FedRows, are_added_up_over_the_parts_of_a_variable_whose_shapes_are_known) {
  const NodeSpec look = node("look", "Gather", {"t/part_1", "ids"});
  EXPECT_EQ(
      rows_by_zeros(looking_up({table("t/part_0", 4), table("t/part_1", 3), table("t/part_0/Adagrad", 4), look})).rows,
      7);
  EXPECT_EQ(rows_by_zeros(looking_up({table("t/part_1", 3), table("u/part_0", 4), look})).rows, 3);
  const NodeSpec part = table("t/part_0", -1);
  const FedRows fed = rows_by_zeros(looking_up({part, table("t/part_1", 3), look}));
  EXPECT_EQ(fed.variable, "t/part_1");
  EXPECT_EQ(fed.rows, 0);
}

}  // namespace
}  // namespace tarry
