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

// The last one: its sync step ended with an error, or with its process, and no later one handed out tokens. None where
// one of `troubles` is wrong to the end (docs/rules/runtime.md#F.6.4).
[[nodiscard]] std::optional<LostRound> lost_round(const Evidence& e, std::span<const Trouble> troubles);

// " A step of the sync thread of worker 0 ended when it had the aggregates of 4 of 6 variables: the gradients in them
// are lost, and no tokens came for them."
[[nodiscard]] std::string in_words(const LostRound& round, const Evidence& e);
// "give at least 4 initial tokens (num_tokens of make_session_run_hook); and find out what ends worker 0": with them
// and the chief's own gradient the next aggregate is complete.
[[nodiscard]] std::string cure_of(const LostRound& round, const Evidence& e, std::span<const Trouble> troubles);

}  // namespace tarry
