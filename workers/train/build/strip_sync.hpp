// A synchronous worker's graph without what SyncReplicasOptimizer and its hook added: the asynchronous graph of the
// same model.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

// Nothing changes in a program that is not synchronous. What add_sync_replicas (sync_replicas.hpp) added is gone
// afterwards. Fails: INVALID_ARGUMENT naming what of SyncReplicasOptimizer is not in the graph.
[[nodiscard]] Status strip_sync_replicas(ClientProgram& program);

}  // namespace tarry
