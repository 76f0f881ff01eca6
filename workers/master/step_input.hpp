// What a client passes to a step, and what it gets back.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "workers/master/messages.hpp"

namespace tarry {

struct StepInput {  // a whole step, or one call of a partial run
  std::vector<FedTensor> feeds;
  SharedNames fetches, targets;
  StepOptions options = {};
  Purpose purpose = Purpose::other;
};
struct StepResult {
  Status status;
  std::vector<FedTensor> fetched = {};                 // with names, each tensor once
  std::optional<RunMetadata> metadata = std::nullopt;  // set when a step that was begun is over
};
using StepDone = absl::AnyInvocable<void(StepResult) &&>;
// Is called with what to run when the client cancels.
using OnCancel = std::function<void(Callback)>;

[[nodiscard]] inline std::vector<std::string> feed_names(const std::vector<FedTensor>& feeds) {
  std::vector<std::string> names;
  for (const FedTensor& f : feeds) names.push_back(f.name());
  return names;
}

}  // namespace tarry
