// The worker service's requests and responses.

#include <algorithm>
#include <limits>

#include "properties/conform/rpc/json_fields.hpp"
#include "workers/env.hpp"

namespace tarry::rpc {
namespace {

Json named(const Env& env, const std::vector<NamedTensor>& tensors) {
  Json list = Json::array();
  for (const NamedTensor& t : tensors)
    list.push_back({{"name", std::string(env.text(t.key))}, {"tensor", to_json(*t.tensor)}});
  return sorted_by_name(list);
}

Json exec_json(const ExecOptions& e) {
  Json j = Json::object();
  put_flag(j, "record_costs", e.record_costs);
  put_flag(j, "record_timeline", e.record_timeline);
  put_flag(j, "record_partition_graphs", e.record_partition_graphs);
  put_flag(j, "report_tensor_allocations_upon_oom", e.report_allocations);
  return j;
}

}  // namespace

GetStatusRequest read(const Json&, const Reading&, GetStatusRequest r) { return r; }

CreateWorkerSessionRequest read(const Json& j, const Reading&, CreateWorkerSessionRequest r) {
  r.session = text(j, "session_handle");
  r.isolate_state = flag(j, "isolate_session_state");
  r.master_task = text(j, "master_task");
  r.master_incarnation = number(j, "master_incarnation");
  const Json server = j.value("server_def", Json::object());
  r.server.job = text(server, "job_name");
  r.server.task = server.value("task_index", 0);
  return r;
}

DeleteWorkerSessionRequest read(const Json& j, const Reading&, DeleteWorkerSessionRequest r) {
  r.session = text(j, "session_handle");
  return r;
}

RegisterGraphRequest read(const Json& j, const Reading& with, RegisterGraphRequest r) {
  r.session = text(j, "session_handle");
  r.session_was_created = flag(j, "create_worker_session_called");
  const auto graph = with.graphs.find(j.value("/graph_def/graph"_json_pointer, std::string()));
  r.graph = SentGraph(graph == with.graphs.end() ? std::make_shared<const GraphSpec>() : graph->second);
  r.options = graph_options_from(j.value("graph_options", Json::object()));
  r.config = std::make_shared<const SessionConfig>(config_from(j.value("config_proto", Json::object())));
  return r;
}

DeregisterGraphRequest read(const Json& j, const Reading&, DeregisterGraphRequest r) {
  r.session = text(j, "session_handle");
  r.graph = text(j, "graph_handle");
  r.session_was_created = flag(j, "create_worker_session_called");
  return r;
}

RunGraphRequest read(const Json& j, const Reading& with, RunGraphRequest r) {
  r.session = text(j, "session_handle");
  r.graph = text(j, "graph_handle");
  r.step = StepId{number(j, "step_id")};
  for (const Json& t : j.value("send", Json::array()))
    r.sends.push_back({with.env.name(text(t, "name")), tensor_from(t.at("tensor"))});
  for (const Json& key : j.value("recv_key", Json::array()))
    r.receives.push_back(with.env.name(key.get<std::string>()));
  r.session_was_created = flag(j, "create_worker_session_called");
  r.errors_in_body = flag(j, "store_errors_in_response_body");
  r.is_partial = flag(j, "is_partial");
  r.is_last_partial = flag(j, "is_last_partial_run");
  const Json exec = j.value("exec_opts", Json::object());
  r.exec = {flag(exec, "record_costs"), flag(exec, "record_timeline"), flag(exec, "report_tensor_allocations_upon_oom"),
            flag(exec, "record_partition_graphs")};
  r.request_id = number(j, "request_id");
  return r;
}

CleanupGraphRequest read(const Json& j, const Reading&, CleanupGraphRequest r) {
  r.step = StepId{number(j, "step_id")};
  return r;
}
CleanupAllRequest read(const Json& j, const Reading&, CleanupAllRequest r) {
  r.containers = j.value("container", std::vector<std::string>());
  return r;
}
RecvTensorRequest read(const Json& j, const Reading& with, RecvTensorRequest r) {
  r.step = StepId{number(j, "step_id")};
  r.key = key_from_text(with.env, text(j, "rendezvous_key"));
  r.request_id = number(j, "request_id");
  return r;
}
LoggingRequest read(const Json& j, const Reading&, LoggingRequest r) {
  r.enable = flag(j, "enable_rpc_logging");
  r.disable = flag(j, "disable_rpc_logging");
  r.clear = flag(j, "clear");
  for (const Json& step : j.value("fetch_step_id", Json::array()))
    r.fetch.push_back(StepId{whole_number(step.get<std::string>(), std::numeric_limits<std::uint64_t>::max())});
  return r;
}
TracingRequest read(const Json&, const Reading&, TracingRequest r) { return r; }
MarkRecvFinishedRequest read(const Json& j, const Reading&, MarkRecvFinishedRequest r) {
  r.request_id = number(j, "request_id");
  return r;
}

// ---- requests as they arrive ----

Json to_json(const Env&, const GetStatusRequest&) { return Json::object(); }

Json to_json(const Env&, const CreateWorkerSessionRequest& r) {
  Json server{{"job_name", r.server.job}, {"protocol", "grpc"}};
  if (r.server.task != 0) server["task_index"] = r.server.task;
  server["default_session_config"]["experimental"]["coordination_config"] = {{"service_type", "standalone"},
                                                                             {"service_leader", r.server.leader}};
  if (r.server.cluster) server["cluster"] = to_json(*r.server.cluster);
  Json j{{"session_handle", r.session}, {"server_def", std::move(server)}};
  put_flag(j, "isolate_session_state", r.isolate_state);
  put(j, "master_task", r.master_task);
  put_number(j, "master_incarnation", r.master_incarnation);
  for (const DeviceAttributes& d : r.cluster_devices) j["cluster_device_attributes"].push_back(to_json(d));
  return j;
}

Json to_json(const Env&, const DeleteWorkerSessionRequest& r) { return {{"session_handle", r.session}}; }

Json to_json(const Env&, const RegisterGraphRequest& r) {
  Json j{{"session_handle", r.session}, {"graph_def", to_json(*r.graph.spec)}, {"debug_options", Json::object()}};
  j["graph_options"] = to_json(r.options);
  put_flag(j, "create_worker_session_called", r.session_was_created);
  if (r.config) j["config_proto"] = to_json(*r.config);
  return j;
}

Json to_json(const Env&, const DeregisterGraphRequest& r) {
  return {{"session_handle", r.session}, {"graph_handle", r.graph}};
}

Json to_json(const Env& env, const RunGraphRequest& r) {
  Json j{{"exec_opts", exec_json(r.exec)}, {"session_handle", r.session.get()}};
  put(j, "graph_handle", r.graph.get());
  put_number(j, "step_id", r.step.value);
  if (!r.sends.empty()) j["send"] = named(env, r.sends);
  for (const NameId key : r.receives) j["recv_key"].push_back(std::string(env.text(key)));
  put_flag(j, "is_partial", r.is_partial);
  put_flag(j, "is_last_partial_run", r.is_last_partial);
  put_flag(j, "store_errors_in_response_body", r.errors_in_body);
  put_flag(j, "create_worker_session_called", r.session_was_created);
  put_number(j, "request_id", r.request_id);
  return j;
}

Json to_json(const Env&, const CleanupGraphRequest& r) { return {{"step_id", fmt::format("{}", r.step.value)}}; }
Json to_json(const Env&, const CleanupAllRequest& r) {
  return r.containers.empty() ? Json::object() : Json{{"container", r.containers}};
}

Json to_json(const Env& env, const RecvTensorRequest& r) {
  Json j{{"step_id", fmt::format("{}", r.step.value)}, {"rendezvous_key", key_text(env, r.key)}};
  put_number(j, "request_id", r.request_id);
  return j;
}

Json to_json(const Env&, const LoggingRequest& r) {
  Json j = Json::object();
  put_flag(j, "enable_rpc_logging", r.enable);
  put_flag(j, "disable_rpc_logging", r.disable);
  put_flag(j, "clear", r.clear);
  for (const StepId step : r.fetch) j["fetch_step_id"].push_back(fmt::format("{}", step.value));
  return j;
}
Json to_json(const Env&, const TracingRequest&) { return Json::object(); }
Json to_json(const Env&, const MarkRecvFinishedRequest& r) { return {{"request_id", fmt::format("{}", r.request_id)}}; }

// ---- responses ----

Json to_json(const Env&, const Empty&) { return Json::object(); }
Json to_json(const Env&, const GetStatusResponse& r) {
  Json j{{"device_attributes", Json::array()}};
  for (const DeviceAttributes& d : r.devices) j["device_attributes"].push_back(to_json(d));
  return j;
}
Json to_json(const Env&, const RegisterGraphResponse& r) { return {{"graph_handle", r.graph}}; }

Json to_json(const Env& env, const RunGraphResponse& r) {
  Json j = Json::object();
  if (!r.received.empty()) j["recv"] = named(env, r.received);
  if (r.has_cost_graph)
    j["cost_graph"] = r.details && !r.details->costs.empty() ? to_json(r.details->costs) : Json::object();
  if (!r.status.ok()) {
    j["status_code"] = code_name(r.status.code());
    put(j, "status_error_message", std::string(text_of(r.status)));
  }
  if (!r.details) return j;
  if (!r.details->stats.empty()) j["step_stats"] = to_json(r.details->stats);
  for (const GraphSpec& g : r.details->partition_graphs) j["partition_graph"].push_back(to_json(g));
  return j;
}

Json to_json(const Env&, const RecvTensorResponse& r) {
  Json j = Json::object();
  j["tensor"] =
      r.value.tensor ? to_json(*r.value.tensor) : Json{{"dtype", "DT_FLOAT"}, {"shape", {0}}, {"value", Json::array()}};
  put_flag(j, "is_dead", r.value.is_dead);
  return j;
}

Json to_json(const Env&, const LoggingResponse& r) {
  Json j = Json::object();
  for (const auto& [step, stats] : r.steps)
    j["step"].push_back({{"step_id", fmt::format("{}", step.value)}, {"step_stats", to_json(stats)}});
  return j;
}

}  // namespace tarry::rpc
