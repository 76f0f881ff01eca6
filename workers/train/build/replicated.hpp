// Replicated variables: each tower reads copies on its own GPU, which follow the variables of the servers step by step.
//
// As TensorFlow's image benchmarks of 2017 do (variable_update = distributed_replicated, cross_replica_sync). Every
// variable that has a gradient gets a local copy for each tower, `tower_<k>/VARIABLE`, which local_init_op sets to the
// server's value. In a step each worker applies its gradient to the variable on its server, puts a token into the queue
// of every other worker (`replicate_variable_<i>_<worker>`, shared by name, on the variable's server), and takes as
// many from its own. So all workers have updated the variable before any reads it again: once to the worker's CPU, and
// from there to the copies. A worker that has no others reads at once. A worker that dies leaves the others waiting for
// ever.
//
// Source: TensorFlow's published guide to high-performance models (2017) says the structure; tarry's own construction.
#pragma once

#include "placer/core/status.hpp"
#include "workers/train/program.hpp"

namespace tarry {

inline constexpr char kReplicateQueue[] = "replicate_variable_";  // followed by the variable's number, _, the worker's

struct ReplicatedPlan {
  int workers = 1, worker = 0;
  int towers = 1;
};

// Changes `program`'s graph and targets. REQUIRES: an asynchronous program, with the towers of add_towers if there are
// several. Fails: INVALID_ARGUMENT with the texts of find_train_op, for gradients of rows (IndexedSlices), for a
// variable that is trained elsewhere than on a parameter server, and for a local_init_op that is not that of a
// tf.train.Scaffold.
[[nodiscard]] Status add_replicated(ClientProgram& program, const ReplicatedPlan& plan);

}  // namespace tarry
