// Stale-synchronous training: a worker may be at most `staleness` steps ahead of the slowest.
//
// TensorFlow has no optimizer for it. This is how users built it, with queues as SyncReplicasOptimizer has them
// (tarry's own construction: no such graph was recorded). Updates are asynchronous. On the global step's parameter
// server every worker i has two FIFOQueues, shared by name: a step ends by putting an element into `stale_done_q_<i>`
// (QueueEnqueueV2 after the worker's train op), then takes a token from `stale_token_q_<i>` (QueueDequeueV2 after
// that). The chief repeats `stale_clock`: it takes one element from every done queue, which waits for all workers, then
// puts a token (the global step's value) into every token queue. Each token queue starts with `staleness` tokens, which
// the chief's local_init_op puts in: at the first start and, like SyncReplicasOptimizer's initial tokens, again each
// time a chief starts. With staleness 0 all workers go in lock-step.
//
// So a worker that has done n steps begins the next one only when every worker has done n - staleness. A lost worker
// silently blocks the others as soon as they are that far ahead. When the chief leaves, its runner closes the token
// queues, which ends the others quietly.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

inline constexpr char kStaleTokens[] = "stale_token_q_";  // followed by the worker's number
inline constexpr char kStaleDone[] = "stale_done_q_";

struct StalePlan {
  int workers = 1, worker = 0;
  int staleness = 0;
};

// Changes `program`'s graph, targets and, for a chief, queue runners. REQUIRES: an asynchronous program.
// Fails: INVALID_ARGUMENT with the texts of find_train_op, or when local_init_op is not that of a tf.train.Scaffold.
[[nodiscard]] Status add_stale_synchronous(ClientProgram& program, const StalePlan& plan);

}  // namespace tarry
