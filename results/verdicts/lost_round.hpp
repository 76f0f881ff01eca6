// Aggregates that a chief took and handed out no tokens for: their gradients are gone, and nobody gets a token for
// them.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "results/evidence.hpp"

namespace tarry {

struct LostRound {
  TaskId chief;
  std::size_t taken = 0, all = 0;  // accumulators whose aggregates its sync step had, and how many there are
  std::int64_t required = 0;       // gradients of an aggregate
};

// The last one: its sync step ended with an error, or with its process. What was wrong with `troubles` must be over;
// none where one of them is wrong to the end (docs/rules/runtime.md#F.6.4).
[[nodiscard]] std::optional<LostRound> lost_round(const Evidence& e, std::span<const Trouble> troubles);

// " The sync thread of worker 0 had taken the aggregates of 4 of 6 variables when its step ended: the gradients in them
// are lost, and no tokens came for them."
[[nodiscard]] std::string in_words(const LostRound& round, const Evidence& e);
// "give at least 5 initial tokens (num_tokens of make_session_run_hook), or ...; and find out what ends worker 0".
[[nodiscard]] std::string cure_of(const LostRound& round, const Evidence& e, std::span<const Trouble> troubles);

}  // namespace tarry
