// Recorded training graphs as programs that a client can run.
//
// A graph comes with a sidecar (JSON) that says what its client does with it: feeds, targets, initialisers, hooks. The
// graph of one non-chief worker can serve another one after renaming its task: variables, accumulators and queues are
// shared by name, so nothing else differs.
#pragma once

#include <map>
#include <string>

#include "placer/core/status.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {

struct FeedSizes {
  std::int64_t batch = 1;               // replaces unknown dimensions that `shapes` does not give
  std::map<std::string, Shape> shapes;  // by tensor
};

// `graph` is a path to NAME.pb, NAME.pbtxt or NAME.pb.zst with NAME.json beside it, or the name of a graph that ships
// with tarry. Fails: NOT_FOUND with the nearest name; INVALID_ARGUMENT with the file and the key.
[[nodiscard]] StatusOr<ClientProgram> load_program(const std::string& graph, const std::string& graphs_folder,
                                                   const FeedSizes& feeds);

// What the text of a sidecar says, without a graph. Fails: INVALID_ARGUMENT with the file and the key; a key that is
// not known is refused with the nearest one that is.
[[nodiscard]] StatusOr<ClientProgram> parse_sidecar(const std::string& text, const std::string& file,
                                                    const FeedSizes& feeds);

// Whether `graph` is a file's name rather than the name of a shipped graph: it has a folder or an extension.
[[nodiscard]] bool is_graph_file(const std::string& graph);

struct GraphFiles {
  std::string graph, sidecar;
};
// The files that load_program reads. Fails: NOT_FOUND with the nearest name, or with the file that is missing.
[[nodiscard]] StatusOr<GraphFiles> find_graph(const std::string& graph, const std::string& graphs_folder);

// The graphs in a folder, by name, sorted.
[[nodiscard]] std::vector<std::string> list_graphs(const std::string& folder);

}  // namespace tarry
