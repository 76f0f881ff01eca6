// A Python client's Session, between the program and the master (seen in 2.15.1).
//
// The master's session is created at the first run; nodes that the program adds later are sent before the next run. A
// tensor is fetched once however often the program names it; a fed tensor is not fetched over the network. Errors
// travel in the response's body. A call that fails with UNAVAILABLE is repeated with the same request id.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workers/master/service.hpp"

namespace tarry {

struct ClientRun {
  std::vector<FedTensor> feeds;
  std::vector<std::string> fetches;  // tensors
  std::vector<std::string> targets;  // operations
  StepOptions options = {};
};

class ClientSession {
 public:
  using Ran = absl::AnyInvocable<void(StatusOr<std::vector<TensorRef>>) &&>;
  static constexpr const char* kClosed = "Attempted to use a closed Session.";  // a RuntimeError in Python

  ClientSession(Env& env, MasterService& master, GraphSpec graph, SessionConfig config, std::string target);

  // Adds nodes to the program's graph.
  void grow(const std::vector<NodeSpec>& nodes) { graph_.nodes.insert(graph_.nodes.end(), nodes.begin(), nodes.end()); }
  [[nodiscard]] const GraphSpec& graph() const { return graph_; }

  // Values in the order of the fetches. Fails: FAILED_PRECONDITION `kClosed`; the master's errors, after the prefix
  // `Graph execution error:\n\n`; DEADLINE_EXCEEDED when the run's timeout, or else the config's, passes.
  void run(ClientRun run, Ran done);
  // Without a session at the master no call is made.
  void close(StatusCallback done);
  // Session.reset, which needs no session.
  static void reset(Env& env, MasterService& master, std::vector<std::string> containers, StatusCallback done);

 private:
  void prepare(StatusCallback done);
  void create(StatusCallback done);
  void extend(StatusCallback done);
  void run_step(ClientRun run, Ran done);
  [[nodiscard]] RunStepRequest request_of(const ClientRun& run);
  template <class Request>
  void ask(Request request, ReplyDone<typename Request::Response> done, std::int64_t timeout_ms);
  [[nodiscard]] std::int64_t timeout_of(const ClientRun& run) const {
    return run.options.timeout_ms != 0 ? run.options.timeout_ms : config_.operation_timeout_ms;
  }

  Env& env_;
  MasterService& master_;
  GraphSpec graph_;
  SessionConfig config_;
  std::string target_, handle_;
  std::size_t sent_nodes_ = 0;
  std::int64_t version_ = 0;
  bool closed_ = false;
};

}  // namespace tarry
