// A session's config, as far as tarry keeps it.

#include "properties/conform/rpc/json.hpp"

namespace tarry::rpc {
namespace {

void put(Json& j, const char* field, bool value) {
  if (value) j[field] = true;
}
void put(Json& j, const char* field, std::int64_t value) {
  if (value != 0) j[field] = fmt::format("{}", value);
}
std::int64_t number(const Json& j, const char* field) {
  if (!j.contains(field)) return 0;
  return j[field].is_string() ? std::stoll(j[field].get<std::string>()) : j[field].get<std::int64_t>();
}

}  // namespace

Json to_json(const GraphOptions& o) {
  Json j = Json::object();
  if (!o.opt_level.empty()) j["optimizer_options"]["opt_level"] = o.opt_level;
  if (o.disable_meta_optimizer) j["rewrite_options"]["disable_meta_optimizer"] = true;
  put(j, "enable_recv_scheduling", o.enable_recv_scheduling);
  put(j, "place_pruned_graph", o.place_pruned_graph);
  put(j, "enable_bfloat16_sendrecv", o.enable_bfloat16_sendrecv);
  put(j, "infer_shapes", o.infer_shapes);
  put(j, "build_cost_model", o.build_cost_model);
  put(j, "build_cost_model_after", o.build_cost_model_after);
  if (o.timeline_step != 0) j["timeline_step"] = o.timeline_step;
  return j;
}

GraphOptions graph_options_from(const Json& j) {
  if (j.is_string()) return {.opt_level = "L0", .disable_meta_optimizer = true};  // "plain"
  GraphOptions o;
  o.opt_level = j.value("/optimizer_options/opt_level"_json_pointer, std::string());
  o.disable_meta_optimizer = j.value("/rewrite_options/disable_meta_optimizer"_json_pointer, false);
  o.enable_recv_scheduling = j.value("enable_recv_scheduling", false);
  o.place_pruned_graph = j.value("place_pruned_graph", false);
  o.enable_bfloat16_sendrecv = j.value("enable_bfloat16_sendrecv", false);
  o.infer_shapes = j.value("infer_shapes", false);
  o.build_cost_model = number(j, "build_cost_model");
  o.build_cost_model_after = number(j, "build_cost_model_after");
  o.timeline_step = static_cast<std::int32_t>(number(j, "timeline_step"));
  return o;
}

Json to_json(const ClusterDef& c) {
  Json jobs = Json::array();
  for (const auto& [name, tasks] : c.jobs) {
    Json addresses = Json::object();
    for (const auto& [task, address] : tasks) addresses[fmt::format("{}", task)] = address;
    jobs.push_back({{"name", name}, {"tasks", std::move(addresses)}});
  }
  return {{"job", std::move(jobs)}};
}

Json to_json(const SessionConfig& c) {
  Json j = Json::object();
  if (!c.device_count.empty()) j["device_count"] = c.device_count;
  if (!c.device_filters.empty()) j["device_filters"] = c.device_filters;
  put(j, "allow_soft_placement", c.allow_soft_placement);
  put(j, "isolate_session_state", c.isolate_session_state);
  if (c.share_cluster_devices) j["experimental"]["share_cluster_devices_in_session"] = true;
  if (c.disable_optimize_for_static_graph) j["experimental"]["disable_optimize_for_static_graph"] = true;
  put(j, "operation_timeout_in_ms", c.operation_timeout_ms);
  if (Json g = to_json(c.graph); !g.empty()) j["graph_options"] = std::move(g);
  if (!c.cluster.jobs.empty()) j["cluster_def"] = to_json(c.cluster);
  return j;
}

SessionConfig config_from(const Json& j) {
  SessionConfig c;
  if (j.is_string()) {  // "plain"
    c.graph = graph_options_from(j);
    return c;
  }
  c.device_count = j.value("device_count", std::map<std::string, std::int32_t>());
  c.device_filters = j.value("device_filters", std::vector<std::string>());
  c.allow_soft_placement = j.value("allow_soft_placement", false);
  c.isolate_session_state = j.value("isolate_session_state", false);
  c.share_cluster_devices = j.value("/experimental/share_cluster_devices_in_session"_json_pointer, false) || j.value("share_cluster_devices_in_session", false);
  c.disable_optimize_for_static_graph = j.value("/experimental/disable_optimize_for_static_graph"_json_pointer, false);
  c.operation_timeout_ms = number(j, "operation_timeout_in_ms");
  c.session_thread_pools = static_cast<int>(j.value("session_inter_op_thread_pool", Json::array()).size());
  c.graph = graph_options_from(j.value("graph_options", Json::object()));
  for (const Json& job : j.value("/cluster_def/job"_json_pointer, Json::array()))
    for (const auto& [task, address] : job.at("tasks").items()) c.cluster.jobs[job.at("name")][std::stoi(task)] = address;
  return c;
}

}  // namespace tarry::rpc
