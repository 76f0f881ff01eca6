// Small graphs with functions, and what becomes of them; for tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/import.hpp"
#include "placer/lower/lower.hpp"

namespace tarry {

inline NodeSpec source(std::string name, DataType type = DataType::kFloat) {
  return {std::move(name), "Placeholder", "", {}, {{"dtype", type}}};
}

inline NodeSpec unary(std::string op, std::string name, std::vector<std::string> inputs) {
  return {std::move(name), std::move(op), "", std::move(inputs), {{"T", DataType::kFloat}}};
}

inline AttrList floats(std::size_t count) {
  AttrList types;
  types.type.assign(count, DataType::kFloat);
  return types;
}

// A call of a function of one float that gives one.
inline NodeSpec call(std::string name, std::string function, std::vector<std::string> inputs) {
  return {std::move(name),
          "PartitionedCall",
          "",
          std::move(inputs),
          {{"Tin", floats(1)}, {"Tout", floats(1)}, {"f", FuncRef{std::move(function), nullptr}}}};
}

inline OpDef signature(std::string name) {
  OpDef op{.name = std::move(name)};
  op.inputs = {{.name = "a", .type = DataType::kFloat}};
  op.outputs = {{.name = "b", .type = DataType::kFloat}};
  return op;
}

// twice(a) = a + a
inline FunctionSpec twice() {
  return {
      signature("twice"), {{"sum", "AddV2", "", {"a", "a"}, {{"T", DataType::kFloat}}}}, {{"b", "sum:z:0"}}, {}, {}};
}

// plus_one(a) = a + 1
inline FunctionSpec with_constant() {
  auto one = std::make_shared<TensorSpec>(TensorSpec{DataType::kFloat, Shape(), std::string("\0\0\x80\x3f", 4), {}});
  return {signature("plus_one"),
          {{"one", "Const", "", {}, {{"dtype", DataType::kFloat}, {"value", std::shared_ptr<const TensorSpec>(one)}}},
           {"sum", "AddV2", "", {"a", "one:output:0"}, {{"T", DataType::kFloat}}}},
          {{"b", "sum:z:0"}},
          {},
          {}};
}

inline GraphSpec program(std::vector<FunctionSpec> functions, std::vector<NodeSpec> nodes) {
  return {.nodes = std::move(nodes), .versions = {}, .functions = std::move(functions)};
}

inline Graph imported(const GraphSpec& spec) {
  auto g = import_graph(spec);
  EXPECT_TRUE(g.ok()) << g.status();
  return g.ok() ? *std::move(g) : Graph();
}

inline Graph lowered(const GraphSpec& spec) {
  Graph g = imported(spec);
  const Status s = lower_functions(g);
  EXPECT_TRUE(s.ok()) << s;
  return g;
}

// "name input input ^control", by node.
inline std::vector<std::string> inputs_of(const Graph& g) {
  std::vector<std::string> lines;
  for (const NodeId n : g.op_nodes()) {
    const NodeSpec spec = spec_of(g, n, "");
    std::string line = spec.name;
    for (const std::string& input : spec.inputs) line += " " + input;
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace tarry
