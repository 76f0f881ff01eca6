// Another number of initial tokens in a graph that is there (initial_tokens.hpp).

#include "workers/train/build/initial_tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workers/train/build/graph_editor.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

const std::string kTokensAt = "/job:ps/task:0";

// A chief's graph whose op "put" puts what "made" gives.
ClientProgram chief_that_puts(NodeSpec made) {
  GraphSpec g;
  g.nodes = {constant("number", kTokensAt, DataType::kInt32, int_tensor(DataType::kInt32, {2})),
             constant("step", kTokensAt, DataType::kInt64, int_tensor(DataType::kInt64, {0}, true)),
             {"fill", "Fill", kTokensAt, {"number", "step"}, {{"T", DataType::kInt64}, {"_output_shapes", "[2]"}}},
             {"queue", "FIFOQueueV2", kTokensAt, {}, {}},
             std::move(made),
             {"put", "QueueEnqueueManyV2", kTokensAt, {"queue", "made"}, {}}};
  ClientProgram p{.name = "mine", .graph = std::make_shared<const GraphSpec>(g), .task = "/job:worker/task:0"};
  p.is_chief = true;
  p.sync = SyncProgram{.init_tokens_op = "put"};
  return p;
}
NodeSpec identity(const std::string& as) { return {"made", "Identity", kTokensAt, {as}, {{"T", DataType::kInt64}}}; }

const NodeSpec& node_of_graph(const ClientProgram& p, const std::string& name) {
  return *std::ranges::find(p.graph->nodes, name, &NodeSpec::name);
}
std::string refused_tokens(ClientProgram p) {
  const Status s = set_initial_tokens(p, 5);
  return s.ok() ? "none" : std::string(text_of(s));
}

TEST(InitialTokens, of_another_number_are_filled_on_the_same_server) {
  ClientProgram p = chief_that_puts(identity("fill"));
  ASSERT_EQ(set_initial_tokens(p, 5), Status());
  const NodeSpec fill = node_of_graph(p, "fill");
  EXPECT_EQ(node_of_graph(p, fill.inputs.at(0)),
            constant(fill.inputs.at(0), kTokensAt, DataType::kInt32, int_tensor(DataType::kInt32, {5})));
  EXPECT_EQ(fill.inputs.at(1), "step") << "what the tokens say stays";
  EXPECT_EQ(fill.attrs.find("_output_shapes"), nullptr) << "it said the old number";
}

TEST(InitialTokens, are_found_behind_any_number_of_identities) {
  ClientProgram p = chief_that_puts(identity("between"));
  GraphSpec g = *p.graph;
  g.nodes.push_back({"between", "Identity", kTokensAt, {"fill:0", "^queue"}, {{"T", DataType::kInt64}}});
  p.graph = std::make_shared<const GraphSpec>(g);
  EXPECT_EQ(refused_tokens(p), "none");
}

TEST(InitialTokens, behind_identities_that_lead_nowhere_are_refused) {
  for (const char* input : {"made", "nobody", ""}) {
    NodeSpec made = identity(input);
    if (made.inputs.front().empty()) made.inputs.clear();
    EXPECT_THAT(refused_tokens(chief_that_puts(made)), HasSubstr("does not put a number of equal tokens")) << input;
  }
}

TEST(InitialTokens, are_the_chiefs_of_synchronous_training_alone) {
  for (const auto& change : std::vector<std::function<void(ClientProgram&)>>{
           [](ClientProgram& p) { p.is_chief = false; }, [](ClientProgram& p) { p.sync.reset(); },
           [](ClientProgram& p) { p.sync->init_tokens_op = ""; }}) {
    ClientProgram p = chief_that_puts(identity("fill"));
    change(p);
    const auto before = p.graph;
    EXPECT_EQ(set_initial_tokens(p, 5), Status());
    EXPECT_EQ(p.graph, before);
  }
}

TEST(InitialTokens, that_are_no_number_of_equal_ones_are_refused) {
  const std::string said =
      "num_tokens: 5: 'put' of the graph mine does not put a number of equal tokens; expected a graph that was built "
      "with initial tokens";
  EXPECT_EQ(refused_tokens(chief_that_puts(identity("step"))), said) << "each written";
  EXPECT_EQ(refused_tokens(chief_that_puts(identity("nothing"))), said) << "made by a node that is not there";
  ClientProgram p = chief_that_puts(identity("fill"));
  GraphSpec g = *p.graph;
  g.nodes.push_back({"none", "QueueEnqueueManyV2", kTokensAt, {"queue"}, {}});
  p.graph = std::make_shared<const GraphSpec>(g);
  p.sync->init_tokens_op = "none";
  EXPECT_THAT(refused_tokens(p), HasSubstr("'none' of the graph mine")) << "an op without tokens";
  p.sync->init_tokens_op = "queue";
  EXPECT_THAT(refused_tokens(p), HasSubstr("'queue' of the graph mine")) << "an op that puts nothing";
  p.sync->init_tokens_op = "nobody";
  EXPECT_THAT(refused_tokens(p), HasSubstr("'nobody' of the graph mine")) << "an op that is not there";
}

}  // namespace
}  // namespace tarry
