// Runs the recorded steps of one session and compares the results.
#pragma once

#include "properties/conform/executor.hpp"
#include "workers/direct/direct_session.hpp"

namespace tarry {

struct ReplayRules {
  bool compare_texts = true;      // compare error texts; else codes only
  bool texts_repeatable = true;   // false = numbers in texts that count objects are ignored
  bool by_way_of_floats = false;  // doubles agree as floats do
};

// `steps` as recorded.
void replay(DirectSession& session, const Json& steps, const ReplayRules& rules, ConformRow& row);

// The request that a recorded step makes.
[[nodiscard]] StatusOr<StepRequest> request_of(const Json& step);

}  // namespace tarry
