// Commands as text, to be run again.
#pragma once

#include <string>

namespace tarry {

// As a POSIX shell takes it for one word, whatever is in it.
[[nodiscard]] std::string shell_word(const std::string& word);

}  // namespace tarry
