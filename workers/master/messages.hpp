// The messages between clients and a master: one plain struct per request and response of TensorFlow's MasterService
// (docs/rules/runtime.md#E).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/master/step_run.hpp"

namespace tarry {

enum class TraceLevel : std::uint8_t {
  none,
  software,
  hardware,
  full
};  // the middle two do nothing in a master (seen in 2.15.1)

struct StepOptions {
  TraceLevel trace = TraceLevel::none;
  std::int64_t timeout_ms = 0;  // used by the client only: it is the deadline of its call
  bool partition_graphs = false;
  bool report_allocations = false;
};

struct RunMetadata {
  StepStats stats;
  std::vector<CostNode> costs;
  std::vector<GraphSpec> partition_graphs;
};

struct CreateSessionResponse {
  std::string session;  // handle: 16 hexadecimal digits
};
struct CreateSessionRequest {
  using Response = CreateSessionResponse;
  std::shared_ptr<const GraphSpec> graph;
  SessionConfig config;
  std::string
      target;  // "grpc://HOST:PORT" as the client called it; says which task of the cluster in `config` is the master
};

struct ExtendSessionResponse {
  std::int64_t new_version = 0;
};
struct ExtendSessionRequest {
  using Response = ExtendSessionResponse;
  std::string session;
  std::shared_ptr<const GraphSpec> graph;
  std::int64_t current_version = 0;
};

struct RunStepResponse {
  std::vector<FedTensor> tensors;
  std::optional<RunMetadata> metadata;
  Status status;  // the step's, when the request has errors_in_body
};
struct RunStepRequest {
  using Response = RunStepResponse;
  std::string session;
  std::vector<FedTensor> feeds;
  std::vector<std::string> fetches, targets;
  std::optional<StepOptions> options;
  std::string partial_run;  // handle; "" = a whole step
  bool errors_in_body = false;
  std::uint64_t request_id = 0;  // 0 = repeats are not detected
};

struct PartialRunSetupResponse {
  std::string handle;
};
struct PartialRunSetupRequest {
  using Response = PartialRunSetupResponse;
  std::string session;
  std::vector<std::string> feeds, fetches, targets;
  std::uint64_t request_id = 0;
};

struct CloseSessionRequest {
  using Response = Empty;
  std::string session;
};

struct ListDevicesResponse {
  std::vector<DeviceAttributes> local, remote;
};
struct ListDevicesRequest {
  using Response = ListDevicesResponse;
  std::string session;  // "" = the cluster as it is now
};

struct ResetRequest {
  using Response = Empty;
  std::vector<std::string> containers, device_filters;
};

struct CallableOptions {
  std::vector<std::string> feeds, fetches, targets;
  std::optional<StepOptions> run;
};
struct MakeCallableResponse {
  std::int64_t handle = 0;
};
struct MakeCallableRequest {
  using Response = MakeCallableResponse;
  std::string session;
  CallableOptions options;
  std::uint64_t request_id = 0;
};
struct RunCallableResponse {
  std::vector<TensorRef> fetched;  // in the callable's order
  std::optional<RunMetadata> metadata;
};
struct RunCallableRequest {
  using Response = RunCallableResponse;
  std::string session;
  std::int64_t handle = 0;
  std::vector<TensorRef> feeds;  // in the callable's order
  std::uint64_t request_id = 0;
};
struct ReleaseCallableRequest {
  using Response = Empty;
  std::string session;
  std::int64_t handle = 0;
};

// A request as protobuf prints it on one line.
[[nodiscard]] std::string text_of(const RunStepRequest& r);
[[nodiscard]] std::string text_of(const PartialRunSetupRequest& r);
[[nodiscard]] std::string text_of(const MakeCallableRequest& r);
[[nodiscard]] std::string text_of(const RunCallableRequest& r);

}  // namespace tarry
