// What the ops of a pipeline wait for.

#include "results/pipeline/pipeline_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/pipeline/made_pipeline.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;
using enum PipelineOp;

struct MadeGraph {
  PipelineTrace trace;
  PipelineGraph graph;

  explicit MadeGraph(const MadePipeline& made = {})
      : trace(parse_pipeline_trace(made.text(), "t").value()), graph(pipeline_graph(trace).value()) {}

  [[nodiscard]] std::uint32_t find(const PipelineNode& node) const {
    return static_cast<std::uint32_t>(std::ranges::find(trace.nodes, node) - trace.nodes.begin());
  }
  [[nodiscard]] std::vector<PipelineNode> needs(PipelineOp op, std::uint32_t stage, std::uint32_t number = 0) const {
    std::vector<PipelineNode> all;
    for (const std::uint32_t n : graph.needs[find({op, stage, number})]) all.push_back(trace.nodes[n]);
    return all;
  }
  [[nodiscard]] const PipelineGroup& group(PipelineOp op, std::uint32_t stage, std::uint32_t number = 0) const {
    const std::uint32_t node = find({op, stage, number});
    return *std::ranges::find_if(graph.groups,
                                 [&](const PipelineGroup& g) { return std::ranges::count(g.members, node) == 1; });
  }
};

PipelineNode node(PipelineOp op, std::uint32_t stage, std::uint32_t number = 0) { return {op, stage, number}; }

std::string refusal(const MadePipeline& made) {
  const PipelineTrace trace = parse_pipeline_trace(made.text(), "t").value();
  const auto graph = pipeline_graph(trace);
  return graph.ok() ? "" : std::string(text_of(graph.status()));
}
MadePipeline without(const std::string& name, int stage, int number) {
  MadePipeline made;
  made.edit = [=](const MadeOp& op, std::string event) {
    return op.name == name && op.stage == stage && op.number == number ? "" : event;
  };
  return made;
}

TEST(PipelineGraphs, let_computations_of_a_stage_follow_each_other) {
  const MadeGraph g;
  EXPECT_THAT(g.needs(forward_compute, 0, 1), UnorderedElementsAre(node(forward_compute, 0)));
  EXPECT_THAT(g.needs(backward_compute, 0), UnorderedElementsAre(node(forward_compute, 0, 1), node(backward_recv, 0)));
  EXPECT_THAT(g.needs(forward_compute, 1, 1),
              UnorderedElementsAre(node(backward_compute, 1), node(forward_recv, 1, 1)));
}

TEST(PipelineGraphs, send_what_is_computed_and_compute_what_is_received) {
  const MadeGraph g;
  EXPECT_THAT(g.needs(forward_send, 0, 1), UnorderedElementsAre(node(forward_compute, 0, 1), node(forward_send, 0)));
  EXPECT_THAT(g.needs(forward_recv, 1, 1), UnorderedElementsAre(node(forward_recv, 1), node(forward_compute, 1)));
  EXPECT_THAT(g.needs(backward_send, 1), UnorderedElementsAre(node(backward_compute, 1)));
}

TEST(PipelineGraphs, begin_backward_transfers_two_computations_before_the_first_backward_one) {
  const MadeGraph g;
  EXPECT_THAT(g.needs(backward_recv, 0), UnorderedElementsAre(node(forward_compute, 0)));
}

TEST(PipelineGraphs, gather_parameters_first_and_reduce_gradients_last) {
  const MadeGraph g;
  EXPECT_THAT(g.needs(forward_compute, 0), UnorderedElementsAre(node(params_all_gather, 0)));
  EXPECT_THAT(g.needs(gc, 0), UnorderedElementsAre(node(backward_compute, 0, 1)));
  EXPECT_THAT(g.needs(layernorm_grads_all_reduce, 0), UnorderedElementsAre(node(gc, 0)));
  EXPECT_THAT(g.needs(embedding_grads_all_reduce, 0), UnorderedElementsAre(node(layernorm_grads_all_reduce, 0)));
  EXPECT_THAT(g.needs(grads_reduce_scatter, 0),
              UnorderedElementsAre(node(params_all_gather, 0), node(embedding_grads_all_reduce, 0)));
  EXPECT_THAT(g.needs(optimizer_clip_main_grad, 0), UnorderedElementsAre(node(grads_reduce_scatter, 0)));
  EXPECT_THAT(g.needs(optimizer, 0), UnorderedElementsAre(node(optimizer_clip_main_grad, 0)));
}

