#include "results/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "placer/core/text.hpp"

namespace tarry {
namespace {

constexpr std::size_t kRowsOfATable = 10, kLongestBar = 20, kShortestBar = 5;
constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};

std::string wrapped_line(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out(indent);
  std::size_t column = indent.size();
  for (const std::string_view word : split(text, ' ')) {
    const bool is_first = column == indent.size();
    if (!is_first && column + 1 + letters_in(word) > width) {
      out.append("\n").append(indent).append(word);
      column = indent.size() + letters_in(word);
      continue;
    }
    out.append(is_first ? "" : " ").append(word);
    column += letters_in(word) + (is_first ? 0 : 1);
  }
  return out + "\n";
}

std::vector<std::size_t> columns_of(const TextTable& t, bool every_column) {
  std::vector<std::size_t> out;
  for (std::size_t c = 0; c < t.heads.size(); ++c)
    if (c == 0 || every_column || std::ranges::any_of(t.rows, [c](const auto& row) { return row[c] != "-"; }))
      out.push_back(c);
  return out;
}

std::string padded(const std::string& cell, std::size_t width, bool at_left) {
  const std::string blanks(width - letters_in(cell), ' ');
  return at_left ? cell + blanks : blanks + cell;
}

// The columns of a table that are shown, and how wide they are.
struct Layout {
  std::vector<std::size_t> columns, widths;
  [[nodiscard]] std::size_t width() const {
    return std::accumulate(widths.begin(), widths.end(), 2 * (widths.size() - 1));
  }
};

Layout layout_of(const TextTable& t, bool every_column) {
  Layout l{columns_of(t, every_column), {}};
  for (const std::size_t c : l.columns) {
    std::size_t widest = letters_in(t.heads[c]);
    for (const auto& row : t.rows) widest = std::max(widest, letters_in(row[c]));
    l.widths.push_back(widest);
  }
  return l;
}

std::string line_of(const std::vector<std::string>& cells, const Layout& l, const std::string& bar) {
  std::string out;
  for (std::size_t i = 0; i < l.columns.size(); ++i)
    out += (i == 0 ? "" : "  ") + padded(cells[l.columns[i]], l.widths[i], i == 0);
  if (!bar.empty()) out += "  " + bar;
  return out.erase(out.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += wrapped_line(line, indent, width);
  return out;
}

std::string bar_of(double share, std::size_t room) {
  const auto eighths = static_cast<std::size_t>(std::lround(share * 8 * static_cast<double>(room)));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += kEighths[8];
  return out + kEighths[eighths % 8];
}

std::string text_of(const TextTable& t, std::size_t width, bool every_column) {
  const Layout l = layout_of(t, every_column);
  const std::size_t left = width > l.width() + 2 ? std::min(kLongestBar, width - l.width() - 2) : 0;
  const bool has_bars = !t.bars.empty() && left >= kShortestBar;
  std::string out = line_of(t.heads, l, "");
  for (std::size_t r = 0; r < t.rows.size(); ++r) out += line_of(t.rows[r], l, has_bars ? bar_of(t.bars[r], left) : "");
  return out;
}

std::vector<std::size_t> busiest(std::span<const double> weights, bool every) {
  std::vector<std::size_t> rows(weights.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (every || rows.size() <= kRowsOfATable + 1) return rows;
  std::ranges::stable_sort(rows, std::greater(), [&](std::size_t r) { return weights[r]; });
  rows.resize(kRowsOfATable);
  return rows;
}

std::vector<std::size_t> others(std::size_t count, const std::vector<std::size_t>& shown) {
  std::vector<std::size_t> out;
  for (std::size_t r = 0; r < count; ++r)
    if (std::ranges::find(shown, r) == shown.end()) out.push_back(r);
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 300, kShown = 160, kLeast = 80;
  if (text.size() <= kMost) return std::string(text);
  const std::size_t before = text.rfind(", ", kShown);
  const std::size_t comma = before == text.npos || before < kLeast ? text.find(", ", kShown) : before;
  return comma == text.npos ? std::string(text) : std::string(text.substr(0, comma)) + ", ...";
}

}  // namespace tarry
