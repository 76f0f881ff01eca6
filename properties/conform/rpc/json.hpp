// Converts requests and responses to the transcripts' JSON (by proto field name, defaults left out), and back.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "workers/worker/messages.hpp"
#include "workers/worker/service.hpp"

namespace tarry::rpc {

using Json = nlohmann::json;  // sorted: two objects compare equal whatever the order they were written in

// The context for reading transcripts: the table of key names, and graphs by the names that steps use.
struct Reading {
  Env& env;
  const std::map<std::string, std::shared_ptr<const GraphSpec>>& graphs;
};

[[nodiscard]] Json to_json(const TensorBody& t);     // {"dtype", "shape", "value"}: flat, at most 64 elements
[[nodiscard]] TensorRef tensor_from(const Json& j);  // throws Malformed (checked.hpp), as `read` and others do
[[nodiscard]] Json to_json(const Status& s);         // {"code"}, for an error with "message" and "payloads"
[[nodiscard]] Json to_json(const GraphSpec& g);      // nodes by name, with the attributes in the transcripts
[[nodiscard]] Json to_json(const DeviceAttributes& d);
[[nodiscard]] Json to_json(const Shape& s);  // as a TensorShapeProto
[[nodiscard]] Json to_json(const StepStats& s);
[[nodiscard]] Json to_json(const std::vector<CostNode>& cost_graph);
[[nodiscard]] Json sorted(const Json& list);
[[nodiscard]] Json sorted_by_name(const Json& list);  // a list of objects, or of texts
[[nodiscard]] std::string enum_name(DataType t);      // DT_FLOAT
[[nodiscard]] Code code_from(const Json& number_or_name);

[[nodiscard]] Json to_json(const SessionConfig& c);
[[nodiscard]] SessionConfig config_from(const Json& j);
[[nodiscard]] Json to_json(const GraphOptions& o);
[[nodiscard]] GraphOptions graph_options_from(const Json& j);
[[nodiscard]] Json to_json(const ClusterDef& c);

// The requests that the program of a worker case makes.
[[nodiscard]] GetStatusRequest read(const Json& j, const Reading&, GetStatusRequest);
[[nodiscard]] CreateWorkerSessionRequest read(const Json& j, const Reading&, CreateWorkerSessionRequest);
[[nodiscard]] DeleteWorkerSessionRequest read(const Json& j, const Reading&, DeleteWorkerSessionRequest);
[[nodiscard]] RegisterGraphRequest read(const Json& j, const Reading&, RegisterGraphRequest);
[[nodiscard]] DeregisterGraphRequest read(const Json& j, const Reading&, DeregisterGraphRequest);
[[nodiscard]] RunGraphRequest read(const Json& j, const Reading&, RunGraphRequest);
[[nodiscard]] CleanupGraphRequest read(const Json& j, const Reading&, CleanupGraphRequest);
[[nodiscard]] CleanupAllRequest read(const Json& j, const Reading&, CleanupAllRequest);
[[nodiscard]] RecvTensorRequest read(const Json& j, const Reading&, RecvTensorRequest);
[[nodiscard]] LoggingRequest read(const Json& j, const Reading&, LoggingRequest);
[[nodiscard]] TracingRequest read(const Json& j, const Reading&, TracingRequest);
[[nodiscard]] MarkRecvFinishedRequest read(const Json& j, const Reading&, MarkRecvFinishedRequest);

// The requests that a fake received.
[[nodiscard]] Json to_json(const Env& env, const GetStatusRequest&);
[[nodiscard]] Json to_json(const Env& env, const CreateWorkerSessionRequest& r);
[[nodiscard]] Json to_json(const Env& env, const DeleteWorkerSessionRequest& r);
[[nodiscard]] Json to_json(const Env& env, const RegisterGraphRequest& r);
[[nodiscard]] Json to_json(const Env& env, const DeregisterGraphRequest& r);
[[nodiscard]] Json to_json(const Env& env, const RunGraphRequest& r);
[[nodiscard]] Json to_json(const Env& env, const CleanupGraphRequest& r);
[[nodiscard]] Json to_json(const Env& env, const CleanupAllRequest& r);
[[nodiscard]] Json to_json(const Env& env, const RecvTensorRequest& r);
[[nodiscard]] Json to_json(const Env& env, const LoggingRequest& r);
[[nodiscard]] Json to_json(const Env& env, const TracingRequest&);
[[nodiscard]] Json to_json(const Env& env, const MarkRecvFinishedRequest& r);

[[nodiscard]] Json to_json(const Env& env, const Empty&);
[[nodiscard]] Json to_json(const Env& env, const GetStatusResponse& r);
[[nodiscard]] Json to_json(const Env& env, const RegisterGraphResponse& r);
[[nodiscard]] Json to_json(const Env& env, const RunGraphResponse& r);
[[nodiscard]] Json to_json(const Env& env, const RecvTensorResponse& r);
[[nodiscard]] Json to_json(const Env& env, const LoggingResponse& r);

}  // namespace tarry::rpc
