#include "workers/master/client_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "placer/core/check.hpp"
#include "placer/graph/import.hpp"

namespace tarry {
namespace {

using testing::UnorderedElementsAre;
using Names = std::vector<std::string>;

const ClientDevice kClient{DeviceId{0u}, "/job:worker/replica:0/task:0/device:CPU:0", 0x2a};

NodeSpec op_node(std::string op, std::string name, Names inputs, Attrs attrs = {{"T", DataType::kFloat}}) {
  return {std::move(name), std::move(op), kClient.name, std::move(inputs), std::move(attrs)};
}
NodeSpec constant(std::string name) {
  const TensorSpec zero{DataType::kFloat, Shape(), {}, {}};
  return op_node("Const", std::move(name), {},
                 {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(zero)}});
}

Graph graph_of(std::vector<NodeSpec> nodes) {
  auto g = import_graph({std::move(nodes)});
  check(g.ok(), g.ok() ? "" : std::string(text_of(g.status())).c_str());
  for (const NodeId n : g->op_nodes()) g->node(n).assigned = kClient.id;
  return *std::move(g);
}

// m = p * c, d = m; after_c and after_p wait for c and p by control edges.
Graph example() {
  return graph_of({constant("c"), op_node("Placeholder", "p", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}),
                   op_node("Mul", "m", {"p", "c"}), op_node("Identity", "d", {"m"}),
                   op_node("NoOp", "after_c", {"^c"}, {}), op_node("NoOp", "after_p", {"^p"}, {})});
}

StatusOr<Graph> client(const Graph& g, Signature s) { return make_client_graph(g, nullptr, s, kClient); }

std::string refusal(Signature s) {
  const auto g = client(example(), std::move(s));
  return g.ok() ? "ok" : code_name(g.status().code()) + ": " + std::string(text_of(g.status()));
}

std::set<std::string> names(const Graph& g) {
  std::set<std::string> out;
  for (const NodeId n : g.op_nodes()) out.emplace(g.name(n));
  return out;
}
std::string producer(const Graph& g, const char* consumer, int slot) {
  return std::string(g.name(g.edge(g.input_edge(g.find(consumer), slot)).src));
}
Names control_inputs(const Graph& g, const char* consumer) {
  Names out;
  for (const EdgeId e : g.in_edges(g.find(consumer)))
    if (g.edge(e).is_control()) out.emplace_back(g.name(g.edge(e).src));
  return out;
}

// --- every text of docs/rules/runtime.md#A.3 ----

TEST(ClientGraphRefuses, a_run_that_asks_for_nothing) {
  EXPECT_EQ(refusal({}), "INVALID_ARGUMENT: Must specify at least one target to fetch or execute.");
  EXPECT_EQ(refusal({{"p:0"}, {}, {}}), "INVALID_ARGUMENT: Must specify at least one target to fetch or execute.");
}
TEST(ClientGraphRefuses, a_tensor_fed_twice) {
  EXPECT_EQ(refusal({{"c:0", "c:0"}, {"d:0"}, {}}), "INVALID_ARGUMENT: Endpoint \"c:0\" fed more than once.");
}
TEST(ClientGraphRefuses, a_tensor_fed_and_fetched) {
  EXPECT_EQ(refusal({{"c:0"}, {"c:0"}, {}}), "INVALID_ARGUMENT: c:0 is both fed and fetched.");
}
TEST(ClientGraphRefuses, a_feed_of_nothing) {
  EXPECT_EQ(refusal({{"nobody:0"}, {"d:0"}, {}}), "NOT_FOUND: FeedInputs: unable to find feed output nobody:0");
}
TEST(ClientGraphRefuses, a_feed_of_an_output_that_is_not_there) {
  EXPECT_EQ(refusal({{"c:1"}, {"d:0"}, {}}), "INVALID_ARGUMENT: FeedInputs: c:1 should have output index < 1");
}
TEST(ClientGraphRefuses, a_fetch_of_nothing) {
  EXPECT_EQ(refusal({{}, {"nobody:0"}, {}}), "NOT_FOUND: FetchOutputs node nobody:0: not found");
}
TEST(ClientGraphRefuses, a_fetch_of_an_operation) {
  EXPECT_EQ(refusal({{}, {"after_c:0"}, {}}),
            "INVALID_ARGUMENT: Tried to fetch data for 'after_c:0', which produces no output.  To run to a node but "
            "not fetch any data, pass "
            "'after_c:0' as an argument to the 'target_node_names' argument of the Session::Run API.");
}
TEST(ClientGraphRefuses, a_fetch_of_an_output_that_is_not_there) {
  EXPECT_EQ(refusal({{}, {"c:1"}, {}}), "INVALID_ARGUMENT: FetchOutputs c:1: output index too large, must be < 1");
}
TEST(ClientGraphRefuses, a_fetch_of_a_control_edge) {
  EXPECT_EQ(
      refusal({{}, {"^c"}, {}}),
      "INVALID_ARGUMENT: Attempt to add output -1 of c not in range [0, 1) to node with type _Send. Node: {{node c}}");
}
TEST(ClientGraphRefuses, targets_that_are_not_there_all_at_once) {
  EXPECT_EQ(refusal({{}, {}, {"d", "nobody"}}), "NOT_FOUND: PruneForTargets: Some target nodes not found: nobody ");
  EXPECT_EQ(refusal({{}, {}, {"no", "one"}}), "NOT_FOUND: PruneForTargets: Some target nodes not found: no one ");
}

