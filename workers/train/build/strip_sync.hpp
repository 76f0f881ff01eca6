// A synchronous worker's graph without what SyncReplicasOptimizer and its hook added: the asynchronous graph of the
// same model.
#pragma once

#include "workers/train/program.hpp"

namespace tarry {

// Removes what add_sync_replicas (sync_replicas.hpp) adds; changes nothing in a program that is not synchronous. Fails:
// INVALID_ARGUMENT, with the name of a part of SyncReplicasOptimizer that the graph lacks.
[[nodiscard]] Status strip_sync_replicas(ClientProgram& program);

}  // namespace tarry
