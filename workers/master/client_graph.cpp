#include "workers/master/client_graph.hpp"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "placer/graph/validate.hpp"
#include "placer/partition/replicate_constants.hpp"
#include "workers/rendezvous/key.hpp"

namespace tarry {
namespace {

class Rewriter {
 public:
  Rewriter(const Graph& full, const DeviceSet* devices, const Signature& signature, const ClientDevice& client,
           Convention convention)
      : g_(full), devices_(devices), signature_(signature), client_(client), convention_(convention) {}

  StatusOr<Graph> run() {
    if (signature_.fetches.empty() && signature_.targets.empty())
      return invalid("Must specify at least one target to fetch or execute.");
    TARRY_RETURN_IF_ERROR(check_endpoints());
    for (std::size_t i = 0; i < signature_.feeds.size(); ++i)
      if (!is_fed_already(i)) TARRY_RETURN_IF_ERROR(add_feed(signature_.feeds[i], i));
    for (std::size_t i = 0; i < signature_.fetches.size(); ++i)
      if (!is_repeated(i)) TARRY_RETURN_IF_ERROR(add_fetch(signature_.fetches[i], i));
    TARRY_RETURN_IF_ERROR(add_targets());
    prune();
    if (devices_ != nullptr) replicate_constants(g_, *devices_);
    return dense_copy();
  }

 private:
  Status check_endpoints() const;
  // A tensor that is fetched twice is sent once, as x:0 when one of the two says only x (seen in 2.15.1); a call
  // returns it twice.
  [[nodiscard]] bool is_repeated(std::size_t fetch) const {
    const std::vector<std::string>& all = signature_.fetches;
    if (convention_ == Convention::call) return false;
    return (fetch > 0 && all[fetch] == all[fetch - 1]) ||
           (all[fetch].find(':') == std::string::npos && std::ranges::find(all, all[fetch] + ":0") != all.end());
  }
  // x:0, after x: which of the two has its consumers (seen in 2.15.1).
  [[nodiscard]] bool is_fed_already(std::size_t feed) const {
    const std::string& tensor = signature_.feeds[feed];
    return tensor.ends_with(":0") &&
           std::ranges::find(signature_.feeds, tensor.substr(0, tensor.size() - 2)) != signature_.feeds.end();
  }
  Status add_feed(const std::string& feed, std::size_t index);
  Status add_fetch(const std::string& fetch, std::size_t index);
  Status add_targets();
  void prune();
  [[nodiscard]] Graph dense_copy() const;
  NodeId add_transfer(bool feeds, const std::string& tensor, DataType type, std::size_t index);

