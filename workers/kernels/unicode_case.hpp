// Upper and lower case of texts in Unicode.
#pragma once

#include <string>

namespace tarry {

// All letters in the other case, one code point at a time or several for one. What has no such case stays.
[[nodiscard]] std::u32string in_upper_case(const std::u32string& text);
// The same. A capital sigma at the end of a word has a form of its own.
[[nodiscard]] std::u32string in_lower_case(const std::u32string& text);

}  // namespace tarry
