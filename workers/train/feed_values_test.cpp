#include "workers/train/feed_values.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tarry {
namespace {

constexpr std::int64_t kOne = 1'000'000;

TensorRef value(const FeedValues& values, DataType type, const Shape& shape, std::uint64_t step = 0) {
  return fed_value(values, type, shape, 7, step);
}

TEST(FeedValues, of_a_list_come_step_by_step_and_then_again_from_the_first) {
  const FedList list{{make_scalar(5), make_scalar(6)}};
  std::vector<int> fed;
  for (std::uint64_t step = 0; step < 5; ++step)
    fed.push_back(value(list, DataType::kInt32, Shape(), step)->as<std::int32_t>()[0]);
  EXPECT_THAT(fed, testing::ElementsAre(5, 6, 5, 6, 5));
}

RC_GTEST_PROP(FeedValues, of_a_uniform_law_lie_between_its_ends_and_are_whole_for_integers, (std::uint64_t seed)) {
  const int low = *rc::gen::inRange(-50, 50), size = *rc::gen::inRange(1, 100);
  const FedUniform law{low * kOne, (low + size) * kOne};
  for (const DataType type : {DataType::kInt64, DataType::kDouble}) {
    const TensorRef t = fed_value(law, type, Shape({4, 3}), seed, 0);
    for (int i = 0; i < 12; ++i) {
      const double x = type == DataType::kInt64
                           ? static_cast<double>(t->as<std::int64_t>()[static_cast<std::size_t>(i)])
                           : t->as<double>()[static_cast<std::size_t>(i)];
      RC_ASSERT(low <= x);
      RC_ASSERT(x < low + size);
    }
  }
}

TEST(FeedValues, of_a_uniform_law_reach_all_whole_numbers) {
  const TensorRef t = value(FedUniform{-2 * kOne, 3 * kOne}, DataType::kInt32, Shape({1000}));
  for (int x = -2; x < 3; ++x) EXPECT_NEAR(std::ranges::count(t->as<std::int32_t>(), x), 200, 60) << x;
}

TEST(FeedValues, of_a_law_cost_nothing_while_nobody_reads_them) {
  const TensorRef t = value(FedUniform{0, kOne}, DataType::kFloat, Shape({1 << 20, 1 << 20}));
  EXPECT_TRUE(t->has_data());
  EXPECT_EQ(t->bytes(), std::uint64_t{1} << 42);
}

TEST(FeedValues, of_a_law_are_the_same_in_a_copy_made_before_they_are_read) {
  const TensorRef t = value(FedUniform{0, kOne}, DataType::kFloat, Shape({100}));
  const TensorBody copy = *t;
  EXPECT_THAT(t->as<float>(), testing::ElementsAreArray(copy.as<float>()));
  EXPECT_THAT(t->as<float>(), testing::Contains(testing::Gt(0.5F)));
}

TEST(FeedValues, of_a_normal_law_have_its_mean_and_sd) {
  const TensorRef t = value(FedNormal{-3 * kOne, kOne / 2}, DataType::kFloat, Shape({20000}));
  double sum = 0, squares = 0;
  for (const float x : t->as<float>()) sum += x, squares += (x + 3.0) * (x + 3.0);
  EXPECT_NEAR(sum / 20000, -3, 0.02);
  EXPECT_NEAR(std::sqrt(squares / 20000), 0.5, 0.02);
}

TEST(FeedValues, of_one_hot_have_a_single_one_in_each_row) {
  const TensorRef t = value(FedOneHot{}, DataType::kFloat, Shape({50, 4}));
  std::vector<float> columns(4);
  for (std::size_t row = 0; row < 50; ++row) {
    const auto x = t->as<float>().subspan(row * 4, 4);
    EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0.F), 1.F);
    for (std::size_t i = 0; i < 4; ++i) columns[i] += x[i];
  }
  EXPECT_THAT(columns, testing::Each(testing::Gt(3.F))) << "every place is drawn now and then";
}

TEST(FeedValues, have_a_stream_for_each_worker_and_tensor_that_draws_do_not_move) {
  Random world(1);
  const std::uint64_t key = feed_key(world, 0, "x:0");
  world.next();
  EXPECT_EQ(feed_key(world, 0, "x:0"), key);
  EXPECT_NE(feed_key(world, 1, "x:0"), key);
  EXPECT_NE(feed_key(world, 0, "y:0"), key);
}

TEST(FeedValues, of_another_step_are_others_and_of_the_same_step_the_same) {
  const FedUniform law{0, 1000 * kOne};
  const auto of = [&](std::uint64_t step) { return integers_of(*value(law, DataType::kInt64, Shape({8}), step)); };
  EXPECT_EQ(of(3), of(3));
  EXPECT_NE(of(3), of(4));
}

TEST(FeedValues, of_a_stream_are_the_same_everywhere) {
  const auto of = [](const FeedValues& law) {
    const TensorRef t = value(law, DataType::kDouble, Shape({3}), 1);
    return std::vector<double>(t->as<double>().begin(), t->as<double>().end());
  };
  const auto near = [](double x) { return testing::DoubleNear(x, 1e-6); };
  EXPECT_THAT(of(FedUniform{0, kOne}), testing::ElementsAre(near(0.821034), near(0.604715), near(0.598400)));
  EXPECT_THAT(of(FedNormal{0, kOne}), testing::ElementsAre(near(-0.310590), near(-0.906151), near(0.543949)));
}

}  // namespace
}  // namespace tarry
