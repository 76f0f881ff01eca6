// Recorded training graphs as programs that a client can run.
//
// A graph comes with a sidecar (JSON) that says what its client does with it: feeds, targets, initialisers, hooks. A
// graph of one worker can serve another non-chief one by renaming its task; variables, accumulators and queues are
// shared by name, so nothing else differs.
#pragma once

#include <map>
#include <string>

#include "placer/core/status.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {

struct FeedSizes {
  std::int64_t batch = 1;               // for every unknown dimension that `shapes` does not settle
  std::map<std::string, Shape> shapes;  // by tensor
};

// `graph` is a path to NAME.pb, NAME.pbtxt or NAME.pb.zst with NAME.json beside it, or the name of a graph that ships
// with tarry. Fails: NOT_FOUND with the nearest name; INVALID_ARGUMENT naming the file and the key.
[[nodiscard]] StatusOr<ClientProgram> load_program(const std::string& graph, const std::string& graphs_folder,
                                                   const FeedSizes& feeds);

// A file's name, and not that of a graph that ships: it has a folder or an ending.
[[nodiscard]] bool is_graph_file(const std::string& graph);

struct GraphFiles {
  std::string graph, sidecar;
};
// As load_program finds them. Fails: NOT_FOUND with the nearest name, or with the file that is missing.
[[nodiscard]] StatusOr<GraphFiles> find_graph(const std::string& graph, const std::string& graphs_folder);

// The graphs in a folder, by name, sorted.
[[nodiscard]] std::vector<std::string> list_graphs(const std::string& folder);

}  // namespace tarry
