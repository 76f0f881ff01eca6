// Stale-synchronous training: a worker may be at most `staleness` steps ahead of the slowest.
//
// TensorFlow has no optimizer for it; this is how its users built it, with the queues that SyncReplicasOptimizer uses
// (ours: no graph of this kind was recorded). Updates are the asynchronous ones. On the global step's parameter server
// every worker i has two FIFOQueues, shared by name: a step ends with an element into `stale_done_q_<i>`
// (QueueEnqueueV2 behind the worker's train op), then a token out of `stale_token_q_<i>` (QueueDequeueV2 behind that).
// The chief repeats `stale_clock`: one element out of every done queue, which takes all workers, then a token (the
// global step's value) into every token queue. Each token queue starts with `staleness` tokens, which the chief's
// local_init_op puts in; so the first time and, like SyncReplicasOptimizer's initial tokens, once more each time that a
// chief starts. With staleness 0 all workers go in lock-step.
//
// So a worker begins a step with n of its own done only when every worker has done n - staleness. A worker that is lost
// holds the others up as soon as they are that far ahead, silently. When the chief leaves, its runner closes the token
// queues, which ends the others quietly.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

inline constexpr char kStaleTokens[] = "stale_token_q_";  // and the worker's number
inline constexpr char kStaleDone[] = "stale_done_q_";

struct StalePlan {
  int workers = 1, worker = 0;
  int staleness = 0;
};

// Changes `program`'s graph, targets and, for a chief, its queue runners. REQUIRES: an asynchronous program.
// Fails: INVALID_ARGUMENT as find_train_op, or that its local_init_op is not one of tf.train.Scaffold.
[[nodiscard]] Status add_stale_synchronous(ClientProgram& program, const StalePlan& plan);

}  // namespace tarry
