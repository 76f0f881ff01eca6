// The accumulators of a synchronous graph: one per gradient, on the device of its variable. Private to
// workers/train/build.
#pragma once

#include <string>

#include "workers/train/build/local_step.hpp"
#include "workers/train/build/train_op.hpp"

namespace tarry {

inline constexpr char kSyncScope[] = "sync_replicas";

struct GradientAccumulator {
  std::string name, apply, take;
  std::string device;  // the device scope in which its ops are made
  bool is_sparse = false;
};

// Adds an accumulator that takes the gradient, and gives the optimizer the mean of `replicas` gradients instead.
GradientAccumulator add_accumulator(GraphEditor& graph, StepAccess& steps, const LocalStep& local,
                                    const Gradient& gradient, int replicas, const std::string& worker);
// Adds the op that sets the accumulator's step to the global step, and returns its name.
std::string add_set_global_step(GraphEditor& graph, StepAccess& steps, const GradientAccumulator& accumulator);

}  // namespace tarry
