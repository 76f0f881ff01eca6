// The ops of a training job of another kind: a large model whose stages are on different GPUs (a pipeline), and whose
// pipeline is there several times (replicas). Such a job runs without parameter servers; what is known of it is a
// trace.
//
// The trace is a time line in Chrome's format, as ByteDance's straggler analysis publishes them ("Understanding
// Stragglers in Large Model Training Using What-if Analysis", 2025): a process a replica, threads named "PP rank 2,
// ...", an event an op. Of an op that several GPUs do together an event is the transfer: it begins when the last one of
// them has come.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "workers/events.hpp"

namespace tarry {

enum class PipelineOp : std::uint8_t {
  forward_compute,
  backward_compute,
  forward_send,
  forward_recv,
  backward_send,
  backward_recv,
  params_all_gather,
  grads_reduce_scatter,
  separate_grads_all_reduce,
  layernorm_grads_all_reduce,
  embedding_grads_all_reduce,
  optimizer_clip_main_grad,
  optimizer,
  gc
};
struct PipelineOpRow {
  PipelineOp op;
  std::string_view name;   // as the trace has it
  std::string_view group;  // with which others it counts as one cause
  bool communicates;       // its usual time is the median, and not the mean
};
[[nodiscard]] std::span<const PipelineOpRow> pipeline_ops();
[[nodiscard]] inline const PipelineOpRow& row_of(PipelineOp op) { return pipeline_ops()[static_cast<std::size_t>(op)]; }

// What each replica does in each step: the n-th op of its kind in a stage.
struct PipelineNode {
  PipelineOp op;
  std::uint32_t stage = 0, number = 0;
  friend auto operator<=>(const PipelineNode&, const PipelineNode&) = default;
};

struct PipelineTrace {
  std::uint32_t stages = 0;
  std::vector<std::int64_t> replicas, steps;  // their numbers, ascending
  std::vector<PipelineNode> nodes;            // ascending
  // By node, then by step, then by replica. Clocks of two hosts differ: a time below zero down to 10 ms is kept, so
  // that the sums are right.
  std::vector<Nanos> starts, durations;

  [[nodiscard]] std::size_t runs() const { return steps.size() * replicas.size(); }  // of each node
  [[nodiscard]] std::size_t at(std::size_t node, std::size_t step, std::size_t replica) const {
    return (node * steps.size() + step) * replicas.size() + replica;
  }
};

// `text` is the file's. Fails: INVALID_ARGUMENT with `name`, the file's, and the event: it is no such time line, an op
// is unknown, one is missing in a step of a replica or is there twice, or a stage has several parts of the model.
[[nodiscard]] StatusOr<PipelineTrace> parse_pipeline_trace(std::string_view text, std::string_view name);

}  // namespace tarry
