// Feeds of zeros that say which rows of a variable are read.
//
// A client feeds zeros where nothing else is asked for. Where they are ids that an embedding is looked up by, every
// look-up is of row 0: one parameter server has all of them, and one row's gradient is all that is pushed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workers/train/program.hpp"

namespace tarry {

struct FedRows {
  std::vector<std::string> tensors;  // that are fed zeros: "ids:0"; in the order of the program's feeds
  std::string variable;              // the first variable, in the graph's order, of which they choose rows
  std::int64_t rows = 0;             // that it has, with those of its other parts; 0 = unknown
};

// No tensors where no feed is such a one.
[[nodiscard]] FedRows rows_by_zeros(const ClientProgram& program);

// "table": the variable in several parts, one of which the node's output is rows of; "" of any other node's.
[[nodiscard]] std::string table_in_parts(const GraphSpec& graph, std::string_view node);

}  // namespace tarry
