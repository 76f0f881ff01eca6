#include "workers/master/prepared_graph.hpp"

#include <algorithm>
#include <utility>

#include "workers/rendezvous/key.hpp"
#include "workers/worker/rpc.hpp"

namespace tarry {
namespace {

// Fed and fetched tensors pass through transfers whose other end is the client.
bool is_client_transfer(const NodeSpec& n) {
  const auto* is_client = n.op == "_Recv" || n.op == "_Send" ? n.attrs.get<bool>("client_terminated") : nullptr;
  return is_client != nullptr && *is_client;
}

}  // namespace

void PreparedGraph::register_once(StatusCallback done) {
  if (stage_ == Stage::over) return std::move(done)(status_);
  waiting_.push_back(std::move(done));
  if (std::exchange(stage_, Stage::under_way) == Stage::under_way) return;
  status_ = make_parts();
  send_parts();
}

Status PreparedGraph::make_parts() {
  TARRY_ASSIGN(const std::vector<TaskGraph> cut, whole_.cut(*client_graph_));
  client_graph_ = nullptr;
  for (const TaskGraph& p : cut) parts.push_back(make_part(p));
  return {};
}

GraphPart PreparedGraph::make_part(const TaskGraph& p) const {
  GraphPart part{site_.task(p.location), p.graph, {}, {}, {}};
  for (const NodeSpec& n : p.graph.spec->nodes)
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
  request.options = site_.graph_options();
  request.config = site_.config;
  call(site_.directory, site_.master, part.task, std::move(request),
       [this, alive = site_.alive, &part](StatusOr<RegisterGraphResponse> handle) {
         if (*alive) registered(part, std::move(handle));
       });
}

void PreparedGraph::registered(GraphPart& part, StatusOr<RegisterGraphResponse> handle) {
  mark_if(!handle.ok(), site_.directory.auditor, Mark::registration_failed);
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
