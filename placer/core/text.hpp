// Small helpers on text: suggestions for mistyped words, quoting, joining.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tarry {

// The candidate nearest to `word` (edit distance at most a third of its length, rounded up), or "" when none is near.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);
// "; did you mean 'X'?" for the nearest candidate, or "".
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace tarry