  Graph g_;  // a copy: the session's own graph stays whole
  const DeviceSet* devices_;
  const Signature& signature_;
  const ClientDevice& client_;
  Convention convention_;
  std::vector<NodeId> roots_;
};

Status Rewriter::check_endpoints() const {
  for (std::size_t i = 0; i < signature_.feeds.size(); ++i) {
    const std::string& feed = signature_.feeds[i];
    if (i > 0 && feed == signature_.feeds[i - 1]) return invalid("Endpoint \"{}\" fed more than once.", feed);
    if (std::ranges::find(signature_.fetches, feed) != signature_.fetches.end())
      return invalid("{} is both fed and fetched.", feed);
  }
  return {};
}

NodeId Rewriter::add_transfer(bool feeds, const std::string& tensor, DataType type, std::size_t index) {
  const Endpoint end = parse_endpoint(tensor);
  const bool calls = convention_ == Convention::call;
  const char* op = calls ? (feeds ? "_Arg" : "_Retval") : (feeds ? "_Recv" : "_Send");
  Attrs attrs{
      {"tensor_name", tensor},       {"send_device", client_.name},
      {"recv_device", client_.name}, {"send_device_incarnation", static_cast<std::int64_t>(client_.incarnation)},
      {"client_terminated", true},   {feeds ? "tensor_type" : "T", type}};
  if (calls) attrs = {{"T", type}, {"index", static_cast<std::int64_t>(index)}};
  const std::string name = calls ? fmt::format("{}_{}_{}_{}", feeds ? "_arg" : "_retval", end.node, end.slot, index)
                                 : fmt::format("{}_{}_{}", feeds ? "_recv" : "_send", end.node, end.slot);
  const DataTypes one{type};
  const NodeId n = g_.add_node(name, *ops_of_tf215().find(op), client_.name, std::move(attrs),
                               feeds ? DataTypes{} : one, feeds ? one : DataTypes{});
  g_.node(n).assigned = client_.id;
  return n;
}

Status Rewriter::add_feed(const std::string& feed, std::size_t index) {
  const Endpoint end = parse_endpoint(feed);
  const NodeId producer = g_.find(end.node);
  if (!producer.valid()) return error(Code::kNotFound, "FeedInputs: unable to find feed output {}", feed);
  if (end.slot < 0 || end.slot >= g_.output_count(producer))
    return invalid("FeedInputs: {} should have output index < {}", feed, g_.output_count(producer));
  const DataType type = base_type(g_.output_type(producer, end.slot));
  const NodeId recv = add_transfer(true, feed, type, index);
  g_.add_control_edge(kSource, recv);
  const bool is_placeholder = g_.op_name(producer) == "Placeholder" || g_.op_name(producer) == "PlaceholderV2";
  std::vector<EdgeId> moved;
  for (const EdgeId e : g_.out_edges(producer))
    if (g_.edge(e).src_slot == end.slot || (is_placeholder && g_.edge(e).is_control())) moved.push_back(e);
  for (const EdgeId e : moved) {
    const Edge edge = g_.edge(e);
    if (edge.is_control())
      g_.add_control_edge(recv, edge.dst);
    else
      g_.add_edge(recv, 0, edge.dst, edge.dst_slot);
    g_.remove_edge(e);
  }
  return {};
}

Status Rewriter::add_fetch(const std::string& fetch, std::size_t index) {
  const Endpoint end = parse_endpoint(fetch);
  const NodeId producer = g_.find(end.node);
  if (!producer.valid()) return error(Code::kNotFound, "FetchOutputs node {}: not found", fetch);
  const int outputs = g_.output_count(producer);
  if (outputs == 0)
    return invalid(
        "Tried to fetch data for '{}', which produces no output.  To run to a node but not fetch any data, pass '{}' "
        "as an argument to the "
        "'target_node_names' argument of the Session::Run API.",
        fetch, fetch);
  if (end.slot >= outputs) return invalid("FetchOutputs {}: output index too large, must be < {}", fetch, outputs);
  if (end.slot < 0)
    return invalid("Attempt to add output -1 of {} not in range [0, {}) to node with type _Send. Node: {{{{node {}}}}}",
                   end.node, outputs, end.node);
  const NodeId send = add_transfer(false, fetch, base_type(g_.output_type(producer, end.slot)), index);
  g_.add_edge(producer, end.slot, send, 0);
  g_.add_control_edge(send, kSink);
  roots_.push_back(send);
  return {};
}

Status Rewriter::add_targets() {
  std::string missing;
  for (const std::string& target : signature_.targets) {
    const NodeId n = g_.find(target);
    if (n.valid())
      roots_.push_back(n);
    else
      missing += target + " ";
  }
  if (missing.empty()) return {};
  return error(Code::kNotFound, "PruneForTargets: Some target nodes not found: {}", missing);
}

// Keeps what the roots reach backwards, over data and control edges.
void Rewriter::prune() {
  std::vector<bool> keep(g_.node_slots(), false);
  std::vector<NodeId> open = roots_;
  while (!open.empty()) {
    const NodeId n = open.back();
    open.pop_back();
    if (keep[n.index()]) continue;
    keep[n.index()] = true;
    for (const EdgeId e : g_.in_edges(n)) open.push_back(g_.edge(e).src);
  }
  for (const NodeId n : g_.op_nodes())
    if (!keep[n.index()]) g_.remove_node(n);
  g_.attach_to_source_and_sink();
}

Graph Rewriter::dense_copy() const {
  Graph copy;
  // Two rewrites copy the graph into a new one, which has the edge from source to sink already: edges are counted from
  // 3 (seen in 2.15.1).
  copy.add_control_edge(kSource, kSink);
  copy.add_control_edge(kSource, kSink);
  std::vector<NodeId> to(g_.node_slots());
  to[kSource.index()] = kSource;
  to[kSink.index()] = kSink;
  for (const NodeId n : g_.op_nodes()) {
    const Node& node = g_.node(n);
    const NodeId c =
        copy.add_node(g_.name(n), *node.op, g_.requested_device(n), node.attrs, *node.input_types, *node.output_types);
    copy.node(c).assigned = node.assigned;
    to[n.index()] = c;
  }
  for (std::size_t i = 1; i < g_.edge_slots(); ++i) {
    const Edge& e = g_.edge(EdgeId{i});
    if (e.alive) copy.add_edge(to[e.src.index()], e.src_slot, to[e.dst.index()], e.dst_slot);
  }
  copy.versions = g_.versions;
  copy.functions = g_.functions;
  copy.stack_traces = g_.stack_traces;
  return copy;
}

}  // namespace

Endpoint parse_endpoint(std::string_view tensor) {
  const InputName input = parse_input(tensor);
  return {std::string(input.node), input.slot};
}

std::string client_key(std::string_view tensor, const ClientDevice& client) {
  return make_key(client.name, client.incarnation, client.name, tensor);
}

StatusOr<Graph> make_client_graph(const Graph& full, const DeviceSet* devices, const Signature& signature,
                                  const ClientDevice& client, Convention convention) {
  return Rewriter(full, devices, signature, client, convention).run();
}

}  // namespace tarry
