// Traces: how much longer each step of each worker takes than usual, or what the cards of each host have of their
// bandwidth in each interval, from a CSV file.
//
//   worker,step,factor          host,interval,factor
//   0,0,1.25                    server,0,1
//   0,1,0.9                     server,1,0.35
// In any order of lines. Steps of a worker and intervals of a host count from 0, without a gap; a factor has six
// decimals at the most.
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

using HostTrace = std::map<std::string, std::vector<std::int64_t>>;  // by host: millionths, by interval

// The same. Fails also where a factor is below 0.001 or above 1000.
[[nodiscard]] StatusOr<HostTrace> parse_host_trace(std::string_view text, const std::string& file);

}  // namespace tarry
