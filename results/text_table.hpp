// Texts for people's eyes: lines no longer than a screen is wide, and tables.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tarry {

// Of UTF-8, each of whose letters takes a column.
[[nodiscard]] std::size_t letters_in(std::string_view text);

// The words put into lines of at most `width` letters, each indented and ended; a longer word has a line of its own. A
// line break of the text stays.
[[nodiscard]] std::string wrapped(std::string_view text, std::string_view indent, std::size_t width);

// A bar that fills `share` of `room` letters, in eighths of one. REQUIRES: 0 <= share <= 1.
[[nodiscard]] std::string bar_of(double share, std::size_t room);

struct TextTable {
  std::vector<std::string> heads;              // the first column stands at the left, the others at the right
  std::vector<std::vector<std::string>> rows;  // as long as `heads`; "-" = there is nothing to say
  std::vector<double> bars = {};               // behind the rows, 0 to 1, a row each; empty = none
};
// A column whose cells are all "-" is left out, unless `every_column`. Bars take what the columns leave of `width`, at
// the most 20 letters; where that is fewer than five, there are none.
[[nodiscard]] std::string text_of(const TextTable& table, std::size_t width, bool every_column = false);

// Which rows a table shows: all where `every` or no more than eleven are there, else the ten of the greatest weight,
// the earlier ones of equal weight, in the order of their weight.
[[nodiscard]] std::vector<std::size_t> busiest(std::span<const double> weights, bool every);
// Those of `count` rows that are not among `shown`.
[[nodiscard]] std::vector<std::size_t> others(std::size_t count, const std::vector<std::size_t>& shown);

// A list of many names, cut behind a comma where it is longer than three lines: "a, b, c, ...".
[[nodiscard]] std::string shortened(std::string_view text);

}  // namespace tarry
