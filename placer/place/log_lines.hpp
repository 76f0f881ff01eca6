// The lines that the placer logs, made from its journal (docs/rules/placer.md#C.6).
#pragma once

#include <string>
#include <vector>

#include "placer/place/journal.hpp"
#include "placer/place/place.hpp"

namespace tarry {

struct PlacerLine {
  char severity = 'I';  // I or W
  std::string text;
};

// When `log_device_placement` is false, only what is logged anyway: warnings (D-w) and, up to 1.3, overridden requests
// (D-i).
[[nodiscard]] std::vector<PlacerLine> log_lines(const Graph& g, const DeviceSet& devices, const Rules& rules,
                                                const Journal& journal, bool log_device_placement);

}  // namespace tarry
