// How an error names the node that it is about.

#include "workers/executor/named.hpp"

#include <gtest/gtest.h>

#include "placer/core/status.hpp"
#include "placer/graph/import.hpp"
#include "placer/graph/stack_traces.hpp"

namespace tarry {
namespace {

constexpr char kOrigin[] = "{{function_node f}}{{node n}}";

// Of the node c/n, which was "n" in the body of f.
std::string name_of(const std::string& op, DataType type, const std::string& device = "", bool runs_apart = false) {
  NodeSpec n{"c/n", op, device, {"x", "x"}, {{"T", type}, {kInlinedFrom, std::string(kOrigin)}}};
  if (runs_apart) n.attrs.set(kCallers, AttrList{});
  if (op == "Conv2D") {
    AttrList strides;
    strides.i = {1, 1, 1, 1};
    n.attrs.set("strides", strides), n.attrs.set("padding", std::string("SAME"));
  }
  const GraphSpec spec{{{"x", "Placeholder", "", {}, {{"dtype", type}}}, n}, {}, {}};
  const Graph g = import_graph(spec).value();
  const std::string text(text_of(named(invalid("wrong"), g, "c/n")));
  return text.substr(text.find("[[") + 2, text.rfind("]]") - text.find("[[") - 2);
}

TEST(Named, is_a_node_of_a_body_as_the_body_names_it) {
  EXPECT_EQ(name_of("AddV2", DataType::kFloat), kOrigin);
  EXPECT_EQ(name_of("MatMul", DataType::kDouble), kOrigin);
  EXPECT_EQ(name_of("MatMul", DataType::kFloat, "/device:GPU:0"), kOrigin);
  EXPECT_EQ(name_of("MatMul", DataType::kFloat, "", true), kOrigin) << "it has a graph of its own";
}

TEST(Named, is_a_node_that_oneDNN_replaces_by_its_full_name) {
  for (const char* op : {"MatMul", "BatchMatMulV2", "Conv2D"})
    for (const DataType type : {DataType::kFloat, DataType::kBfloat16})
      EXPECT_EQ(name_of(op, type, "/device:CPU:0"), "{{node c/n}}") << op;
}

}  // namespace
}  // namespace tarry
