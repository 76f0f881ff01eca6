// What a client does with a training graph, as far as its ops tell: a sidecar (programs.hpp) for a graph that has none.
//
// The roles follow from how TensorFlow 1's clients build graphs: a training step is what comes after all ops that apply
// gradients; an initialiser groups the Assign beside each variable; a scaffold's reports, its sharded saver and the
// queue runners' ops have the shapes that their Python functions give them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "placer/graph/spec.hpp"
#include "workers/train/program.hpp"

namespace tarry {

struct GuessedSidecar {
  nlohmann::ordered_json sidecar;    // has the keys that were found
  std::vector<std::string> found;    // a sentence for each role: "a step runs GradientDescent: ..."
  std::vector<std::string> missing;  // what the graph does not tell, and which key says it
  std::string worker;                // the task that it was built for: "/job:worker/task:0"
  std::size_t workers = 1;           // tasks of workers, up to the last one that its devices name; 1 if they name one
  std::size_t servers = 0;           // parameter servers that its devices name
  std::size_t gpus = 0;              // of a task, that its devices name
};

// `name` is the graph's in messages. Never fails: what cannot be told is in `missing`.
[[nodiscard]] GuessedSidecar guess_sidecar(const GraphSpec& graph, const std::string& name);

// What a program's sidecar leaves out and its graph has: "; its sidecar leaves out what the graph has: add to 'session'
// "ready_op": "concat:0", ..."; "" when there is nothing of the kind.
[[nodiscard]] std::string left_out_of_sidecar(const ClientProgram& program);

}  // namespace tarry
