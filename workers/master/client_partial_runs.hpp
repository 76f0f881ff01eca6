// The partial runs of a session, by handle (docs/rules/runtime.md#E.5).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "workers/master/partial_run.hpp"
#include "workers/master/prepared_graphs.hpp"

namespace tarry {

struct ClientPartialRun : PartialRunNames {
  GraphRef graph;
  StepId step;
  std::int64_t count = 0;              // how many runs of the graph came before this one
  std::optional<StepOptions> options;  // options of the first call, which hold for all calls

  // Notes a call's feeds and fetches. Fails with the errors of PartialRunNames (partial_run.hpp). `full` is the
  // session's graph.
  [[nodiscard]] Status take_call(const StepInput& input, const Graph& full);
};

class ClientPartialRuns {
 public:
  [[nodiscard]] std::string new_handle() { return std::to_string(next_++); }
  void begin(const std::string& handle, const Signature& signature, GraphRef graph, StepId step);
  // Fails: INVALID_ARGUMENT `Must run PartialRunSetup before performing partial runs`.
  [[nodiscard]] StatusOr<ClientPartialRun*> find(const std::string& handle);
  void end(const std::string& handle) { runs_.erase(handle); }

 private:
  std::map<std::string, ClientPartialRun> runs_;
  std::int64_t next_ = 0;
};

}  // namespace tarry
