// The messages of the worker service: one plain struct per request and response (docs/rules/runtime.md#D.1).
//
// Fields are those of TensorFlow's WorkerService that tarry reads or passes on, under shorter names. A request type
// names its response, its method on the wire, and whether a call waits for a task that has no process (seen in 2.15.1:
// GetStatus and CleanupGraph wait, the others fail at once).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placer/core/shared.hpp"
#include "placer/graph/spec.hpp"
#include "workers/rendezvous/key.hpp"
#include "workers/rendezvous/rendezvous.hpp"
#include "workers/tensor/tensor.hpp"
#include "workers/worker/session_config.hpp"

namespace tarry {

class Env;

enum class Method : std::uint8_t {
  get_status,
  create_worker_session,
  delete_worker_session,
  register_graph,
  deregister_graph,
  run_graph,
  cleanup_graph,
  cleanup_all,
  recv_tensor,
  logging,
  tracing,
  mark_recv_finished
};
inline constexpr std::size_t kMethods = 12;
[[nodiscard]] const char* method_name(Method m);  // "RegisterGraph"

enum class WhenAbsent : std::uint8_t { fails, waits };

// What every request says about its call.
template <class ResponseType, Method method, WhenAbsent when_absent = WhenAbsent::fails>
struct RequestOf {
  using Response = ResponseType;
  static constexpr Method kMethod = method;
  static constexpr WhenAbsent kWhenAbsent = when_absent;
};

struct Empty {};

struct DeviceAttributes {
  std::string name, type;
  std::int64_t memory_limit = 0;
  std::uint64_t incarnation = 0;
  std::int64_t xla_global_id = 0;
};

struct GetStatusResponse {
  std::vector<DeviceAttributes> devices;
};
struct GetStatusRequest : RequestOf<GetStatusResponse, Method::get_status, WhenAbsent::waits> {};

struct ServerDef {
  std::string job;
  int task = 0;
  std::shared_ptr<const ClusterDef> cluster;  // null = the server's own cluster
  std::string leader;                         // the coordination service's leader: the master's task
};
struct CreateWorkerSessionRequest : RequestOf<Empty, Method::create_worker_session> {
  std::string session;
  ServerDef server;
  bool isolate_state = false;
  std::string master_task;  // "" = the master gives no name (sessions.hpp)
  std::uint64_t master_incarnation = 0;
  std::vector<DeviceAttributes> cluster_devices;
};
struct DeleteWorkerSessionRequest : RequestOf<Empty, Method::delete_worker_session> {
  std::string session;
};

struct RegisterGraphResponse {
  std::string graph;  // handle
};
[[nodiscard]] std::uint64_t wire_bytes(const GraphSpec& graph);  // near enough to what protobuf would take

// A task's part of a graph as it is sent: immutable, and measured once. It may have been cut earlier, or for another
// task's client; `renewed` says what holds now.
struct SentGraph {
  SentGraph() = default;
  explicit SentGraph(std::shared_ptr<const GraphSpec> part) : spec(std::move(part)), bytes(wire_bytes(*spec)) {}

