// Traces: how much longer each step of each worker takes than usual, from a CSV file.
//
//   worker,step,factor
//   0,0,1.25
//   0,1,0.9
// In any order of lines. Steps of a worker count from 0, without a gap; a factor has six decimals at the most.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

using Trace = std::map<std::int64_t, std::vector<std::int64_t>>;  // by worker: millionths, by step

// `file` is its name. Fails: INVALID_ARGUMENT "file:line: what is wrong; what was expected".
[[nodiscard]] StatusOr<Trace> parse_trace(std::string_view text, const std::string& file);

}  // namespace tarry
