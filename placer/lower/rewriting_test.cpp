#include "placer/lower/rewriting.hpp"

#include <gtest/gtest.h>

#include "placer/lower/lowered.hpp"

namespace tarry {
namespace {

TEST(Rewriting, adds_no_node_whose_op_is_neither_registered_nor_a_function) {
  Graph g = imported(program({twice()}, {source("x")}));
  const LowerOptions options;
  Rewriting r(g, options);
  const NodeId x = g.find("x");
  const auto added = r.add({.name = "y", .op = "thrice", .inputs = {{x, 0}}}, x);
  EXPECT_EQ(text_of(added.status()), "Can't find a function: node=y function=thrice");
  EXPECT_FALSE(g.find("y").valid());
  EXPECT_TRUE(r.add({.name = "y", .op = "twice", .inputs = {{x, 0}}}, x).ok());
}

TEST(Rewriting, adds_no_second_node_of_a_name) {
  Graph g = imported(program({}, {source("x")}));
  const LowerOptions options;
  Rewriting r(g, options);
  EXPECT_EQ(text_of(r.add({.name = "x", .op = "NoOp"}, g.find("x")).status()), "Node 'x' is not unique");
}

// What a node of the function, or of Merge, says of such inputs.
std::string said_of_inputs(std::string_view op, std::size_t count, Attrs attrs = {}, DataType last = DataType::kFloat) {
  Graph g = imported(program({twice()}, {source("x"), source("y", last)}));
  const LowerOptions options;
  Rewriting r(g, options);
  std::vector<NodeOutput> inputs(count, {g.find("x"), 0});
  if (count > 0) inputs.back().node = g.find("y");
  return std::string(text_of(
      r.add({.name = "n", .op = op, .attrs = std::move(attrs), .inputs = std::move(inputs)}, g.find("x")).status()));
}

TEST(Rewriting, adds_no_node_whose_inputs_do_not_fit_its_op) {
  const std::string twice = "while building NodeDef 'n' using Op<name=twice; signature=a:float -> b:float>";
  EXPECT_EQ(said_of_inputs("twice", 1), "");
  EXPECT_EQ(said_of_inputs("twice", 1, {}, DataType::kInt32), "Input 'a' passed int32 expected float " + twice);
  EXPECT_EQ(said_of_inputs("twice", 0), "0 inputs specified of 1 inputs in Op " + twice);
  EXPECT_EQ(said_of_inputs("twice", 2), "More Input() calls than the 1 input_args " + twice);
  EXPECT_EQ(
      said_of_inputs("twice", 3),
      "2 errors " + twice + ":\nMore Input() calls than the 1 input_args\nMore Input() calls than the 1 input_args");
  const Attrs of_merge{{"T", DataType::kFloat}, {"N", std::int64_t{2}}};
  EXPECT_THAT(said_of_inputs("Merge", 2, of_merge, DataType::kBool),
              ::testing::StartsWith("Input 'inputs' passed bool expected float while building NodeDef 'n' using "
                                    "Op<name=Merge; signature=inputs:N*T -> output:T, value_index:int32; "));
}

}  // namespace
}  // namespace tarry
