// What a bench program measured: a figure for each benchmark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct Figure {
  std::string name;    // as the bench prints it
  double seconds = 0;  // of one iteration, processor time
};

// A benchmark whose name ends with "/manual_time" takes its processor time itself, and tells it as its real time.
[[nodiscard]] double processor_time(std::string_view name, double real, double cpu);

// Those in a file that `tarry bench --out` wrote. Fails: INVALID_ARGUMENT where `json` is no such file's text.
[[nodiscard]] StatusOr<std::vector<Figure>> figures_in(const std::string& json);

}  // namespace tarry
