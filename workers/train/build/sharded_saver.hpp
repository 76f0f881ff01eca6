// The sharded saver of a training graph (tf.train.Saver(sharded=True), format V2): one shard per device that holds
// variables.
//
// The shards depend on where the variables are, so moving variables means to take the shards out and to add them again.
// Within a shard variables come in the order of their names in the checkpoint.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "workers/train/build/graph_editor.hpp"
#include "workers/train/program.hpp"

namespace tarry {

struct Saveable {           // a variable, or a part of one
  std::string name, slice;  // in the checkpoint; slice "" = all of it
  std::string tensor;       // what is saved
  std::string variable;     // what is restored
  DataType dtype = DataType::kInvalid;
};

// Takes a saver's shards out of the graph; what all shards share (the file's name) stays.
// Fails: INVALID_ARGUMENT with the name that is missing in the graph, when the saver is not a sharded one of format V2.
[[nodiscard]] StatusOr<std::vector<Saveable>> take_shards(GraphEditor& graph, const Saver& saver);
// Adds the shards of these variables, under the names in `saver`.
void add_shards(GraphEditor& graph, const Saver& saver, std::vector<Saveable> saveables);

}  // namespace tarry
