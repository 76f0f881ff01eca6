// The exit code of a run that expects nothing: by its worst verdict.
#pragma once

#include <algorithm>
#include <span>

#include "results/verdict.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {

[[nodiscard]] inline int exit_code_of(std::span<const Verdict> verdicts) {
  const auto has = [&](const char* kind) {
    return std::ranges::any_of(verdicts, [&](const Verdict& v) { return v.kind == kind; });
  };
  if (has("credit_law_broken")) return kSafety;
  if (has("stuck")) return kDeadlock;
  return has("failed") || has("not_started") ? kExpectationFailed : kOk;
}

}  // namespace tarry
