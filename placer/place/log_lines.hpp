// The lines that the placer logs, told from its journal (docs/rules/placer.md#C.6).
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

// `log_device_placement` false leaves what is logged all the same: warnings (D-w), and D-i up to 1.3.
[[nodiscard]] std::vector<PlacerLine> log_lines(const Graph& g, const DeviceSet& devices, const Rules& rules,
                                                const Journal& journal, bool log_device_placement);

}  // namespace tarry
