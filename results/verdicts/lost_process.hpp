// What all verdicts on a lost process say of it.
#pragma once

#include <span>
#include <string>

#include "results/evidence.hpp"

namespace tarry {

// "The process of worker 1 ended at 2.000 s, while it computed: the token that it had taken is gone with it. It did not
// come back."
[[nodiscard]] std::string loss_in_words(const Evidence& e, const Loss& loss);

// When the next process of one that was never ready again began; -1 = never.
[[nodiscard]] Nanos began_again(const Evidence& e, const Loss& loss);
// Of several that ended at one moment, doing the same, whose next processes were ready again, or began alike. REQUIRES:
// there is one.
[[nodiscard]] std::string losses_in_words(const Evidence& e, std::span<const Loss> together);

// " Meanwhile the process of ps 0 ended at 2.000 s with all that it held, ...": all lost parameter servers; "" where
// none was lost.
[[nodiscard]] std::string lost_servers_in_words(const Evidence& e);

// Of `troubles`, the processes that the fault behind `first` ended, a lost rack, say, with a parameter server or the
// chief among them: the servers first. {} where it ended one alone, or only workers.
[[nodiscard]] std::vector<TaskId> lost_by_one_fault(const Evidence& e, const Trouble& first,
                                                    std::span<const Trouble> troubles);

}  // namespace tarry
