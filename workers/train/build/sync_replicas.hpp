// What SyncReplicasOptimizer and its hook add to a worker's graph (docs/rules/runtime.md#F.1, #F.2; TensorFlow 2.15.1
// as recorded: the queue runner holds the token queue itself, there is no dummy queue).
//
// Every worker gets all of it, except the op for the initial tokens, which only the chief has.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

struct SyncPlan {
  int workers = 1;      // total_num_replicas
  int replicas = 1;     // replicas_to_aggregate; may be fewer (backup workers) or more than `workers`
  int num_tokens = -1;  // initial tokens; -1 = `replicas`, 0 = none
};

// Changes an asynchronous program into the synchronous one of the same worker. REQUIRES: program.is_chief is set.
// Too few tokens to finish the first step are not refused here but by the hook, at run time (training_client.hpp).
// Fails: INVALID_ARGUMENT when its training step is not that of one optimizer (train_op.hpp), or when it lacks a
// scaffold's ready and local init ops.
[[nodiscard]] Status add_sync_replicas(ClientProgram& program, const SyncPlan& plan);

}  // namespace tarry
