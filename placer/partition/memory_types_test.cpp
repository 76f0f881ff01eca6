#include "placer/partition/memory_types.hpp"

#include <gtest/gtest.h>

#include "placer/graph/import.hpp"

namespace tarry {
namespace {

// Nodes of a few ops that differ in what memory types depend on: types, numbers of inputs, lists of slots.
Graph mixed_graph() {
  const Attrs floats = {{"T", DataType::kFloat}}, ints = {{"T", DataType::kInt32}};
  GraphSpec spec;
  spec.versions.producer = 21;
  spec.nodes = {{"f", "Placeholder", "", {}, {{"dtype", DataType::kFloat}}},
                {"i", "Placeholder", "", {}, {{"dtype", DataType::kInt32}}},
                {"sum_f", "Add", "", {"f", "f"}, floats},
                {"sum_i", "Add", "", {"i", "i"}, ints},
                {"two", "AddN", "", {"f", "f"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}},
                {"three", "AddN", "", {"f", "f", "f"}, {{"T", DataType::kFloat}, {"N", std::int64_t{3}}}},
                {"on_host", "Add", "", {"f", "f"}, {{"T", DataType::kFloat}, {"_output_hostmem", AttrList{.i = {0}}}}},
                {"shape_f", "Shape", "", {"f"}, {{"T", DataType::kFloat}, {"out_type", DataType::kInt32}}},
                {"shape_i", "Shape", "", {"i"}, {{"T", DataType::kInt32}, {"out_type", DataType::kInt32}}},
                {"again_f", "Add", "", {"sum_f", "f"}, floats},
                {"again_i", "Add", "", {"sum_i", "i"}, ints}};
  return import_graph(spec).value();
}

TEST(KnownMemoryTypes, are_those_of_each_node_alone) {
  const Graph g = mixed_graph();
  const Rules rules = rules_2_15();
  KnownMemoryTypes known(kernels_of_tf215(), rules);
  for (const std::string device : {"GPU", "CPU", "GPU"})
    for (const NodeId n : g.op_nodes()) {
      const MemoryTypes alone = memory_types(g, n, device, kernels_of_tf215(), rules).value();
      const MemoryTypes& found = *known.of(g, n, device).value();
      EXPECT_EQ(found.inputs, alone.inputs) << g.name(n) << " on " << device;
      EXPECT_EQ(found.outputs, alone.outputs) << g.name(n) << " on " << device;
    }
}

TEST(KnownMemoryTypes, nodes_of_one_kind_get_one_answer) {
  const Graph g = mixed_graph();
  const Rules rules = rules_2_15();
  KnownMemoryTypes known(kernels_of_tf215(), rules);
  const auto of = [&](const char* node) { return known.of(g, g.find(node), "GPU").value(); };
  EXPECT_EQ(of("sum_f"), of("again_f"));
  EXPECT_NE(of("sum_f"), of("sum_i"));
  EXPECT_NE(of("two"), of("three"));
}

}  // namespace
}  // namespace tarry
