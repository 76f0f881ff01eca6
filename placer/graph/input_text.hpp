// An input as a graph writes it: "a" for the first output of node a, "a:1" for the second, "^a" for a control edge.
#pragma once

#include <fmt/compile.h>

#include <string>
#include <string_view>

#include "placer/graph/graph.hpp"

namespace tarry {

[[nodiscard]] inline std::string input_text(std::string_view node, int slot) {
  if (slot == kControlSlot) return fmt::format(FMT_COMPILE("^{}"), node);
  return slot == 0 ? std::string(node) : fmt::format(FMT_COMPILE("{}:{}"), node, slot);
}

}  // namespace tarry
