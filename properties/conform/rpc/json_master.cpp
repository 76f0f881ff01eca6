#include "properties/conform/rpc/json_master.hpp"

#include <algorithm>

#include "properties/conform/rpc/json_fields.hpp"

namespace tarry::rpc {
namespace {

const std::map<std::string, TraceLevel>& trace_levels() {
  static const std::map<std::string, TraceLevel> levels = {{"NO_TRACE", TraceLevel::none},
                                                           {"SOFTWARE_TRACE", TraceLevel::software},
                                                           {"HARDWARE_TRACE", TraceLevel::hardware},
                                                           {"FULL_TRACE", TraceLevel::full}};
  return levels;
}

std::optional<StepOptions> options_from(const Json& j, const char* field) {
  if (!j.contains(field)) return std::nullopt;
  const Json& o = j.at(field);
  const auto level = trace_levels().find(text(o, "trace_level"));
  return StepOptions{level == trace_levels().end() ? TraceLevel::none : level->second,
                     static_cast<std::int64_t>(number(o, "timeout_in_ms")), flag(o, "output_partition_graphs"),
                     flag(o, "report_tensor_allocations_upon_oom")};
}

Json options_json(const StepOptions& o) {
  Json j = Json::object();
  for (const auto& [name, level] : trace_levels())
    if (level == o.trace && level != TraceLevel::none) j["trace_level"] = name;
  put_number(j, "timeout_in_ms", static_cast<std::uint64_t>(o.timeout_ms));
  put_flag(j, "output_partition_graphs", o.partition_graphs);
  put_flag(j, "report_tensor_allocations_upon_oom", o.report_allocations);
  return j;
}

std::shared_ptr<const GraphSpec> graph_from(const Json& j, const Reading& with) {
  const auto graph = with.graphs.find(j.value("/graph_def/graph"_json_pointer, std::string()));
  return graph == with.graphs.end() ? std::make_shared<const GraphSpec>() : graph->second;
}

Json named(const std::vector<FedTensor>& tensors) {
  Json list = Json::array();
  for (const FedTensor& t : tensors) list.push_back({{"name", t.name()}, {"tensor", to_json(*t.value)}});
  return list;
}

Json output_json(const CostOutput& o) {
  Json j{{"alias_input_port", "-1"}, {"shape", o.shape ? to_json(*o.shape) : Json{{"unknown_rank", true}}}};
  if (o.size != 0) j["size"] = fmt::format("{}", o.size);
  if (o.type != DataType::kInvalid) j["dtype"] = enum_name(o.type);
  return j;
}

Json ports_json(const CostNode& n) {
  Json list = Json::array();
  for (std::size_t i = 0; i < n.preceding.size(); ++i) {
    Json input = Json::object();
    if (n.preceding[i] != 0) input["preceding_node"] = n.preceding[i];
    if (n.ports[i] != 0) input["preceding_port"] = n.ports[i];
    list.push_back(std::move(input));
  }
  return list;
}

Json metadata_json(const RunMetadata& m) {
  Json j = Json::object(), graphs = Json::array();
  // What graphs and statistics of several tasks say has no order.
  if (!m.stats.empty()) j["step_stats"]["dev_stats"] = sorted(to_json(m.stats)["dev_stats"]);
  if (!m.costs.empty()) j["cost_graph"] = to_json(m.costs);
  for (const GraphSpec& g : m.partition_graphs) graphs.push_back(to_json(g));
  if (!graphs.empty()) j["partition_graphs"] = sorted(graphs);
  return j;
}

Json list_json(const std::vector<DeviceAttributes>& devices) {
  Json list = Json::array();
  for (const DeviceAttributes& d : devices) list.push_back(to_json(d));
  return list;
}

}  // namespace

Json to_json(const std::vector<CostNode>& nodes) {
  Json j{{"node", Json::array()}};
  for (const CostNode& n : nodes) {
    Json node{{"name", n.name}};
    put(node, "device", n.device);
    if (n.id != 0) node["id"] = n.id;
    if (!n.preceding.empty()) node["input_info"] = ports_json(n);
    for (const CostOutput& o : n.outputs) node["output_info"].push_back(output_json(o));
    put_number(node, "persistent_memory_size", static_cast<std::uint64_t>(n.persistent_bytes));
    if (!n.control.empty()) node["control_input"] = n.control;
    put_flag(node, "is_final", n.is_final);
    j["node"].push_back(std::move(node));
  }
  return j;
}

// ---- requests ----

CreateSessionRequest read(const Json& j, const Reading& with, CreateSessionRequest r) {
  r.graph = graph_from(j, with);
  r.config = config_from(j.value("config", Json::object()));
  r.target = text(j, "target");
  return r;
}
ExtendSessionRequest read(const Json& j, const Reading& with, ExtendSessionRequest r) {
  r.session = text(j, "session_handle");
  r.graph = graph_from(j, with);
  r.current_version = static_cast<std::int64_t>(number(j, "current_graph_version"));
  return r;
}
PartialRunSetupRequest read(const Json& j, const Reading&, PartialRunSetupRequest) {
  return {text(j, "session_handle"), texts(j, "feed"), texts(j, "fetch"), texts(j, "target"), number(j, "request_id")};
}
RunStepRequest read(const Json& j, const Reading&, RunStepRequest r) {
  r.session = text(j, "session_handle");
  for (const Json& t : j.value("feed", Json::array()))
    r.feeds.push_back({text(t, "name"), tensor_from(t.at("tensor"))});
  r.fetches = texts(j, "fetch");
  r.targets = texts(j, "target");
  r.options = options_from(j, "options");
  r.partial_run = text(j, "partial_run_handle");
  r.errors_in_body = flag(j, "store_errors_in_response_body");
  r.request_id = number(j, "request_id");
  return r;
}
CloseSessionRequest read(const Json& j, const Reading&, CloseSessionRequest) { return {text(j, "session_handle")}; }
ListDevicesRequest read(const Json& j, const Reading&, ListDevicesRequest) { return {text(j, "session_handle")}; }
ResetRequest read(const Json& j, const Reading&, ResetRequest) {
  return {texts(j, "container"), texts(j, "device_filters")};
}
MakeCallableRequest read(const Json& j, const Reading&, MakeCallableRequest) {
  const Json o = j.value("options", Json::object());
  return {text(j, "session_handle"),
          {texts(o, "feed"), texts(o, "fetch"), texts(o, "target"), options_from(o, "run_options")},
          number(j, "request_id")};
}
RunCallableRequest read(const Json& j, const Reading&, RunCallableRequest r) {
  r.session = text(j, "session_handle");
  r.handle = static_cast<std::int64_t>(number(j, "handle"));
  for (const Json& t : j.value("feed", Json::array())) r.feeds.push_back(tensor_from(t));
  r.request_id = number(j, "request_id");
  return r;
}
ReleaseCallableRequest read(const Json& j, const Reading&, ReleaseCallableRequest) {
  return {text(j, "session_handle"), static_cast<std::int64_t>(number(j, "handle"))};
}

// ---- requests as they arrive ----

Json to_json(const CreateSessionRequest& r) {
  Json j{{"graph_def", to_json(*r.graph)}};
  if (Json config = to_json(r.config); !config.empty()) j["config"] = std::move(config);
  put(j, "target", r.target);
  return j;
}
Json to_json(const ExtendSessionRequest& r) {
  Json j{{"session_handle", r.session}, {"graph_def", to_json(*r.graph)}};
  put_number(j, "current_graph_version", static_cast<std::uint64_t>(r.current_version));
  return j;
}
Json to_json(const RunStepRequest& r) {
  Json j{{"session_handle", r.session}};
  if (!r.feeds.empty()) j["feed"] = named(r.feeds);
  put(j, "fetch", r.fetches);
  put(j, "target", r.targets);
  if (r.options) j["options"] = options_json(*r.options);
  put(j, "partial_run_handle", r.partial_run);
  put_flag(j, "store_errors_in_response_body", r.errors_in_body);
  put_number(j, "request_id", r.request_id);
  return j;
}
Json to_json(const CloseSessionRequest& r) { return {{"session_handle", r.session}}; }
Json to_json(const ResetRequest& r) {
  Json j = Json::object();
  put(j, "container", r.containers);
  put(j, "device_filters", r.device_filters);
  return j;
}

// ---- responses ----

Json to_json(const Env&, const CreateSessionResponse& r) { return {{"session_handle", r.session}}; }
Json to_json(const Env&, const ExtendSessionResponse& r) {
  return {{"new_graph_version", fmt::format("{}", r.new_version)}};
}
Json to_json(const Env&, const PartialRunSetupResponse& r) { return {{"partial_run_handle", r.handle}}; }

Json to_json(const Env&, const RunStepResponse& r) {
  Json j = Json::object();
  if (!r.tensors.empty()) j["tensor"] = sorted_by_name(named(r.tensors));
  if (r.metadata) j["metadata"] = metadata_json(*r.metadata);
  if (r.status.ok()) return j;
  j["status_code"] = code_name(r.status.code());
  put(j, "status_error_message", std::string(text_of(r.status)));
  return j;
}

Json to_json(const Env&, const ListDevicesResponse& r) {
  Json j = Json::object();
  if (!r.local.empty()) j["local_device"] = sorted_by_name(list_json(r.local));
  if (!r.remote.empty()) j["remote_device"] = sorted_by_name(list_json(r.remote));
  return j;
}

Json to_json(const Env&, const MakeCallableResponse& r) {
  Json j = Json::object();
  put_number(j, "handle", static_cast<std::uint64_t>(r.handle));
  return j;
}

Json to_json(const Env&, const RunCallableResponse& r) {
  Json j = Json::object();
  for (const TensorRef& t : r.fetched) j["fetch"].push_back(to_json(*t));
  if (r.metadata) j["metadata"] = metadata_json(*r.metadata);
  return j;
}

}  // namespace tarry::rpc
