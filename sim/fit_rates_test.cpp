// Launch and efficiencies from measured times.

#include "sim/fit_rates.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::Field;

// Kernels of an op that take exactly what launch and efficiency (in per cent) say.
std::vector<TimedKernel> exact(const std::string& op, Nanos launch, Nanos percent, std::vector<Nanos> at_peak) {
  std::vector<TimedKernel> out;
  for (const Nanos r : at_peak) out.push_back({op, r, launch + (r * 100 + percent - 1) / percent});
  return out;
}

std::vector<TimedKernel> together(std::vector<TimedKernel> a, const std::vector<TimedKernel>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(FitRates, finds_the_launch_and_the_efficiency_of_each_op) {
  const auto kernels =
      together(exact("Relu", 5'000, 50, {1'000, 40'000, 900'000}), exact("MatMul", 5'000, 80, {4'000, 400'000}));
  const RatesFit fit = fit_rates(kernels);
  EXPECT_EQ(fit.launch, 5'000);
  ASSERT_THAT(fit.ops, ElementsAre(Field(&OpFit::op, "Relu"), Field(&OpFit::op, "MatMul")));
  EXPECT_EQ(fit.ops[0].efficiency, 500'000);
  EXPECT_EQ(fit.ops[1].efficiency, 800'000);
  EXPECT_EQ(fit.ops[0].kernels, 3u);
  EXPECT_EQ(fit.ops[0].measured, 3 * 5'000 + 2 * 941'000);
  EXPECT_EQ(fit.ops[0].fitted, fit.ops[0].measured);
  EXPECT_EQ(fit.ops[0].spread, 0);
  EXPECT_FALSE(fit.ops[0].beyond_peak);
}

TEST(FitRates, gives_an_op_the_time_that_its_kernels_took_together_and_says_how_far_each_is_off) {
  const std::vector<TimedKernel> kernels{{"MatMul", 100'000, 150'000}, {"MatMul", 100'000, 250'000}};
  const RatesFit fit = fit_rates(kernels);
  ASSERT_EQ(fit.ops.size(), 1u);
  EXPECT_NEAR(static_cast<double>(fit.ops[0].fitted), 400'000, 2);
  EXPECT_NEAR(fit.ops[0].error(), 0, 1e-5);
  EXPECT_NEAR(fit.ops[0].spread, (50.0 / 150 + 50.0 / 250) / 2, 1e-4);
}

TEST(FitRates, an_op_as_fast_as_the_peaks_is_not_beyond_them) {
  const RatesFit fit = fit_rates(std::vector<TimedKernel>{{"MatMul", 100'000, 100'000}});
  ASSERT_EQ(fit.ops.size(), 1u);
  EXPECT_FALSE(fit.ops[0].beyond_peak);
}

TEST(FitRates, says_of_an_op_that_was_faster_than_the_peaks_that_it_is_beyond_them) {
  const std::vector<TimedKernel> kernels{{"MatMul", 100'000, 50'000}};
  const RatesFit fit = fit_rates(kernels);
  EXPECT_EQ(fit.launch, 0);
  ASSERT_EQ(fit.ops.size(), 1u);
  EXPECT_TRUE(fit.ops[0].beyond_peak);
  EXPECT_EQ(fit.ops[0].efficiency, 1'000'000);
  EXPECT_EQ(fit.ops[0].error(), 1);
}

TEST(FitRates, an_op_that_is_beyond_the_peaks_tells_no_launch) {
  const std::vector<TimedKernel> kernels{{"MatMul", 1'000, 600}, {"MatMul", 2'000, 1'100}};
  EXPECT_EQ(fit_rates(kernels).launch, 0);
}

TEST(FitRates, one_slow_outlier_moves_the_launch_by_little) {
  auto kernels = exact("Relu", 5'000, 50, {1'000, 2'000, 3'000, 4'000, 5'000, 6'000, 7'000, 8'000, 9'000, 10'000});
  kernels.push_back({"Tanh", 1'000, 90'000'000});
  EXPECT_NEAR(static_cast<double>(fit_rates(kernels).launch), 5'000, 50);
}

TEST(FitRates, of_nothing_is_nothing) {
  EXPECT_EQ(fit_rates({}).launch, 0);
  EXPECT_TRUE(fit_rates({}).ops.empty());
}

RC_GTEST_PROP(FitRatesProperty, what_was_planted_is_found_again_in_any_order, ()) {
  const Nanos launch = *rc::gen::inRange<Nanos>(0, 50'000);
  std::vector<TimedKernel> kernels;
  std::map<std::string, std::int64_t> planted;
  for (const char* op : {"Conv2D", "MatMul", "Relu"}) {
    const Nanos percent = *rc::gen::inRange<Nanos>(2, 101);
    planted[op] = percent * 10'000;
    const auto sizes = *rc::gen::container<std::vector<Nanos>>(4, rc::gen::inRange<Nanos>(1'000, 5'000'000));
    kernels = together(kernels, exact(op, launch, percent, sizes));
    kernels = together(kernels, exact(op, launch, percent, {1'000, 5'000'000}));
  }
  const RatesFit fit = fit_rates(kernels);
  RC_ASSERT(std::abs(fit.launch - launch) <= 20);
  for (const OpFit& op : fit.ops) RC_ASSERT(std::abs(op.efficiency - planted.at(op.op)) <= planted.at(op.op) / 200);
  std::ranges::reverse(kernels);
  RC_ASSERT(fit_rates(kernels).launch == fit.launch);
}

// An efficiency makes up for any launch: the longest that the quickest kernels allow is taken.
TEST(FitRates, of_ops_whose_kernels_are_all_alike_take_the_longest_launch_and_say_so) {
  std::vector<TimedKernel> alike;
  for (int i = 0; i < 5; ++i) {
    alike.push_back({"Tile", 200'000, 830'000});
    alike.push_back({"Sum", 1, 30'001});
  }
  EXPECT_EQ(fit_rates(alike).launch, 30'000);
  EXPECT_EQ(fit_rates(alike).least_launch, 0);
  alike.push_back({"Tile", 400'000, 1'630'000});
  EXPECT_EQ(fit_rates(alike).launch, 30'000);
  EXPECT_GT(fit_rates(alike).least_launch, 29'000) << "two sizes tell launch and efficiency apart";
}

}  // namespace
}  // namespace tarry
