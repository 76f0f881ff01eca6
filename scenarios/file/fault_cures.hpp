// Cures of what faults did: the faults that a piece of advice is about are taken away, and no others.
//
// A verdict names troubles (results/trouble.hpp), and its proof is a run without the faults behind them
// (is_about, results/verdicts/proved.hpp). A cure takes away the same ones, so both gain the same; of faults about the
// same task, host or path, what stops it stays where what slows it is looked at, and the other way round. Where the
// verdict's run was without any fault, each cure takes away those of its own kind.
#pragma once

#include <string_view>
#include <vector>

#include "scenarios/file/cure_edits.hpp"

namespace tarry {

// "worker 1" stands in "worker 1; ..." and in "without worker 1", and not in "worker 10" or "coworker 1".
[[nodiscard]] bool has_name(std::string_view text, std::string_view name);

// Takes all of these away together, and says in `cured` which keys and whom they are about. Fails with
// INVALID_ARGUMENT where there are none.
Status take_away_all(const Ward& ward, std::span<const WhatIf* const> causes, CuredJob& cured);

// Each is about whom the verdict names in those parts of what is to be done that hold `words`; where the verdict's run
// was without any fault, about everybody. Each fails with INVALID_ARGUMENT where there is no such fault.
Status without_what_slows(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
Status without_pauses(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
// What ends a process.
Status without_what_ends(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
// What keeps messages between hosts from passing, or delays them.
Status without_what_holds_messages(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
// No space where a task of the verdict saves; what others hold of the memory of one's GPU.
Status without_full_disks(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
Status without_torn_saves(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
Status without_taken_memory(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);
// All that was wrong to the end.
Status without_all_that_stops(const Ward& ward, std::string_view words, const Verdict& verdict, CuredJob& cured);

}  // namespace tarry
