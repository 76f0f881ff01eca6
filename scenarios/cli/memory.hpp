// How much memory a program of tarry may take: more than that is refused before it is taken.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

// Takes `--memory SIZE` out of the words of a command line; without it, three quarters of the machine's memory.
// Child processes have the same budget each. Fails: INVALID_ARGUMENT for what is no size of at least 64 MiB.
[[nodiscard]] Status take_memory_budget(std::vector<std::string>& words);

}  // namespace tarry
