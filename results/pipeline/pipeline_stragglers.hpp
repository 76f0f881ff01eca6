// What stragglers cost a job that is known by a pipeline's trace: its steps are run again with the usual times of its
// ops, and with the usual times of all but some.
//
// The usual time of an op is the mean of its kind over all stages, replicas and steps, of one that communicates the
// median. Every op begins as soon as what it needs has ended (pipeline_graph.hpp), so time that passes between ops for
// other reasons is left out of both. `add` and `rem` are those of the analysis: of the time that stragglers cost, the
// share that comes when only these ops keep their own times, and the share that goes when only these get the usual
// ones.
#pragma once

#include <functional>

#include "results/pipeline/pipeline_graph.hpp"

namespace tarry {

struct SlowdownOf {
  std::string what;     // "backward-compute", "replica 3", "stage 0"
  double slowdown = 1;  // of a step in which only this has its own times, to the ideal one
};
struct StragglerEffect {  // no shares where stragglers cost nothing
  std::string what;
  double add = 0, rem = 0;
};

struct Stragglers {
  double step = 0, ideal = 0;                           // mean seconds of a step
  double slowdown = 1;                                  // step / ideal
  std::vector<SlowdownOf> by_op, by_replica, by_stage;  // the largest first
  // The workers (a stage of a replica), 3 in a hundred and at least one, whose replica and stage both slow down most;
  // and the last stage.
  StragglerEffect slowest_workers, last_stage;
};

// Whether the op of that node keeps its own time in that replica.
using IsKept = std::function<bool(const PipelineNode& node, std::uint32_t replica)>;

class PipelineReplay {
 public:
  // REQUIRES: `trace` outlives it, and `graph` is its graph.
  PipelineReplay(const PipelineTrace& trace, PipelineGraph graph);
  // The mean seconds of a step in which kept ops take their own times, and the others the usual ones.
  [[nodiscard]] double mean_step(const IsKept& is_kept) const;

 private:
  const PipelineTrace& trace_;
  PipelineGraph graph_;
  std::vector<Nanos> usual_;  // by PipelineOp
};

// Fails: as pipeline_graph; INVALID_ARGUMENT when the ops take no time.
[[nodiscard]] StatusOr<Stragglers> stragglers_of(const PipelineTrace& trace);

}  // namespace tarry
