// The questions that people ask about a run, as views over its tables (run_tables.hpp), and indexes that answer soon.
#pragma once

#include <span>
#include <string_view>

namespace tarry {

struct View {
  std::string_view name;
  std::string_view question;  // that it answers
  std::string_view select;    // in SQL; uses tables and views above it
};

[[nodiscard]] std::span<const View> run_views();

// CREATE INDEX statements.
[[nodiscard]] std::string_view run_indexes();

}  // namespace tarry
