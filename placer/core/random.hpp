// The seeded source of every random choice, and draws from distributions for random durations.
//
// Integers only: the same seed gives the same draws on every compiler, library and optimisation level. Streams derived
// by name are independent of the order in which others draw.
#pragma once

#include <cstdint>
#include <string_view>

namespace tarry {

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t next();                      // uniform over all 64-bit values
  std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound); REQUIRES bound > 0
  bool chance(std::uint64_t numerator, std::uint64_t denominator);

  // A separate stream for `name`, independent of what was drawn here before.
  [[nodiscard]] Random fork(std::string_view name) const;

 private:
  std::uint64_t seed_;
  std::uint64_t state_[4];
};

// A standard normal draw in units of 2^-32 (so 1.0 is 1 << 32), by the polar method in fixed point.
[[nodiscard]] std::int64_t draw_normal_q32(Random& random);
// A unit exponential draw (mean 1) in units of 2^-32.
[[nodiscard]] std::int64_t draw_exponential_q32(Random& random);
// exp(x) for x in units of 2^-32; the result is in units of 2^-32 and saturates at the largest int64.
[[nodiscard]] std::int64_t exp_q32(std::int64_t x);
// -ln(x) for x in (0, 1] in units of 2^-63; the result is in units of 2^-32.
[[nodiscard]] std::int64_t minus_ln_q32(std::uint64_t x_q63);

}  // namespace tarry
