// What verdicts on examples that come late share.
#pragma once

#include <string>

#include "results/evidence.hpp"

namespace tarry {

// What to do about reading and preparing that takes long, by its proof.
[[nodiscard]] std::string cure_of_input(const Proof& input);
// "The first steps wait for examples: ... Run again ..., the job goes on.", where the run was over before any
// aggregate was complete (where nothing aggregates: any step had ended), and with examples that take no time it is not;
// else "".
[[nodiscard]] std::string first_examples(const Evidence& e);
// What to do about that: "let it run longer, or have ...". REQUIRES: first_examples tells it.
[[nodiscard]] std::string cure_of_first_examples(const Evidence& e);

}  // namespace tarry
