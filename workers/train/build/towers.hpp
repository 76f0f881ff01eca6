// Towers: the model of one worker's graph on several of its GPUs, with the mean of their gradients.
//
// In-graph replication as users write it (and as TensorFlow's image benchmarks of 2017 do: variable_update =
// parameter_server). Tower 0 is the graph as it was recorded, on GPU:0. Tower k is a copy of what the gradients are
// computed from, under `tower_<k>/`, on GPU:k; what a node asks of the CPU or of a parameter server, it asks of the
// same device in each tower. Towers share the variables that are trained and what holds state elsewhere (queues,
// tables); of the worker's other variables each has its own. The worker's CPU adds up the towers' gradients of a
// variable (AddN) and multiplies the sum by 1 / towers (Mul); gradients of rows (IndexedSlices) are joined (ConcatV2),
// and their values multiplied. The optimizer gets the mean. Updates beside the gradients (moving averages) are those of
// tower 0.
//
// Source: TensorFlow's published guide to high-performance models (2017) says the structure; tarry's own construction.
#pragma once

#include <string>

#include "placer/core/status.hpp"
#include "workers/train/program.hpp"

namespace tarry {

// The name of tower k's copy of a node.
[[nodiscard]] std::string in_tower(int tower, const std::string& name);

// Changes an asynchronous program's graph and feeds: each tower is fed what tower 0 is. REQUIRES: towers > 1.
// Fails: INVALID_ARGUMENT with the texts of find_train_op; for a gradient that is neither float nor double; for
// a graph that has ops under `tower_<k>/` already; where the
// worker has variables of its own, for a local_init_op that is not that of a tf.train.Scaffold.
[[nodiscard]] Status add_towers(ClientProgram& program, int towers);

}  // namespace tarry