  std::shared_ptr<const GraphSpec> spec;
  std::uint64_t bytes = 0;                 // on the wire
  std::shared_ptr<const Renewal> renewed;  // null = all holds
};

struct RegisterGraphRequest : RequestOf<RegisterGraphResponse, Method::register_graph> {
  std::string session;  // handle
  SentGraph graph;
  bool session_was_created = true;  // false = use the legacy session
  GraphOptions options;
  std::shared_ptr<const SessionConfig> config;
};
struct DeregisterGraphRequest : RequestOf<Empty, Method::deregister_graph> {
  std::string session, graph;
  bool session_was_created = true;
};

struct NamedTensor {
  NameId key;  // rendezvous key
  TensorRef tensor;
};

struct ExecOptions {
  bool record_costs = false, record_timeline = false, report_allocations = false, record_partition_graphs = false;
  [[nodiscard]] bool collects() const { return record_costs || record_timeline || report_allocations; }
};

struct NodeStats {
  std::string node, label;
  std::vector<std::pair<DataType, Shape>> outputs;
  std::uint64_t bytes = 0;  // of a logged transfer
};
struct DeviceStats {
  std::string device;
  std::vector<NodeStats> nodes;
};
using StepStats = std::vector<DeviceStats>;

struct CostOutput {
  std::int64_t size = -1;      // bytes; 0 for a value that stays in memory, -1 = not known
  std::optional<Shape> shape;  // none = not known
  DataType type = DataType::kInvalid;
};
struct CostNode {  // a cost graph's node: a node of an executor's graph, source and sink included
  std::string name, device;
  std::int32_t id = 0;
  std::vector<std::int32_t> preceding, ports;  // ids and slots of the data inputs' sources
  std::vector<std::int32_t> control;           // ids of control inputs
  std::vector<CostOutput> outputs;
  std::int64_t persistent_bytes = 0;
  bool is_final = false;
};

struct RunGraphDetails {  // filled for traced or measured steps only
  StepStats stats;
  std::vector<CostNode> costs;
  std::vector<GraphSpec> partition_graphs;
};
struct RunGraphResponse {
  std::vector<NamedTensor> received;
  Status status;                // the step's, when the request has errors_in_body
  bool has_cost_graph = false;  // a graph ran; its cost graph may be empty
  std::shared_ptr<const RunGraphDetails> details;
};
struct RunGraphRequest : RequestOf<RunGraphResponse, Method::run_graph> {
  SharedText session, graph;  // handles
  StepId step;
  std::vector<NamedTensor> sends;  // fed values
  std::vector<NameId> receives;    // fetched keys
  bool session_was_created = true;
  bool errors_in_body = false;
  bool is_partial = false, is_last_partial = false;
  ExecOptions exec;
  std::uint64_t request_id = 0;  // 0 = repeats are not detected
};

struct CleanupGraphRequest : RequestOf<Empty, Method::cleanup_graph, WhenAbsent::waits> {
  StepId step;
};
struct CleanupAllRequest : RequestOf<Empty, Method::cleanup_all> {
  std::vector<std::string> containers;  // empty = the default one
};

struct RecvTensorResponse {
  Received value;
};
struct RecvTensorRequest : RequestOf<RecvTensorResponse, Method::recv_tensor> {
  StepId step;
  RendezvousKey key;
  std::uint64_t request_id = 0;
};

struct LoggingResponse {
  std::vector<std::pair<StepId, StepStats>> steps;
};
struct LoggingRequest : RequestOf<LoggingResponse, Method::logging> {
  bool enable = false, disable = false, clear = false;
  std::vector<StepId> fetch;
};
struct TracingRequest : RequestOf<Empty, Method::tracing> {};
struct MarkRecvFinishedRequest : RequestOf<Empty, Method::mark_recv_finished> {
  std::uint64_t request_id = 0;
};

// Bytes on the wire, near enough to what protobuf would take.
template <class Request>
[[nodiscard]] std::uint64_t request_bytes(const Request&) {
  return 64;
}
[[nodiscard]] inline std::uint64_t request_bytes(const DeleteWorkerSessionRequest&) { return 32; }
[[nodiscard]] inline std::uint64_t request_bytes(const RegisterGraphRequest& r) { return r.graph.bytes; }
[[nodiscard]] inline std::uint64_t request_bytes(const RunGraphRequest&) { return 200; }
[[nodiscard]] inline std::uint64_t request_bytes(const CleanupGraphRequest&) { return 16; }
// Step id, request id and a key of some 90 characters.
[[nodiscard]] inline std::uint64_t request_bytes(const RecvTensorRequest&) { return 100; }

[[nodiscard]] inline std::uint64_t response_bytes(const Empty&) { return 0; }
[[nodiscard]] inline std::uint64_t response_bytes(const LoggingResponse&) { return 0; }
[[nodiscard]] inline std::uint64_t response_bytes(const GetStatusResponse&) { return 200; }
[[nodiscard]] inline std::uint64_t response_bytes(const RegisterGraphResponse&) { return 32; }
[[nodiscard]] std::uint64_t response_bytes(const RunGraphResponse& r);
[[nodiscard]] inline std::uint64_t response_bytes(const RecvTensorResponse& r) {
  return r.value.tensor ? r.value.tensor->bytes() : 0;
}

// A rendezvous key as text, with its frame and iteration.
[[nodiscard]] std::string key_text(const Env& env, const RendezvousKey& key);
[[nodiscard]] RendezvousKey key_from_text(Env& env, std::string_view text);  // `text` is not checked

}  // namespace tarry
