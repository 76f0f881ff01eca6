#include "workers/master/session_graph.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <utility>

#include "placer/graph/import.hpp"
#include "placer/lower/lower.hpp"
#include "placer/partition/partition.hpp"
#include "placer/place/place.hpp"
#include "workers/known_job.hpp"
#include "workers/master/exact.hpp"
#include "workers/master/placed_for.hpp"

namespace tarry {
namespace {

ImportOptions import_options() { return {.suggests = false, .colocations_known = false, .shapes_checked = false}; }

// Nodes that cutting adds have no start of their own (the real table is read beyond its end there).
std::function<std::int64_t(NodeId)> start_times(const Graph& g) {
  return [starts = earliest_starts(g)](NodeId n) { return n.index() < starts.size() ? starts[n.index()] : 0; };
}

// The same devices in the same order; incarnations apart.
bool same_devices(const DeviceSet& a, const DeviceSet& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[DeviceId{i}].name != b[DeviceId{i}].name || a[DeviceId{i}].type != b[DeviceId{i}].type) return false;
  return true;
}

// REQUIRES: after the change, `now` has the devices of `then` that the graph uses.
std::shared_ptr<const Renewal> renewal(const DeviceSet& then, const DeviceSet& now, const TaskChange& change) {
  auto renewed = std::make_shared<Renewal>(Renewal{{}, change});
  for (std::size_t i = 0; i < then.size(); ++i) {
    const Device& before = then[DeviceId{i}];
    const DeviceId d = now.find(change.of(before.name));
    if (d.valid() && before.incarnation != now[d].incarnation)
      renewed->incarnations.emplace(before.incarnation, now[d].incarnation);
  }
  return renewed;
}

// The bytes of the client's own part stay as they are: it goes to the master's own task, over no wire.
TaskGraph for_client(TaskGraph part, const std::shared_ptr<const Renewal>& renewed) {
  part.location = renewed->task.of(part.location);
  part.graph.renewed = renewed;
  return part;
}

}  // namespace

struct ClientGraph {
  struct Cut {
    std::uint64_t names = 0, next_names = 0;  // made by the session before and after
    std::vector<TaskGraph> parts;
  };
  Signature signature;
  Graph graph;  // before it is cut
  bool is_shared = false;
  std::vector<Cut> cuts;  // of a shared one
};

// What sessions that were given one graph share. It is kept beside that graph.
struct SessionGraph::Known {
  std::string task;  // for whose client it was made; "" = for a client whose graph no other has
  bool soft_placement = false;
  DeviceSet devices;  // with the incarnations that all below carries
  ClientDevice client;
  std::shared_ptr<const Graph> placed;
  std::map<std::string, DeviceId> stateful_devices;
  PlacedFor placed_for;
  std::vector<ClientGraphRef> graphs = {};

  [[nodiscard]] TaskChange change_for(const SessionGraph& s) const { return {task, s.written_.change.to}; }
  [[nodiscard]] bool serves(const SessionGraph& s) const {
    const TaskChange change = change_for(s);
    return soft_placement == s.soft_placement_ && change.of(client.name) == s.site_.client.name &&
           (change.changes() ? is_of_task(client.name, task) && placed_for.holds_for(change, devices, s.site_.devices)
                             : same_devices(devices, s.site_.devices));
  }
};

// ---- the whole graph ----

// As this session's client means it.
GraphSpec SessionGraph::whole() const { return changed(*written_.spec, written_.change); }

Status SessionGraph::create(WrittenGraph written) {
  written_ = std::move(written);
  if (!may_share()) return make();
  if (std::shared_ptr<Known> known = find_known()) return take(std::move(known)), Status();
  TARRY_RETURN_IF_ERROR(make());
  known_ = remember();
  renewed_ = renewal(known_->devices, site_.devices, known_->change_for(*this));
  return {};
}

Status SessionGraph::make() {
  const bool is_as_written = !written_.change.changes();
  TARRY_ASSIGN(Graph g, import_graph(is_as_written ? *written_.spec : whole(), import_options()));
  TARRY_RETURN_IF_ERROR(place_graph(g));
  placed_ = std::make_shared<const Graph>(std::move(g));
  return {};
}

Status SessionGraph::place_graph(Graph& g) {
  free_choices_.clear();
  for (const NodeId n : g.op_nodes()) {
    if (g.node(n).assigned.valid()) g.node(n).assigned = DeviceId::none();
    if (const auto it = stateful_devices_.find(std::string(g.name(n))); it != stateful_devices_.end())
      g.node(n).assigned = it->second;
  }
  TARRY_RETURN_IF_ERROR(lower_functions(g, {.inlines_calls = !site_.directory.is_exact,
                                            .device_name = [&](DeviceId d) { return site_.devices[d].name; }}));
  const DeviceId client = site_.devices.find(site_.client.name);
  TARRY_RETURN_IF_ERROR(place(g, site_.devices, session_rules_2_15(),
                              {.soft_placement = soft_placement_,
                               .client_device = client,
                               .local_task = client.valid() ? task_of(site_.devices[client].parsed) : "",
                               .free_choices = &free_choices_}));
  for (const NodeId n : g.op_nodes())
    if (g.node(n).op->is_stateful) stateful_devices_[std::string(g.name(n))] = g.node(n).assigned;
  return {};
}

