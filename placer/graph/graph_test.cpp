#include "placer/graph/graph.hpp"

#include <gtest/gtest.h>

#include <boost/concept/assert.hpp>
#include <boost/graph/graph_concepts.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/vector_property_map.hpp>

#include "placer/graph/boost_graph.hpp"
#include "placer/graph/import.hpp"

namespace tarry {
namespace {

BOOST_CONCEPT_ASSERT((boost::BidirectionalGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::VertexListGraphConcept<Graph>));
BOOST_CONCEPT_ASSERT((boost::EdgeListGraphConcept<Graph>));

NodeSpec relu_node(std::string name, std::vector<std::string> inputs) {
  return {std::move(name), "Relu", "", std::move(inputs), {{"T", DataType::kFloat}}};
}
NodeSpec constant(std::string name) { return {std::move(name), "Placeholder", "", {}, {{"dtype", DataType::kFloat}}}; }

TEST(Graph, a_new_graph_has_source_and_sink_joined_by_edge_0) {
  const Graph g;
  EXPECT_EQ(g.node_count(), 2u);
  EXPECT_EQ(g.edge(EdgeId{0u}).src, kSource);
  EXPECT_EQ(g.edge(EdgeId{0u}).dst, kSink);
}

TEST(Graph, edges_are_visited_in_the_order_in_which_they_were_added) {
  const auto g = import_graph({{constant("a"), constant("b"), relu_node("c", {"a", "^b"}), relu_node("d", {"a"})}});
  ASSERT_TRUE(g.ok()) << g.status();
  std::vector<std::string> inputs, outputs;
  for (const EdgeId e : g->in_edges(g->find("c"))) inputs.emplace_back(g->name(g->edge(e).src));
  for (const EdgeId e : g->out_edges(g->find("a"))) outputs.emplace_back(g->name(g->edge(e).dst));
  EXPECT_EQ(inputs, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(outputs, (std::vector<std::string>{"c", "d"}));
}

TEST(Graph, a_removed_node_takes_its_edges_along_and_its_numbers_are_not_used_again) {
  auto g = *import_graph({{constant("a"), relu_node("b", {"a"}), relu_node("c", {"b"})}});
  const std::size_t edges = g.edge_count();
  const std::size_t slots = g.edge_slots();
  g.remove_node(g.find("b"));
  EXPECT_FALSE(g.find("b").valid());
  EXPECT_EQ(g.edge_count(), edges - 2);
  EXPECT_EQ(g.add_control_edge(g.find("a"), g.find("c")), EdgeId{slots});
}

TEST(Graph, a_copy_shares_nothing_that_changes) {
  const auto g = *import_graph({{constant("a"), relu_node("b", {"a"})}});
  Graph copy = g;
  copy.remove_node(copy.find("b"));
  EXPECT_TRUE(g.find("b").valid());
  EXPECT_EQ(g.name(g.find("b")), "b");
}

TEST(Graph, boost_finds_the_strong_component_that_a_loop_makes) {
  const auto g = *import_graph({{constant("a"),
                                 {"e", "Enter", "", {"a"}, {{"T", DataType::kFloat}, {"frame_name", "f"}}},
                                 {"m", "Merge", "", {"e", "n"}, {{"T", DataType::kFloat}, {"N", std::int64_t{2}}}},
                                 {"n", "NextIteration", "", {"m"}, {{"T", DataType::kFloat}}}}});
  std::vector<int> component(g.node_slots());
  boost::strong_components(g, boost::make_iterator_property_map(component.begin(), NodeIndexMap{}),
                           boost::vertex_index_map(NodeIndexMap{}));
  EXPECT_EQ(component[g.find("m").index()], component[g.find("n").index()]);
  EXPECT_NE(component[g.find("m").index()], component[g.find("e").index()]);
}

TEST(Graph, a_node_is_written_down_as_it_was_read) {
  const NodeSpec node = relu_node("c", {"a", "^b"});
  const auto g = *import_graph({{constant("a"), constant("b"), node}});
  EXPECT_EQ(spec_of(g, g.find("c"), "").inputs, node.inputs);
}

}  // namespace
}  // namespace tarry
