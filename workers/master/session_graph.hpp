// The graph of a master's session: placed as a whole, and cut by task for each signature (docs/rules/runtime.md#A,
// #E.1).
//
// All of it depends on the client's graph and on the devices only, so that between runs only incarnations differ, and
// between clients that have one graph only the name of their task (placed_for.hpp). With a KnownJob (known_job.hpp), a
// session reuses what an earlier session made of the same graph, in this run or in another. Reused parts carry the
// incarnations of their time and their client's task, and are sent together with what holds now.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/graph/graph.hpp"
#include "workers/master/session_site.hpp"
#include "workers/task_change.hpp"

namespace tarry {

struct PartitionOptions;

// A graph as a client hands it over: `spec`, with one task's name in devices changed.
struct WrittenGraph {
  std::shared_ptr<const GraphSpec> spec;
  TaskChange change = {};
};

struct TaskGraph {  // one task's part of a signature's graph
  std::string location;
  SentGraph graph;
};

// The graph of one signature: pruned, and then cut for each session.
struct ClientGraph;
using ClientGraphRef = std::shared_ptr<ClientGraph>;

class SessionGraph {
 public:
  // REQUIRES: `site` outlives it. The placer's rules are those of 2.15.
  SessionGraph(const SessionSite& site, bool soft_placement) : site_(site), soft_placement_(soft_placement) {}

  // REQUIRES: the site's devices are complete. Fails: a graph that cannot be imported or placed.
  [[nodiscard]] Status create(WrittenGraph written);
  // Adds nodes; gives the new version. Fails: ABORTED `Current version is X but caller expected Y.`; with the
  // importer's errors; when a name is already taken.
  [[nodiscard]] StatusOr<std::int64_t> extend(const GraphSpec& more, std::int64_t expected_version);
  [[nodiscard]] const Graph& placed() const { return *placed_; }

  // Fails with the texts of client_graph.hpp.
  [[nodiscard]] StatusOr<ClientGraphRef> prune(const Signature& signature);
  // Cuts a graph that `prune` gave. REQUIRES: it is called once for each of them.
  [[nodiscard]] StatusOr<std::vector<TaskGraph>> cut(ClientGraph& graph);

 private:
  struct Known;
  [[nodiscard]] Status make();
  [[nodiscard]] Status place_graph(Graph& g);
  [[nodiscard]] bool may_share() const;
  [[nodiscard]] std::shared_ptr<Known> find_known() const;
  void take(std::shared_ptr<Known> known);
  [[nodiscard]] std::shared_ptr<Known> remember() const;
  [[nodiscard]] bool is_shared() const { return known_ != nullptr && version_ == 0; }
  [[nodiscard]] GraphSpec whole() const;
  [[nodiscard]] PartitionOptions partition_options(const DeviceSet& devices);
  [[nodiscard]] StatusOr<std::vector<TaskGraph>> cut_anew(Graph g, const DeviceSet& devices);
  [[nodiscard]] StatusOr<std::vector<TaskGraph>> cut_or_find(ClientGraph& graph);

  const SessionSite& site_;
  bool soft_placement_;
  WrittenGraph written_;  // the whole graph as clients wrote it
  std::shared_ptr<const Graph> placed_ = std::make_shared<const Graph>();
  std::map<std::string, DeviceId> stateful_devices_;  // devices that stateful nodes keep over an Extend
  std::vector<NodeId> free_choices_;                  // of the placer (PlaceOptions)
  std::int64_t version_ = 0;
  std::uint64_t names_ = 0;                 // how many names were made while cutting
  std::shared_ptr<Known> known_;            // null = nothing is shared with other sessions
  std::shared_ptr<const Renewal> renewed_;  // what of `known_` holds no longer; null = nothing is shared
};

}  // namespace tarry
