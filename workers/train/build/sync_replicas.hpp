// What SyncReplicasOptimizer and its hook add to a worker's graph (docs/rules/runtime.md#F.1, #F.2; TensorFlow 2.15.1
// as recorded: the queue runner holds the token queue itself, there is no dummy queue).
//
// Every worker gets all of it but the initial tokens, which are the chief's.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

struct SyncPlan {
  int workers = 1;      // total_num_replicas
  int replicas = 1;     // to aggregate; may be fewer (backup workers) or more than there are workers
  int num_tokens = -1;  // initial tokens; -1 = `replicas`, 0 = none
};

// Changes an asynchronous program into the synchronous one of the same worker. REQUIRES: program.is_chief is set.
// Too few tokens to finish the first step are the hook's error, at run time (training_client.hpp).
// Fails: INVALID_ARGUMENT when its training step is not one optimizer's (train_op.hpp), or has no scaffold's ready and
// local init ops.
[[nodiscard]] Status add_sync_replicas(ClientProgram& program, const SyncPlan& plan);

}  // namespace tarry