// --- the rewritten graph ----

TEST(ClientGraph, a_feed_becomes_a_receive_and_what_it_replaces_is_pruned) {
  const auto g = client(example(), {{"p:0"}, {"d:0"}, {}});
  ASSERT_TRUE(g.ok());
  EXPECT_THAT(names(*g), UnorderedElementsAre("c", "m", "d", "_recv_p_0", "_send_d_0"));
  EXPECT_EQ(producer(*g, "m", 0), "_recv_p_0");
  EXPECT_EQ(producer(*g, "m", 1), "c");
  EXPECT_EQ(producer(*g, "_send_d_0", 0), "d");
}

TEST(ClientGraph, transfers_with_the_client_carry_its_device_and_the_endpoint_as_given) {
  const auto g = client(example(), {{"p"}, {"d:0"}, {}});
  ASSERT_TRUE(g.ok());
  for (const auto& [name, tensor] : {std::pair("_recv_p_0", "p"), std::pair("_send_d_0", "d:0")}) {
    const NodeId n = g->find(name);
    ASSERT_TRUE(n.valid()) << name;
    const Attrs& attrs = g->node(n).attrs;
    EXPECT_EQ(*attrs.get<std::string>("tensor_name"), tensor);
    EXPECT_EQ(*attrs.get<std::string>("send_device"), kClient.name);
    EXPECT_EQ(*attrs.get<std::string>("recv_device"), kClient.name);
    EXPECT_EQ(*attrs.get<std::int64_t>("send_device_incarnation"), 0x2a);
    EXPECT_TRUE(*attrs.get<bool>("client_terminated"));
    EXPECT_EQ(g->node(n).assigned, kClient.id);
  }
}

TEST(ClientGraph, a_fed_placeholder_gives_its_control_edges_to_the_receive) {
  const auto g = client(example(), {{"p:0"}, {}, {"after_p"}});
  ASSERT_TRUE(g.ok());
  EXPECT_THAT(names(*g), UnorderedElementsAre("after_p", "_recv_p_0"));
  EXPECT_EQ(control_inputs(*g, "after_p"), Names{"_recv_p_0"});
}

TEST(ClientGraph, any_other_fed_node_keeps_them_and_still_runs) {
  const auto g = client(example(), {{"c:0"}, {"d:0"}, {"after_c"}});
  ASSERT_TRUE(g.ok());
  EXPECT_TRUE(g->find("c").valid());
  EXPECT_EQ(control_inputs(*g, "after_c"), Names{"c"});
  EXPECT_EQ(producer(*g, "m", 1), "_recv_c_0");
}

