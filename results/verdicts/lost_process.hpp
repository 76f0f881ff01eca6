// What all verdicts on a lost process say of it.
#pragma once

#include <string>

#include "results/evidence.hpp"

namespace tarry {

// "The process of worker 1 ended at 2.000 s, while it computed: the token that it had taken is gone with it. It did not
// come back."
[[nodiscard]] std::string loss_in_words(const Evidence& e, const Loss& loss);

}  // namespace tarry
