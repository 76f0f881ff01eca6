#include "workers/master/prepared_graph.hpp"

#include <fmt/compile.h>

#include <algorithm>
#include <utility>

#include "placer/partition/partition.hpp"
#include "workers/master/exact.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

GraphOptions options_of(const SessionSite& site) { return site.config ? site.config->graph : GraphOptions{}; }

PartitionOptions partition_options(SessionSite& site) {
  PartitionOptions options;
  options.by = CutBy::task;
  options.new_name = [&](std::string_view prefix) { return fmt::format(FMT_COMPILE("{}_S{}"), prefix, site.names++); };
  options.incarnation = [&](std::string_view device) {
    const DeviceId id = site.cut_devices().find(device);
    return id.valid() ? site.cut_devices()[id].incarnation : 0;
  };
  options.float_as_bfloat16 = options_of(site).enable_bfloat16_sendrecv;
  return options;
}

// Fed and fetched tensors pass through transfers whose other end is the client.
bool is_client_transfer(const NodeSpec& n) {
  const auto* is_client = n.op == "_Recv" || n.op == "_Send" ? n.attrs.get<bool>("client_terminated") : nullptr;
  return is_client != nullptr && *is_client;
}

// Nodes that cutting adds have no start of their own (the real table is read beyond its end there).
std::function<std::int64_t(NodeId)> start_times(const Graph& g) {
  return [starts = earliest_starts(g)](NodeId n) { return n.index() < starts.size() ? starts[n.index()] : 0; };
}

}  // namespace

TaskId SessionSite::task(std::string_view name) const {
  const auto it = renamed.find(name);
  if (it != renamed.end()) return it->second;
  return renamed.empty() ? directory.find(name) : TaskId::none();
}

std::string SessionSite::name_of(TaskId t) const {
  for (const auto& [name, task] : renamed)
    if (task == t) return name;
  return directory.tasks[t.index()].name;
}

void PreparedGraph::register_once(StatusCallback done) {
  if (stage_ == Stage::over) return std::move(done)(status_);
  waiting_.push_back(std::move(done));
  if (std::exchange(stage_, Stage::under_way) == Stage::under_way) return;
  status_ = make_parts();
  send_parts();
}

StatusOr<KnownCut> PreparedGraph::cut(Graph g) const {
  if (site_.directory.is_exact) mark_reference_variables(g);
  KnownCut made{site_.names, site_.names, {}};
  PartitionOptions options = partition_options(site_);
  options.scheduling_for_recvs = options_of(site_).enable_recv_scheduling;
  if (options.scheduling_for_recvs) options.start_time = start_times(g);
  TARRY_ASSIGN(std::vector<Partition> cut, partition(g, site_.devices, options));
  for (Partition& p : cut) {
    if (site_.directory.is_exact) strip_default_attributes(p.graph, ops_of_tf215());
    made.parts.push_back({std::move(p.location), std::make_shared<const GraphSpec>(std::move(p.graph)), nullptr});
  }
  made.next_names = site_.names;
  return made;
}

// As it was cut before, after as many names, or anew.
StatusOr<KnownCut> PreparedGraph::find_cut() {
  if (!known_) return cut(std::move(client_graph_));
  const auto it = std::ranges::find(known_->cuts, site_.names, &KnownCut::names);
  if (it != known_->cuts.end()) return *it;
  TARRY_ASSIGN(KnownCut made, cut(known_->graph));
  for (KnownCut::Part& p : made.parts) p.known = std::make_shared<KnownPart>(KnownPart{wire_bytes(*p.graph), {}});
  known_->cuts.push_back(made);
  return made;
}

Status PreparedGraph::make_parts() {
  TARRY_ASSIGN(const KnownCut cut, find_cut());
  site_.names = cut.next_names;
  for (const KnownCut::Part& p : cut.parts) parts.push_back(make_part(p));
  client_graph_ = Graph();
  return {};
}

GraphPart PreparedGraph::make_part(const KnownCut::Part& p) const {
  GraphPart part{site_.task(p.location), p.graph, p.known, {}, {}, {}};
  for (const NodeSpec& n : p.graph->nodes)
    if (is_client_transfer(n))
      (n.op == "_Recv" ? part.fed : part.fetched).push_back({*n.attrs.get<std::string>("tensor_name"), NameId::none()});
  for (auto* tensors : {&part.fed, &part.fetched})
    std::ranges::sort(*tensors, {}, [](const ClientTensor& t) -> const std::string& {
      return t.name.get();
    });  // as the worker wants them
  return part;
}

void PreparedGraph::send_parts() {
  if (!status_.ok() || parts.empty()) return finish();
  left_ = parts.size();
  for (GraphPart& part : parts) send(part);
}

void PreparedGraph::send(GraphPart& part) {
  RegisterGraphRequest request;
  request.session = site_.handle;
  request.graph = part.graph;
  request.options = options_of(site_);
  request.config = site_.config;
  request.known = part.known;
  request.renewed = site_.renewed;
  call(site_.directory, site_.master, part.task, std::move(request),
       [this, alive = site_.alive, &part](StatusOr<RegisterGraphResponse> handle) {
         if (*alive) registered(part, std::move(handle));
       });
}

void PreparedGraph::registered(GraphPart& part, StatusOr<RegisterGraphResponse> handle) {
  if (handle.ok())
    part.handle = std::move(handle->graph);
  else if (status_.ok())
    status_ = handle.status();
  if (--left_ == 0) finish();
}

// The kernels' keys exist by now.
void PreparedGraph::name_keys() {
  for (GraphPart& part : parts)
    for (auto* tensors : {&part.fed, &part.fetched})
      for (ClientTensor& t : *tensors) t.key = site_.directory.env.name(client_key(t.name.get(), site_.client));
}

void PreparedGraph::finish() {
  stage_ = Stage::over;
  name_keys();
  for (StatusCallback& w : std::exchange(waiting_, {})) std::move(w)(status_);
}

}  // namespace tarry
