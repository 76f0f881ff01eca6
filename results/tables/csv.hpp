// A table as comma-separated values, as RFC 4180 writes them.
//
// A header line, then a line for each row; lines end with a line feed. A field with a comma, a quote or an end of line
// stands in quotes, and quotes in it are doubled. What has no value is an empty field.
#pragma once

#include <string>

#include "results/tables/table.hpp"

namespace tarry {

[[nodiscard]] std::string csv_field(std::string_view text);
[[nodiscard]] std::string csv_text(const Table& table);

}  // namespace tarry
