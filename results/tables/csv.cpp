#include "results/tables/csv.hpp"

namespace tarry {
namespace {

void put(std::string& out, const Cell& cell) {
  if (const auto* n = std::get_if<std::int64_t>(&cell)) out += std::to_string(*n);
  if (const auto* t = std::get_if<std::string_view>(&cell)) out += csv_field(*t);
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string csv_text(const Table& table) {
  std::string out;
  const auto end_field = [&](std::size_t column) { out += column + 1 < table.columns.size() ? ',' : '\n'; };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    out += csv_field(table.columns[c].name);
    end_field(c);
  }
  for (std::size_t r = 0; r < table.rows; ++r)
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      put(out, table.at(r, c));
      end_field(c);
    }
  return out;
}

}  // namespace tarry
