// The accumulators of a synchronous graph: one a gradient, beside its variable. Private to workers/train/build.
#pragma once

#include <string>

#include "workers/train/build/local_step.hpp"
#include "workers/train/build/train_op.hpp"

namespace tarry {

inline constexpr char kSyncScope[] = "sync_replicas";

struct GradientAccumulator {
  std::string name, apply, take;
  std::string device;  // in force where its ops are made
  bool is_sparse = false;
};

// Pushes the gradient into an accumulator, and lets the optimizer take the mean of `replicas` from it instead.
GradientAccumulator add_accumulator(GraphEditor& graph, StepAccess& steps, const LocalStep& local,
                                    const Gradient& gradient, int replicas, const std::string& worker);
// Returns the op that sets its step to the global step.
std::string add_set_global_step(GraphEditor& graph, StepAccess& steps, const GradientAccumulator& accumulator);

}  // namespace tarry