StatusOr<std::int64_t> SessionGraph::extend(const GraphSpec& more, std::int64_t expected_version) {
  if (expected_version != version_)
    return error(Code::kAborted, "Current version is {} but caller expected {}.", version_, expected_version);
  for (const NodeSpec& n : more.nodes)
    if (placed_->find(n.name).valid())
      return invalid(
          "GraphDef argument to Extend includes node '{}', which was created by a previous call to Create or Extend in "
          "this session.",
          n.name);
  auto all = std::make_shared<GraphSpec>(whole());
  all->nodes.insert(all->nodes.end(), more.nodes.begin(), more.nodes.end());
  all->functions.insert(all->functions.end(), more.functions.begin(), more.functions.end());
  all->stack_traces.insert(more.stack_traces.begin(), more.stack_traces.end());
  TARRY_ASSIGN(Graph extended,
               import_graph(*all, import_options()));  // anew: edges are numbered as if all had come at once
  TARRY_RETURN_IF_ERROR(place_graph(extended));
  placed_ = std::make_shared<const Graph>(std::move(extended));
  written_ = {std::move(all)};
  return ++version_;
}

// ---- what earlier sessions found out ----

// A client that wants something special starts from nothing.
bool SessionGraph::may_share() const {
  return site_.directory.known != nullptr && !site_.config && site_.renamed.empty() && !site_.directory.is_exact;
}

std::shared_ptr<SessionGraph::Known> SessionGraph::find_known() const {
  const auto* all = site_.directory.known->about<std::vector<std::shared_ptr<Known>>>(written_.spec.get());
  if (all == nullptr) return nullptr;
  const auto it = std::ranges::find_if(*all, [this](const auto& k) { return k->serves(*this); });
  return it == all->end() ? nullptr : *it;
}

void SessionGraph::take(std::shared_ptr<Known> known) {
  known_ = std::move(known);
  const TaskChange change = known_->change_for(*this);
  renewed_ = renewal(known_->devices, site_.devices, change);
  placed_ = known_->placed;
  for (const auto& [node, device] : known_->stateful_devices)
    stateful_devices_[node] = site_.devices.find(change.of(known_->devices[device].name));
}

std::shared_ptr<SessionGraph::Known> SessionGraph::remember() const {
  KnownJob& job = *site_.directory.known;
  const std::string& task = written_.change.to;
  job.keep(written_.spec);
  return job.about<std::vector<std::shared_ptr<Known>>>(written_.spec.get())
      ->emplace_back(
          std::make_shared<Known>(Known{task, soft_placement_, site_.devices, site_.client, placed_, stateful_devices_,
                                        PlacedFor(*placed_, site_.devices, task, free_choices_)}));
}

// ---- signatures ----

StatusOr<ClientGraphRef> SessionGraph::prune(const Signature& signature) {
  Known* known = is_shared() ? known_.get() : nullptr;
  if (known != nullptr) {
    const auto it = std::ranges::find_if(known->graphs, [&](const auto& g) { return g->signature == signature; });
    if (it != known->graphs.end()) return *it;
  }
  TARRY_ASSIGN(Graph g, make_client_graph(*placed_, known != nullptr ? &known->devices : &site_.devices, signature,
                                          known != nullptr ? known->client : site_.client));
  auto graph = std::make_shared<ClientGraph>(ClientGraph{signature, std::move(g), known != nullptr, {}});
  if (known != nullptr) known->graphs.push_back(graph);
  return graph;
}

StatusOr<std::vector<TaskGraph>> SessionGraph::cut(ClientGraph& graph) {
  if (!graph.is_shared) return cut_anew(std::move(graph.graph), site_.devices);
  TARRY_ASSIGN(std::vector<TaskGraph> parts, cut_or_find(graph));
  for (TaskGraph& part : parts) part = for_client(std::move(part), renewed_);
  return parts;
}

// As it was cut before, after as many names, or anew.
StatusOr<std::vector<TaskGraph>> SessionGraph::cut_or_find(ClientGraph& graph) {
  if (const auto it = std::ranges::find(graph.cuts, names_, &ClientGraph::Cut::names); it != graph.cuts.end()) {
    names_ = it->next_names;
    return it->parts;
  }
  const std::uint64_t before = names_;
  TARRY_ASSIGN(std::vector<TaskGraph> parts, cut_anew(graph.graph, known_->devices));
  for (const TaskGraph& part : parts) site_.directory.known->keep(part.graph.spec);
  graph.cuts.push_back({before, names_, parts});
  return parts;
}

PartitionOptions SessionGraph::partition_options(const DeviceSet& devices) {
  PartitionOptions options;
  options.by = CutBy::task;
  options.new_name = [this](std::string_view prefix) { return fmt::format(FMT_COMPILE("{}_S{}"), prefix, names_++); };
  options.incarnation = [&devices](std::string_view device) {
    const DeviceId id = devices.find(device);
    return id.valid() ? devices[id].incarnation : 0;
  };
  options.float_as_bfloat16 = site_.graph_options().enable_bfloat16_sendrecv;
  options.scheduling_for_recvs = site_.graph_options().enable_recv_scheduling;
  return options;
}

StatusOr<std::vector<TaskGraph>> SessionGraph::cut_anew(Graph g, const DeviceSet& devices) {
  const bool is_exact = site_.directory.is_exact;
  if (is_exact) mark_reference_variables(g);
  PartitionOptions options = partition_options(devices);
  if (options.scheduling_for_recvs) options.start_time = start_times(g);
  TARRY_ASSIGN(std::vector<Partition> cut, partition(g, devices, options));
  std::vector<TaskGraph> parts;
  for (Partition& p : cut) {
    if (is_exact) strip_default_attributes(p.graph, ops_of_tf215());
    parts.push_back({std::move(p.location), SentGraph(std::make_shared<const GraphSpec>(std::move(p.graph)))});
  }
  return parts;
}

}  // namespace tarry