TEST(ClientGraph, a_target_runs_without_being_sent) {
  const auto g = client(example(), {{}, {}, {"after_c"}});
  ASSERT_TRUE(g.ok());
  EXPECT_THAT(names(*g), UnorderedElementsAre("c", "after_c"));
}

TEST(ClientGraph, counts_its_edges_anew) {
  const auto g = client(example(), {{"p:0"}, {"d:0"}, {}});
  ASSERT_TRUE(g.ok());
  EXPECT_EQ(g->edge_slots(), g->edge_count());  // no number was left out
}

TEST(ClientGraph, leaves_the_sessions_graph_alone) {
  const Graph full = example();
  ASSERT_TRUE(client(full, {{"p:0"}, {"d:0"}, {}}).ok());
  EXPECT_THAT(names(full), UnorderedElementsAre("c", "p", "m", "d", "after_c", "after_p"));
}

TEST(ClientGraph, a_tensor_travels_under_the_clients_key) {
  EXPECT_EQ(client_key("d:0", kClient), kClient.name + ";000000000000002a;" + kClient.name + ";d:0;0:0");
}

TEST(Endpoint, names_a_node_and_an_output) {
  EXPECT_EQ(parse_endpoint("x:2").node, "x");
  EXPECT_EQ(parse_endpoint("x:2").slot, 2);
  EXPECT_EQ(parse_endpoint("a/x").slot, 0);
  EXPECT_EQ(parse_endpoint("^x").slot, -1);
}

// Node i > 0 adds two earlier ones: what is left of the graph is what the fetch reaches backwards, no more and no less.
RC_GTEST_PROP(ClientGraphProperty, holds_exactly_the_ancestors_of_what_is_fetched, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<NodeSpec> nodes{constant("n0")};
  std::vector<std::set<std::string>> needs{{"n0"}};
  for (std::size_t i = 1; i < count; ++i) {
    const auto a = *rc::gen::inRange<std::size_t>(0, i), b = *rc::gen::inRange<std::size_t>(0, i);
    nodes.push_back(op_node("Add", fmt::format("n{}", i), {nodes[a].name, nodes[b].name}));
    needs.push_back(needs[a]);
    needs[i].insert(needs[b].begin(), needs[b].end());
    needs[i].insert(nodes[i].name);
  }
  const auto fetched = *rc::gen::inRange<std::size_t>(0, count);
  const auto g = client(graph_of(nodes), {{}, {nodes[fetched].name + ":0"}, {}});
  RC_ASSERT(g.ok());
  auto expected = needs[fetched];
  expected.insert("_send_" + nodes[fetched].name + "_0");
  RC_ASSERT(names(*g) == expected);
}

TEST(ClientGraph, takes_a_tensor_once_that_is_named_with_and_without_its_slot) {
  const auto g = client(example(), {{"p", "p:0"}, {"d", "d:0"}, {}});
  ASSERT_TRUE(g.ok()) << g.status();
  EXPECT_THAT(names(*g), testing::IsSupersetOf({"_recv_p_0", "_send_d_0"}));
}

// Edges are numbered, and numbers show in keys: what a fed Placeholder without consumers has to the sink goes to the
// node that feeds it, and comes back last.
TEST(ClientGraph, a_fed_placeholder_that_nobody_reads_is_tied_to_the_sink_anew) {
  const Graph full = graph_of({op_node("Placeholder", "p", {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}),
                               constant("c"), op_node("Identity", "d", {"c"})});
  const Graph g = client(full, {{"p:0"}, {"d:0"}, {"p"}}).value();
  const Edge& last = g.edge(EdgeId{g.edge_slots() - 1});
  EXPECT_EQ(g.name(last.src), "p");
  EXPECT_EQ(last.dst, kSink);
}

// ---- small constants ----

// Two tasks, the second one with a GPU too; a constant of so many elements on the first.
struct TwoTasks {
  DeviceSet devices;
  std::int64_t elements = 16;
  std::vector<NodeSpec> nodes;

