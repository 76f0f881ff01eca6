// Times, bandwidths and sizes as people write them: a number and its unit, never a bare number.
//
// A time is a whole count of nanoseconds: "200ms", "1.5s", "5us", "3ns", "2min", "1h". A bandwidth is bytes per second
// (network units are bits and powers of 1000): "10Gbps", "100Mbps", "1.2GB/s", or "unlimited" = 0. A size is bytes:
// "16KiB", "1GB", "100B". A speed is floating-point operations per second: "10Tflop/s". Fractions are decimal and must
// come out whole. A share is hundredths of a percent, at most 100 %: "12.5 %". Fails: INVALID_ARGUMENT with a text that
// says what was expected; the caller adds the position in the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"
#include "workers/events.hpp"

namespace tarry {

[[nodiscard]] StatusOr<Nanos> parse_time(std::string_view text);
[[nodiscard]] StatusOr<std::uint64_t> parse_bandwidth(std::string_view text);
[[nodiscard]] StatusOr<std::uint64_t> parse_size(std::string_view text);
[[nodiscard]] StatusOr<std::uint64_t> parse_speed(std::string_view text);
// A number without a unit, in millionths: "1.5".
[[nodiscard]] StatusOr<std::int64_t> parse_number(std::string_view text);
[[nodiscard]] StatusOr<std::int64_t> parse_share(std::string_view text);

// The shortest exact text: parse_time(format_time(t)) == t for t >= 0, and likewise for the others.
[[nodiscard]] std::string format_time(Nanos t);
[[nodiscard]] std::string format_number(std::int64_t millionths);
[[nodiscard]] std::string format_bandwidth(std::uint64_t bytes_per_second);
[[nodiscard]] std::string format_size(std::uint64_t bytes);
[[nodiscard]] std::string format_speed(std::uint64_t operations_per_second);  // 0 = not known

}  // namespace tarry
