// A recording judged in a child process, with little processor time.
//
// A recorded graph may loop for ever, and a recorded step may take as long as it likes: a recording that was changed
// ends by the time limit then, rather than never.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "placer/core/status.hpp"

namespace tarry {

// A shipped recording takes three at the most, and as much again for each random split.
constexpr int kProcessorSeconds = 8;

// What `judge` gave. Fails: with its errors; RESOURCE_EXHAUSTED when it takes more processor time than `seconds`;
// INTERNAL when the child was ended by another signal, or by another exception than std::bad_alloc.
[[nodiscard]] StatusOr<nlohmann::json> judge_apart(const std::function<StatusOr<nlohmann::json>()>& judge,
                                                   int seconds = kProcessorSeconds);

}  // namespace tarry
