// Commands as text, to be run again.
#pragma once

#include <string>

namespace tarry {

// A word as a POSIX shell reads it back.
[[nodiscard]] std::string quoted_for_shell(const std::string& word);

}  // namespace tarry
