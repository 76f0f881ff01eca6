#include "scenarios/sweep/fitted_table.hpp"

#include <algorithm>

#include "results/text_table.hpp"
#include "scenarios/sweep/summary.hpp"

namespace tarry {
namespace {

constexpr std::size_t kBetween = 2;      // blanks between columns
constexpr std::size_t kShortHead = 12;   // letters
constexpr std::size_t kLeastProse = 30;  // letters of a last column that is broken

using Lines = std::vector<std::vector<std::string>>;

std::string_view without_end_blanks(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

struct Column {
  std::vector<std::vector<std::string>> cells;  // each in lines; the first one is the head
  std::size_t width = 0;
};

void add(Column& column, std::vector<std::string> cell) {
  for (const std::string& line : cell) column.width = std::max(column.width, letters_in(line));
  column.cells.push_back(std::move(cell));
}

Column column_of(const Lines& lines, std::size_t at) {
  std::size_t body = kShortHead;
  for (std::size_t i = 1; i < lines.size(); ++i) body = std::max(body, letters_in(lines[i][at]));
  Column out;
  add(out, broken(lines[0][at], "_. ", body));
  for (std::size_t i = 1; i < lines.size(); ++i) add(out, {lines[i][at]});
  return out;
}

// Heads stand at the foot of theirs, other cells at the top.
std::string text_of(const std::vector<const Column*>& columns) {
  Lines out;
  for (std::size_t row = 0; row < columns.front()->cells.size(); ++row) {
    std::size_t height = 1;
    for (const Column* c : columns) height = std::max(height, c->cells[row].size());
    for (std::size_t i = 0; i < height; ++i) {
      out.emplace_back();
      for (const Column* c : columns) {
        const std::vector<std::string>& cell = c->cells[row];
        const std::size_t above = row == 0 ? height - cell.size() : 0;
        out.back().push_back(i >= above && i - above < cell.size() ? cell[i - above] : "");
      }
    }
  }
  return table_text(out);
}

void break_prose(Column& column, std::size_t width) {
  if (column.width <= width) return;
  Column out;
  for (const auto& cell : column.cells) add(out, broken(cell.front(), " ", std::max(width, kLeastProse)));
  column = std::move(out);
}

}  // namespace

std::vector<std::string> broken(std::string_view text, std::string_view ends, std::size_t width) {
  std::vector<std::string> out{""};
  while (!text.empty()) {
    const std::string_view piece = text.substr(0, std::min(text.find_first_of(ends), text.size() - 1) + 1);
    if (!out.back().empty() && letters_in(out.back()) + letters_in(without_end_blanks(piece)) > width)
      out.emplace_back();
    out.back() += piece;
    text.remove_prefix(piece.size());
  }
  for (std::string& line : out) line.resize(without_end_blanks(line).size());
  return out;
}

std::string fitted_table(const std::vector<std::vector<std::string>>& lines, std::size_t keys, std::size_t width) {
  std::vector<Column> columns;
  for (std::size_t at = 0; at < lines.front().size(); ++at) columns.push_back(column_of(lines, at));
  std::size_t of_keys = 0;
  for (std::size_t at = 0; at < keys; ++at) of_keys += columns[at].width + kBetween;
  break_prose(columns.back(), width - std::min(width, of_keys));
  std::string out;
  for (std::size_t at = keys; at < columns.size();) {
    std::vector<const Column*> shown;
    for (std::size_t k = 0; k < keys; ++k) shown.push_back(&columns[k]);
    for (std::size_t used = of_keys; at < columns.size(); ++at) {
      if (shown.size() > keys && used + columns[at].width > width) break;
      shown.push_back(&columns[at]);
      used += columns[at].width + kBetween;
    }
    out += (out.empty() ? "" : "\n") + text_of(shown);
  }
  return out;
}

}  // namespace tarry
