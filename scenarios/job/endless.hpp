// How to tell a run that was refused because an instant has no end from one that was refused for another reason: by its
// words, since these are all that comes out of a process of its own.
#pragma once

#include "placer/core/status.hpp"

namespace tarry {

inline constexpr std::string_view kTimeStandsStill = "and time did not pass";

[[nodiscard]] inline bool is_endless(const Status& refused) {
  return text_of(refused).find(kTimeStandsStill) != std::string_view::npos;
}

}  // namespace tarry
