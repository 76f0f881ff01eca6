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

}  // namespace
}  // namespace tarry
