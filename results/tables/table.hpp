// A table for other tools: a name, columns, and rows. It is described once; CSV and SQLite are written from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace tarry {

enum class ColumnType : std::uint8_t { integer, text };

struct Column {
  std::string_view name;  // with the unit of what it holds: "began_ns"
  ColumnType type = ColumnType::integer;
};

// Nothing, a number or a text, as its column says.
using Cell = std::variant<std::monostate, std::int64_t, std::string_view>;

struct Table {
  std::string_view name;
  std::vector<Column> columns;
  std::size_t rows = 0;
  std::function<Cell(std::size_t row, std::size_t column)> at;
};

[[nodiscard]] inline Cell cell(std::int64_t n) { return n; }
[[nodiscard]] inline Cell cell(std::optional<std::int64_t> n) { return n ? Cell(*n) : Cell(); }
// A text that is empty is nothing.
[[nodiscard]] inline Cell cell(std::string_view text) { return text.empty() ? Cell() : Cell(text); }

// A column, and its value in a row of its own kind.
template <class Row>
struct ColumnOf {
  Column column;
  Cell (*of)(const Row& row);
};
template <class Member>
struct OfMember;
template <class R, class T>
struct OfMember<T R::*> {
  using Row = R;
  static constexpr bool kIsText = std::is_convertible_v<T, std::string_view>;
};
// A member of the row, a number or a text: column_of<&StepRow::began>("began_ns").
template <auto member, class Row = typename OfMember<decltype(member)>::Row>
[[nodiscard]] ColumnOf<Row> column_of(std::string_view name) {
  return {{name, OfMember<decltype(member)>::kIsText ? ColumnType::text : ColumnType::integer},
          [](const Row& row) { return cell(row.*member); }};
}

// REQUIRES: `rows` outlives the table.
template <class Row>
[[nodiscard]] Table make_table(std::string_view name, const std::vector<Row>& rows, std::vector<ColumnOf<Row>> fields) {
  Table t{name, {}, rows.size(), {}};
  for (const ColumnOf<Row>& f : fields) t.columns.push_back(f.column);
  t.at = [&rows, fields = std::move(fields)](std::size_t r, std::size_t c) { return fields[c].of(rows[r]); };
  return t;
}

}  // namespace tarry
