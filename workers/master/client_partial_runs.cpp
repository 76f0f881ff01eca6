#include "workers/master/client_partial_runs.hpp"

#include <utility>

namespace tarry {

Status ClientPartialRun::take_call(const StepInput& input, const Graph& full) {
  const std::vector<std::string> fed = feed_names(input.feeds);
  if (!options) options = input.options;
  TARRY_RETURN_IF_ERROR(check_call(fed, input.fetches));
  TARRY_RETURN_IF_ERROR(check_fetches(full, fed, input.fetches));
  note_call(fed, input.fetches);
  return {};
}

void ClientPartialRuns::begin(const std::string& handle, const Signature& signature, GraphRef graph, StepId step) {
  ClientPartialRun& run = runs_[handle];
  run.graph = std::move(graph);
  run.step = step;
  run.count = run.graph->runs++;
  for (const std::string& name : signature.feeds) run.feeds[name] = false;
  for (const std::string& name : signature.fetches) run.fetches[name] = false;
}

StatusOr<ClientPartialRun*> ClientPartialRuns::find(const std::string& handle) {
  const auto it = runs_.find(handle);
  if (it == runs_.end()) return invalid("Must run PartialRunSetup before performing partial runs");
  return &it->second;
}

}  // namespace tarry
