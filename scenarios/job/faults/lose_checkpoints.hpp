// All checkpoints are gone, with the list of them: the folder was cleaned, or its disk is another one. A chief that
// begins anew finds none and runs its init op: training starts over at step 0 (docs/rules/runtime.md#E.6; derived).
#pragma once

#include <fmt/format.h>

#include "scenarios/job/faults/kind.hpp"

namespace tarry {

struct LoseCheckpoints {
  static constexpr std::string_view kKey = "lose_checkpoints", kExample = "all",
                                    kMeaning = "all checkpoints of the job are gone";
  All which;

  static constexpr auto fields() { return std::tuple(field("which", &LoseCheckpoints::which, "of them")); }
  void happen(FaultContext& c) const {
    c.say("all checkpoints are gone", kKey, "");
    c.directory.files.lose_all();
  }
  friend bool operator==(const LoseCheckpoints&, const LoseCheckpoints&) = default;
};

}  // namespace tarry