TEST(PipelineGraphs, let_the_reduction_overlap_where_a_separate_one_comes_after) {
  MadePipeline made;
  made.edit = [](const MadeOp& op, std::string event) {
    if (op.name != "optimizer") return event;
    std::string separate = event;
    return event + "," + separate.replace(separate.find("\"optimizer\""), 11, "\"separate-grads-all-reduce\"");
  };
  const MadeGraph g(made);
  EXPECT_THAT(g.needs(grads_reduce_scatter, 1),
              UnorderedElementsAre(node(params_all_gather, 1), node(backward_compute, 1, 1)));
  EXPECT_THAT(g.needs(layernorm_grads_all_reduce, 1), UnorderedElementsAre(node(gc, 1), node(grads_reduce_scatter, 1)));
  EXPECT_THAT(g.needs(separate_grads_all_reduce, 1), UnorderedElementsAre(node(embedding_grads_all_reduce, 1)));
  EXPECT_THAT(g.needs(optimizer_clip_main_grad, 1), UnorderedElementsAre(node(separate_grads_all_reduce, 1)));
  EXPECT_TRUE(g.group(separate_grads_all_reduce, 1).is_of_all_replicas);
}

TEST(PipelineGraphs, know_who_communicates_with_whom) {
  const MadeGraph g;
  EXPECT_THAT(g.group(forward_send, 0, 1).members,
              UnorderedElementsAre(g.find({forward_send, 0, 1}), g.find({forward_recv, 1, 1})));
  EXPECT_THAT(g.group(backward_send, 1).members,
              UnorderedElementsAre(g.find({backward_send, 1, 0}), g.find({backward_recv, 0, 0})));
  EXPECT_EQ(g.group(embedding_grads_all_reduce, 0).members.size(), 2u);
  EXPECT_EQ(g.group(optimizer_clip_main_grad, 0).members.size(), 2u);
  EXPECT_TRUE(g.group(optimizer_clip_main_grad, 0).is_of_all_replicas);
  EXPECT_TRUE(g.group(grads_reduce_scatter, 0).is_of_all_replicas);
  EXPECT_FALSE(g.group(embedding_grads_all_reduce, 0).is_of_all_replicas);
  EXPECT_EQ(g.group(optimizer, 0).members.size(), 1u);
}

TEST(PipelineGraphs, refuse_stages_that_lack_an_op) {
  EXPECT_THAT(refusal(without("forward-send", 0, 1)),
              HasSubstr("stage 0 has 1 'forward-send' and 2 'forward-compute'"));
  EXPECT_THAT(refusal(without("forward-recv", 1, 1)),
              HasSubstr("stage 1 has 1 'forward-recv' and 2 'forward-compute'"));
  EXPECT_THAT(refusal(without("gc", 1, 0)), HasSubstr("stage 1 has 'gc' 0 times, expected once"));
  EXPECT_THAT(refusal(without("embedding-grads-all-reduce", 1, 0)), HasSubstr("in stage 1 it is 0 times"));
  MadePipeline none;
  none.edit = [](const MadeOp& op, std::string event) { return op.name.starts_with("backward") ? "" : event; };
  EXPECT_THAT(refusal(none), HasSubstr("stage 0 has no forward-compute, or no backward-compute"));
}

TEST(PipelineGraphs, refuse_a_circle) {
  // The first stage begins backwards before it has sent what the last one computes that from.
  MadePipeline made;
  made.edit = [](const MadeOp& op, std::string event) {
    const bool comes_last = op.stage == 0 && op.name == "forward-compute" && op.number == 0;
    const std::size_t at = event.find("\"ts\": ");
    return comes_last ? event.insert(at + 6, "9") : event;
  };
  EXPECT_THAT(refusal(made), HasSubstr("the ops of the trace wait for each other in a circle"));
}

}  // namespace
}  // namespace tarry
