// What SyncReplicasOptimizer and its hook added to a graph, found by the ops that its Python code makes.
#pragma once

#include <nlohmann/json.hpp>

#include "placer/graph/spec.hpp"
#include "workers/train/build/graph_editor.hpp"

namespace tarry {

// The section `sync` of a sidecar; null when a part of it is not there: the token queue with its ops, the local step,
// what the hook runs first. `is_chief` follows from the initial tokens, which only the chief's hook makes.
struct GuessedSync {
  nlohmann::ordered_json section;
  bool is_chief = false;
};
[[nodiscard]] GuessedSync guess_sync(const GraphSpec& graph, const GraphEditor& nodes);

}  // namespace tarry