  TwoTasks() {
    for (const char* device : {"/job:worker/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0",
                               "/job:worker/replica:0/task:1/device:GPU:0"})
      check(devices.add(device).ok(), "a device's name");
  }
  void add_constant(const char* device, Names inputs = {}) {
    const TensorSpec values{
        DataType::kFloat, Shape({elements}), std::string(static_cast<std::size_t>(4 * elements), '\0'), {}};
    nodes.push_back({"c",
                     "Const",
                     device,
                     std::move(inputs),
                     {{"dtype", DataType::kFloat}, {"value", std::make_shared<const TensorSpec>(values)}}});
  }
  void add(const char* name, const char* device, Names inputs = {"c"}) {
    nodes.push_back({name, "Neg", device, std::move(inputs), {{"T", DataType::kFloat}}});
  }
  // "name at device of inputs", of every constant and Neg.
  Names after(Names targets) {
    auto g = import_graph({nodes});
    check(g.ok(), "the nodes make a graph");
    for (const NodeId n : g->op_nodes()) g->node(n).assigned = devices.find(g->requested_device(n));
    const Graph made = make_client_graph(*g, &devices, {{}, {}, std::move(targets)}, kClient).value();
    Names out;
    for (const NodeId n : made.op_nodes()) {
      std::string text = fmt::format("{} at {}", made.name(n), devices[made.node(n).assigned].name.substr(22));
      for (const EdgeId e : made.in_edges(n))
        if (made.edge(e).src != kSource) text += fmt::format(" of {}", made.name(made.edge(e).src));
      out.push_back(text);
    }
    return out;
  }
};

constexpr const char *kHere = "/job:worker/replica:0/task:0/device:CPU:0",
                     *kThere = "/job:worker/replica:0/task:1/device:CPU:0",
                     *kGpuThere = "/job:worker/replica:0/task:1/device:GPU:0";

TEST(ClientGraph, copies_a_small_constant_to_the_cpu_of_each_task_that_reads_it) {
  TwoTasks t;
  t.add_constant(kHere);
  t.add("here", kHere);
  t.add("there", kThere);
  t.add("gpu", kGpuThere);
  EXPECT_THAT(t.after({"here", "there", "gpu"}),
              UnorderedElementsAre("c/replicate/_0 at task:0/device:CPU:0", "c/replicate/_1 at task:1/device:CPU:0",
                                   "here at task:0/device:CPU:0 of c/replicate/_0",
                                   "there at task:1/device:CPU:0 of c/replicate/_1",
                                   "gpu at task:1/device:GPU:0 of c/replicate/_1"));
}

TEST(ClientGraph, leaves_a_constant_whose_readers_are_of_one_task_or_that_is_on_a_gpu_or_large) {
  TwoTasks one, gpu, large;
  large.elements = 17;
  for (TwoTasks* t : {&one, &gpu, &large}) {
    t->add_constant(t == &gpu ? kGpuThere : kHere);
    t->add("a", kThere);
    t->add("b", t == &one ? kGpuThere : kHere);
    EXPECT_THAT(t->after({"a", "b"}), testing::Contains(testing::StartsWith("c at")));
  }
}

TEST(ClientGraph, leaves_a_constant_that_something_waits_for_and_copies_what_a_constant_waits_for) {
  TwoTasks waited_for, waits;
  waited_for.add_constant(kHere);
  waits.add("first", kHere, {"p"});
  waits.nodes.push_back({"p", "Placeholder", kHere, {}, {{"dtype", DataType::kFloat}, {"shape", Shape()}}});
  waits.add_constant(kHere, {"^first"});
  for (TwoTasks* t : {&waited_for, &waits}) {
    t->add("a", kThere);
    t->add("b", kHere);
  }
  waited_for.add("d", kHere, {"a", "^c"});
  EXPECT_THAT(waited_for.after({"d", "b"}), testing::Contains("c at task:0/device:CPU:0"));
  EXPECT_THAT(waits.after({"a", "b"}), testing::IsSupersetOf({"c/replicate/_0 at task:0/device:CPU:0 of first",
                                                              "c/replicate/_1 at task:1/device:CPU:0 of first"}));
}

}  // namespace
}  // namespace tarry
