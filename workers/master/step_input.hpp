// What a client asks of a step, and what it gets.
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
  std::vector<FedTensor> fetched = {};                 // by name, each once
  std::optional<RunMetadata> metadata = std::nullopt;  // there when the step is over and was begun
};
using StepDone = absl::AnyInvocable<void(StepResult) &&>;
// Is given what to do when the client gives up.
using OnCancel = std::function<void(Callback)>;

[[nodiscard]] inline std::vector<std::string> feed_names(const std::vector<FedTensor>& feeds) {
  std::vector<std::string> names;
  for (const FedTensor& f : feeds) names.push_back(f.name());
  return names;
}

}  // namespace tarry
