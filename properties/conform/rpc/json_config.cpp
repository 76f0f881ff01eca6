// A session's config: what something reads, as fields; the rest as it was written.

#include <limits>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/json_fields.hpp"

namespace tarry::rpc {
namespace {

using Pointer = Json::json_pointer;

// Takes a field out: what is left at the end passes through.
template <class T>
T take(Json& j, const char* path, T otherwise) {
  const Pointer at(path);
  if (!j.contains(at)) return otherwise;
  const Json value = j[at];
  j[at.parent_pointer()].erase(at.back());
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
    return static_cast<T>(
        value.is_string() ? whole_number(value.get<std::string>(), std::numeric_limits<T>::max())
                          : static_cast<std::uint64_t>(integer_within(value, 0, std::numeric_limits<T>::max(), path)));
  else
    return value.get<T>();
}

Json without_empty(Json j) {
  for (auto it = j.begin(); it != j.end();) {
    if (it->is_object()) *it = without_empty(*it);
    if (it->is_object() && it->empty())
      it = j.erase(it);
    else
      ++it;
  }
  return j;
}

std::string rest_of(const Json& j) {
  const Json rest = without_empty(j);
  return rest.empty() ? "" : rest.dump();
}
Json with_rest(const std::string& rest) { return rest.empty() ? Json::object() : Json::parse(rest); }

template <class T>
void set(Json& j, const char* path, const T& value, const T& absent = T()) {
  if (!(value == absent)) j[Pointer(path)] = value;
}
void set_int64(Json& j, const char* path, std::int64_t value) {
  if (value != 0) j[Pointer(path)] = fmt::format("{}", value);
}

ClusterDef cluster_from(const Json& jobs) {
  constexpr std::uint64_t kMostTasks = 100'000;
  ClusterDef c;
  for (const Json& job : jobs)
    for (const auto& [task, address] : job.at("tasks").items())
      c.jobs[job.at("name")][static_cast<int>(whole_number(task, kMostTasks))] = address;
  return c;
}

}  // namespace

Json to_json(const GraphOptions& o) {
  Json j = with_rest(o.rest);
  set(j, "/optimizer_options/opt_level", o.opt_level);
  set(j, "/rewrite_options/disable_meta_optimizer", o.disable_meta_optimizer);
  set(j, "/enable_recv_scheduling", o.enable_recv_scheduling);
  set(j, "/place_pruned_graph", o.place_pruned_graph);
  set(j, "/enable_bfloat16_sendrecv", o.enable_bfloat16_sendrecv);
  set(j, "/infer_shapes", o.infer_shapes);
  set_int64(j, "/build_cost_model", o.build_cost_model);
  set_int64(j, "/build_cost_model_after", o.build_cost_model_after);
  set(j, "/timeline_step", o.timeline_step);
  return j;
}

GraphOptions graph_options_from(const Json& written) {
  if (written.is_string()) return {.opt_level = "L0", .disable_meta_optimizer = true};  // "plain"
  Json j = written;
  GraphOptions o;
  o.opt_level = take(j, "/optimizer_options/opt_level", std::string());
  o.disable_meta_optimizer = take(j, "/rewrite_options/disable_meta_optimizer", false);
  o.enable_recv_scheduling = take(j, "/enable_recv_scheduling", false);
  o.place_pruned_graph = take(j, "/place_pruned_graph", false);
  o.enable_bfloat16_sendrecv = take(j, "/enable_bfloat16_sendrecv", false);
  o.infer_shapes = take(j, "/infer_shapes", false);
  o.build_cost_model = take(j, "/build_cost_model", std::int64_t{0});
  o.build_cost_model_after = take(j, "/build_cost_model_after", std::int64_t{0});
  o.timeline_step = take(j, "/timeline_step", std::int32_t{0});
  o.rest = rest_of(j);
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
  Json j = with_rest(c.rest);
  set(j, "/device_count", c.device_count);
  set(j, "/device_filters", c.device_filters);
  set(j, "/allow_soft_placement", c.allow_soft_placement);
  set(j, "/isolate_session_state", c.isolate_session_state);
  set(j,
      c.share_is_experimental ? "/experimental/share_cluster_devices_in_session" : "/share_cluster_devices_in_session",
      c.share_cluster_devices);
  set(j, "/experimental/disable_optimize_for_static_graph", c.disable_optimize_for_static_graph);
  set_int64(j, "/operation_timeout_in_ms", c.operation_timeout_ms);
  set(j, "/graph_options", to_json(c.graph), Json(Json::object()));
  if (!c.cluster.jobs.empty()) j["cluster_def"] = to_json(c.cluster);
  return j;
}

SessionConfig config_from(const Json& written) {
  SessionConfig c;
  if (written.is_string()) {  // "plain"
    c.graph = graph_options_from(written);
    return c;
  }
  Json j = written;
  c.device_count = take(j, "/device_count", std::map<std::string, std::int32_t>());
  c.device_filters = take(j, "/device_filters", std::vector<std::string>());
  c.allow_soft_placement = take(j, "/allow_soft_placement", false);
  c.isolate_session_state = take(j, "/isolate_session_state", false);
  c.share_is_experimental = take(j, "/experimental/share_cluster_devices_in_session", false);
  c.share_cluster_devices = take(j, "/share_cluster_devices_in_session", false) || c.share_is_experimental;
  c.disable_optimize_for_static_graph = take(j, "/experimental/disable_optimize_for_static_graph", false);
  c.operation_timeout_ms = take(j, "/operation_timeout_in_ms", std::int64_t{0});
  c.session_thread_pools = static_cast<int>(j.value("session_inter_op_thread_pool", Json::array()).size());
  c.graph = graph_options_from(take(j, "/graph_options", Json(Json::object())));
  c.cluster = cluster_from(take(j, "/cluster_def/job", Json(Json::array())));
  c.rest = rest_of(j);
  return c;
}

}  // namespace tarry::rpc
