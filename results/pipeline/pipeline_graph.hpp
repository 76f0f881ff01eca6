// What each op of a pipeline's trace waits for, and with which others it communicates.
//
// The rules are those of the analysis whose traces are read (pipeline_trace.hpp), for a model with one part a stage:
// - The computations of a stage follow each other, in the order in which the first replica began them in the first
//   step. So do the ops of each kind of transfer between stages, and params-all-gather with grads-reduce-scatter.
// - The n-th send comes after the n-th computation of its direction. The n-th receive comes before it, and after the
//   computation before that. The first backward transfers come after the last but one computation before the first
//   backward one.
// - The first forward computation comes after the last params-all-gather.
// - After the last computation come gc, the gradients of layer norms, those of embeddings (first and last stage), each
//   grads-reduce-scatter, the clipping and the optimizer. Where a stage has separate-grads-all-reduce, each
//   grads-reduce-scatter overlaps the backward computations, and that op comes before the clipping.
// - A send and its receive are one transfer. The embeddings' gradients are one between the first and the last stage,
//   the clipping is one of all stages. The clipping, and what gathers or reduces, is one of all replicas.
#pragma once

#include "results/pipeline/pipeline_trace.hpp"

namespace tarry {

// Ops that end together, each when its own time has passed since the last of them could begin.
struct PipelineGroup {
  std::vector<std::uint32_t> members;  // nodes of the trace
  bool is_of_all_replicas = false;
};

struct PipelineGraph {
  std::vector<std::vector<std::uint32_t>> needs;  // by node: nodes that have ended before it begins
  std::vector<PipelineGroup> groups;              // of all nodes, each after those that its members need
};

// Fails: INVALID_ARGUMENT when a stage lacks an op that these rules name, sends and receives do not fit its
// computations, or ops wait for each other in a circle.
[[nodiscard]] StatusOr<PipelineGraph> pipeline_graph(const PipelineTrace& trace);

}  // namespace tarry
