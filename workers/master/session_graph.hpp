// The graph of a master's session: placed as a whole, and cut by task for each signature (docs/rules/runtime.md#A,
// #E.1).
//
// All of it follows from what the client wrote and from the devices; only incarnations differ between runs. Where the
// run has a KnownJob (known_job.hpp), a session finds there what an earlier session of the same client made, in this
// run or in another. That carries the incarnations of its time, and is sent with those that are others now.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/graph/graph.hpp"
#include "workers/master/session_site.hpp"

namespace tarry {

struct PartitionOptions;

struct TaskGraph {  // one task's part of a signature's graph
  std::string location;
  SentGraph graph;
};

// The graph of one signature: pruned, and then cut as often as sessions ask for it.
struct ClientGraph;
using ClientGraphRef = std::shared_ptr<ClientGraph>;

class SessionGraph {
 public:
  // REQUIRES: `site` outlives it. The placer's rules are those of 2.15.
  SessionGraph(const SessionSite& site, bool soft_placement) : site_(site), soft_placement_(soft_placement) {}

  // REQUIRES: the site's devices are complete. Fails: a graph that cannot be imported or placed.
  [[nodiscard]] Status create(std::shared_ptr<const GraphSpec> written);
  // Adds nodes; gives the new version. Fails: ABORTED `Current version is X but caller expected Y.`; as the importer; a
  // name that is there already.
  [[nodiscard]] StatusOr<std::int64_t> extend(const GraphSpec& more, std::int64_t expected_version);
  [[nodiscard]] const Graph& placed() const { return *placed_; }

  // Fails with the texts of client_graph.hpp.
  [[nodiscard]] StatusOr<ClientGraphRef> prune(const Signature& signature);
  // Once for each graph that `prune` gave.
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
  [[nodiscard]] const DeviceSet& devices() const;
  [[nodiscard]] const ClientDevice& client() const;
  [[nodiscard]] PartitionOptions partition_options();
  [[nodiscard]] StatusOr<std::vector<TaskGraph>> cut_anew(Graph g);
  [[nodiscard]] StatusOr<std::vector<TaskGraph>> cut_or_find(ClientGraph& graph);

  const SessionSite& site_;
  bool soft_placement_;
  std::shared_ptr<const GraphSpec> written_;  // the whole graph as clients wrote it
  std::shared_ptr<const Graph> placed_ = std::make_shared<const Graph>();
  std::map<std::string, DeviceId> stateful_devices_;  // stay over an Extend
  std::int64_t version_ = 0;
  std::uint64_t names_ = 0;                      // made while cutting
  std::shared_ptr<Known> known_;                 // null = every session starts from nothing
  std::shared_ptr<const Incarnations> renewed_;  // of what is known
};

}  // namespace tarry
