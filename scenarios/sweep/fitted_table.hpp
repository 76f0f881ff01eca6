// Tables of arms that fit a screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tarry {

// Greedy lines of at most `width` letters, each of which ends behind one of `ends`, or where the text does; a longer
// piece has a line of its own. Blanks at the end of a line are left out.
[[nodiscard]] std::vector<std::string> broken(std::string_view text, std::string_view ends, std::size_t width);

// The first line has the heads, which are broken where they are longer than what stands below them; the first `keys`
// columns say which arm it is. Where the columns are wider than `width` together, several tables follow each other, and
// each has the keys; what the last column says is broken at its blanks where it is too long even so. REQUIRES: all
// lines as long as the first one.
[[nodiscard]] std::string fitted_table(const std::vector<std::vector<std::string>>& lines, std::size_t keys,
                                       std::size_t width);

}  // namespace tarry
