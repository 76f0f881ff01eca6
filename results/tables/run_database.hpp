// A run as an SQLite database: its tables (run_tables.hpp), indexes, views (views.hpp), and a table `run` of facts.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "results/tables/table.hpp"

namespace tarry {

struct RunFact {
  std::string_view key;
  Cell value;
};

// The bytes of its file: the same for the same tables and facts. Fails: INVALID_ARGUMENT when there is too little
// memory.
// REQUIRES: the tables are those of run_tables, and a fact `ended_ns` says when the run ended.
[[nodiscard]] StatusOr<std::string> run_database(const std::vector<Table>& tables, const std::vector<RunFact>& facts);

}  // namespace tarry
