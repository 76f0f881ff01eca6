// The tables of a run: steps, kernels, messages, gradients, aggregates, queues, levels, sessions, faults, verdicts.
//
// Rows are in the order of the log: by the time when the last of what they tell happened; levels and steps by the time
// when they began.
#pragma once

#include <string>
#include <vector>

#include "results/tables/run_rows.hpp"
#include "results/tables/table.hpp"

namespace tarry {

// REQUIRES: `rows` outlives the tables.
[[nodiscard]] std::vector<Table> run_tables(const RunRows& rows);

// The same tables for every run.
[[nodiscard]] std::vector<std::string> run_table_names();

}  // namespace tarry
