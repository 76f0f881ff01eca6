#include "placer/core/random.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace tarry {
namespace {

constexpr double kOne = 4294967296.0;

TEST(Random, the_same_seed_draws_the_same_numbers_for_ever) {
  Random r(1);
  EXPECT_EQ(r.next(), 12966619160104079557u);
  EXPECT_EQ(r.next(), 9600361134598540522u);
  for (int i = 2; i < 7; ++i) r.next();
  EXPECT_EQ(r.next(), 0x61954dcc47b1e89du);  // the eighth, as another program has it
}

TEST(Random, a_power_of_two_bounds_without_a_draw_that_is_rejected) {
  Random bounded(1), plain(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(bounded.below(std::uint64_t{1} << 63), plain.next() >> 1);
}

TEST(Random, no_chance_never_comes_and_a_sure_one_always) {
  Random r(1);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(r.chance(0, 2));
    EXPECT_TRUE(r.chance(2, 2));
  }
}

TEST(Random, an_exponential_from_two_to_the_thirtieth_on_is_the_most_there_is) {
  constexpr std::int64_t kLn2 = 2977044472;
  EXPECT_EQ(exp_q32(30 * kLn2), std::numeric_limits<std::int64_t>::max());
  EXPECT_LT(exp_q32(30 * kLn2 - 1), std::int64_t{1} << 62);
}

TEST(Random, a_named_stream_does_not_depend_on_what_was_drawn_before) {
  Random a(7), b(7);
  a.next();
  EXPECT_EQ(a.fork("w").next(), b.fork("w").next());
  EXPECT_NE(a.fork("w").next(), b.fork("v").next());
}

RC_GTEST_PROP(Random, below_stays_below, (std::uint64_t seed, std::uint64_t bound)) {
  RC_PRE(bound > 0);
  RC_ASSERT(Random(seed).below(bound) < bound);
}

RC_GTEST_PROP(Random, fixed_point_exp_and_ln_agree_with_libm, ()) {
  const auto x = *rc::gen::inRange<std::int64_t>(-20LL << 32, 20LL << 32);
  const double expected = std::exp(static_cast<double>(x) / kOne);
  RC_ASSERT(std::abs(static_cast<double>(exp_q32(x)) / kOne - expected) < expected * 1e-7 + 1e-9);
  const auto y = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 63);
  RC_ASSERT(std::abs(static_cast<double>(minus_ln_q32(y)) / kOne + std::log(std::ldexp(static_cast<double>(y), -63))) <
            1e-6);
}

TEST(Random, normal_and_exponential_draws_have_their_moments) {
  Random r(3);
  double sum = 0, squares = 0, exponential = 0;
  constexpr int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double x = static_cast<double>(draw_normal_q32(r)) / kOne;
    sum += x;
    squares += x * x;
    exponential += static_cast<double>(draw_exponential_q32(r)) / kOne;
  }
  EXPECT_NEAR(sum / n, 0, 0.02);
  EXPECT_NEAR(squares / n, 1, 0.02);
  EXPECT_NEAR(exponential / n, 1, 0.02);
}

}  // namespace
}  // namespace tarry
