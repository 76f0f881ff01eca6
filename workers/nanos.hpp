// Simulated time: whole nanoseconds since the run began, or a span of them.
#pragma once

#include <cmath>
#include <cstdint>

namespace tarry {

using Nanos = std::int64_t;

inline constexpr Nanos kSecond = 1'000'000'000;

[[nodiscard]] constexpr double in_seconds(Nanos t) { return static_cast<double>(t) / static_cast<double>(kSecond); }

// Rounded to the nearest nanosecond.
[[nodiscard]] inline Nanos nanos(double seconds) {
  return static_cast<Nanos>(std::llround(seconds * static_cast<double>(kSecond)));
}

}  // namespace tarry
