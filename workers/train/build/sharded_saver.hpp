// The sharded saver of a training graph (tf.train.Saver(sharded=True), format V2): a shard for each device that holds
// variables.
//
// The shards follow from where the variables are, so a graph whose variables move is given its saver anew. Within a
// shard variables come in the order of their names in the checkpoint.
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
// Fails: INVALID_ARGUMENT naming what it does not find in the graph: not a sharded saver of format V2.
[[nodiscard]] StatusOr<std::vector<Saveable>> take_shards(GraphEditor& graph, const Saver& saver);
// The shards of these variables, under the names that `saver` has.
void add_shards(GraphEditor& graph, const Saver& saver, std::vector<Saveable> saveables);

}  // namespace tarry
