#include "placer/core/random.hpp"

#include <array>
#include <bit>
#include <limits>

#include "placer/core/check.hpp"
#include "placer/core/hash.hpp"

namespace tarry {
namespace {

using u128 = unsigned __int128;

constexpr std::uint64_t kLn2Q32 = 2977044472;  // ln 2 * 2^32
constexpr std::uint64_t kOneQ63 = std::uint64_t{1} << 63;

std::uint64_t splitmix(std::uint64_t& s) {
  std::uint64_t z = (s += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

constexpr std::uint64_t isqrt(u128 v) {
  u128 low = 0, high = u128{1} << 64;
  while (high - low > 1) {
    const u128 mid = (low + high) / 2;
    (mid * mid <= v ? low : high) = mid;
  }
  return static_cast<std::uint64_t>(low);
}

// 2^(2^-i) in units of 2^-62, for i = 1..32: each the square root of the one before.
constexpr std::array<std::uint64_t, 33> make_roots_of_two() {
  std::array<std::uint64_t, 33> roots{};
  roots[0] = std::uint64_t{1} << 63;
  for (int i = 1; i <= 32; ++i) roots[i] = isqrt(u128{roots[i - 1]} << 62);
  return roots;
}
constexpr auto kRootsOfTwo = make_roots_of_two();

}  // namespace

Random::Random(std::uint64_t seed) : seed_(seed) {
  for (std::uint64_t& s : state_) s = splitmix(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Random::below(std::uint64_t bound) {
  check(bound > 0, "Random::below needs a bound above 0");
  const std::uint64_t reject_under = -bound % bound;
  for (;;) {
    const u128 wide = u128{next()} * bound;
    if (static_cast<std::uint64_t>(wide) >= reject_under) return static_cast<std::uint64_t>(wide >> 64);
  }
}

bool Random::chance(std::uint64_t numerator, std::uint64_t denominator) { return below(denominator) < numerator; }

Random Random::fork(std::string_view name) const { return Random(hash64(name, seed_)); }

std::int64_t minus_ln_q32(std::uint64_t x_q63) {
  check(x_q63 > 0 && x_q63 <= kOneQ63, "minus_ln_q32 needs 0 < x <= 1");
  const int shift = std::countl_zero(x_q63);
  std::uint64_t m = x_q63 << shift;  // in [1, 2) with 2^63 as 1; x = m / 2^shift
  std::uint64_t log2_q32 = 0;        // binary digits of log2(m): square, and see whether it passes 2
  for (int bit = 31; bit >= 0; --bit) {
    const u128 square = u128{m} * m >> 63;
    const bool passed_two = square >> 64 != 0;
    m = static_cast<std::uint64_t>(passed_two ? square >> 1 : square);
    if (passed_two) log2_q32 |= std::uint64_t{1} << bit;
  }
  const std::uint64_t minus_log2_q32 = (std::uint64_t(shift) << 32) - log2_q32;
  return static_cast<std::int64_t>(u128{minus_log2_q32} * kLn2Q32 >> 32);
}

std::int64_t exp_q32(std::int64_t x) {
  const __int128 log2_q32 = (__int128{x} << 32) / kLn2Q32;
  const std::int64_t whole = static_cast<std::int64_t>(log2_q32 >> 32);
  const auto fraction = static_cast<std::uint32_t>(log2_q32);
  if (whole >= 30) return std::numeric_limits<std::int64_t>::max();
  if (whole < -62) return 0;
  std::uint64_t m = std::uint64_t{1} << 62;
  for (int i = 1; i <= 32; ++i)
    if (fraction >> (32 - i) & 1) m = static_cast<std::uint64_t>(u128{m} * kRootsOfTwo[i] >> 62);
  return static_cast<std::int64_t>(whole >= 0 ? m >> (30 - whole) : m >> 30 >> -whole);
}

std::int64_t draw_exponential_q32(Random& random) { return minus_ln_q32((random.next() >> 1) + 1); }

std::int64_t draw_normal_q32(Random& random) {
  for (;;) {
    const std::int64_t u = static_cast<std::int32_t>(random.next() >> 32),
                       v = static_cast<std::int32_t>(random.next() >> 32);
    const u128 s_q62 = u128(__int128{u} * u + __int128{v} * v);  // u, v are in units of 2^-31
    if (s_q62 < 1 << 20 || s_q62 >= u128{1} << 62) continue;  // outside the disc, or too near its centre for 128 bits
    const u128 ratio_q64 = ((u128(minus_ln_q32(static_cast<std::uint64_t>(s_q62) << 1)) * 2) << 62) / s_q62 << 32;
    return static_cast<std::int64_t>(__int128{u} * isqrt(ratio_q64) >> 31);
  }
}

}  // namespace tarry
