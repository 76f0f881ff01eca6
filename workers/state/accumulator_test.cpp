#include "workers/state/accumulator_test.hpp"

#include <rapidcheck/gtest.h>

#include <numeric>

namespace tarry {
namespace {

// --- dense (docs/rules/runtime.md#I.6) ----

TEST(Accumulator, starts_empty_and_counts_what_it_accepts) {
  auto a = dense();
  EXPECT_EQ(a.count(), 0);
  ASSERT_TRUE(a.apply(0, floats({10})).ok());
  ASSERT_TRUE(a.apply(0, floats({20})).ok());
  EXPECT_EQ(a.count(), 2);
}

TEST(Accumulator, gives_the_mean_and_starts_anew_one_step_later) {
  auto a = dense();
  Taker t;
  (void)a.apply(0, floats({10}));
  (void)a.apply(0, floats({20}));
  EXPECT_THAT(mean_of(t.take(a, 2)), ElementsAre(15));
  EXPECT_EQ(a.count(), 0);
  EXPECT_EQ(a.step(), 1);
}

TEST(Accumulator, gives_the_sum_where_that_is_asked_for) {
  auto a = dense(Shape::unknown(), Reduction::sum);
  Taker t;
  (void)a.apply(0, floats({10}));
  (void)a.apply(0, floats({20}));
  EXPECT_THAT(mean_of(t.take(a, 2)), ElementsAre(30));
}

TEST(Accumulator, takes_everything_that_is_in_not_only_what_was_required) {
  auto a = dense();
  Taker t;
  for (const float g : {1.0F, 2.0F, 3.0F, 6.0F}) (void)a.apply(1, floats({g}));
  EXPECT_THAT(mean_of(t.take(a, 2)), ElementsAre(3));
  EXPECT_EQ(a.count(), 0);
}

TEST(Accumulator, a_take_waits_for_the_last_gradient_it_needs) {
  auto a = dense();
  Taker t;
  const Taken& taken = t.take(a, 3);
  for (const float g : {1.0F, 2.0F}) (void)a.apply(0, floats({g}));
  EXPECT_FALSE(taken);
  (void)a.apply(0, floats({6.0F}));
  EXPECT_THAT(mean_of(taken), ElementsAre(3));
}

TEST(Accumulator, a_stale_gradient_vanishes_without_a_word_even_a_wrong_one) {
  auto a = dense(Shape({1}));
  a.set_step(5);
  EXPECT_TRUE(a.apply(4, floats({1})).ok());
  EXPECT_TRUE(a.apply(4, floats({1, 2, 3})).ok());
  EXPECT_EQ(a.count(), 0);
  EXPECT_EQ(text(a.apply(5, floats({1, 2, 3}))), "Shape mismatch: expected [1], got [3]");
}

TEST(Accumulator, setting_the_step_prevents_accumulation_of_older_gradients) {
  auto a = dense();
  Taker t;
  for (std::int64_t s = 1000; s < 1005; ++s) {
    a.set_step(s);
    for (std::int64_t g = 1000; g < 1005; ++g) (void)a.apply(g, floats({static_cast<float>(g)}));
    EXPECT_THAT(mean_of(t.take(a, 1)), ElementsAre(static_cast<float>(s + 1004) / 2)) << s;
  }
}

TEST(Accumulator, setting_the_step_back_keeps_sum_and_count) {
  auto a = dense();
  a.set_step(7);
  (void)a.apply(7, floats({4}));
  a.set_step(2);
  EXPECT_EQ(a.count(), 1);
  EXPECT_TRUE(a.apply(2, floats({2})).ok());
  Taker t;
  EXPECT_THAT(mean_of(t.take(a, 2)), ElementsAre(3));
}

TEST(Accumulator, a_take_of_none_is_refused) {
  auto a = dense();
  Taker t;
  EXPECT_EQ(text(t.take(a, -1)->status()), "Argument num_required must be positive, but was -1");
  EXPECT_EQ(t.take(a, 0)->status().code(), Code::kInvalidArgument);
}

TEST(Accumulator, the_first_gradient_fixes_an_open_shape_until_the_take) {
  auto a = dense(Shape({-1}));
  Taker t;
  (void)a.apply(0, floats({1, 2}));
  EXPECT_EQ(text(a.apply(0, floats({1, 2, 3}))), "Shape mismatch: expected [2], got [3]");
  EXPECT_EQ(a.count(), 1);
  t.take(a, 1);
  EXPECT_TRUE(a.apply(1, floats({1, 2, 3})).ok());
}

TEST(Accumulator, the_second_gradient_is_held_to_the_firsts_shape) {
  auto a = dense();
  ASSERT_TRUE(a.apply(0, floats({1, 2})).ok());
  EXPECT_EQ(text(a.apply(0, floats({1}))), "Shape mismatch: expected [2], got [1]");
  EXPECT_EQ(a.count(), 1);
}

TEST(Accumulator, one_gradient_without_data_leaves_a_mean_without_data) {
  auto a = dense();
  Taker t;
  ASSERT_TRUE(a.apply(0, floats({1, 2})).ok());
  ASSERT_TRUE(a.apply(0, make_shape_only(DataType::kFloat, Shape({2}))).ok());
  ASSERT_TRUE(a.apply(0, floats({1, 2})).ok());
  EXPECT_FALSE((**t.take(a, 3))[0]->has_data());
}

TEST(Accumulator, a_cancelled_take_is_the_one_that_goes) {
  auto a = dense();
  Taker first, second;
  Taken& waits = first.take(a, 1);
  Taken& cancelled = second.take(a, 1);
  second.step.start();
  EXPECT_FALSE(waits.has_value());
  ASSERT_TRUE(cancelled.has_value());
  ASSERT_TRUE(a.apply(0, floats({1})).ok());
  ASSERT_TRUE(waits.has_value());
  EXPECT_TRUE(waits->ok());
}

TEST(Accumulator, ten_waiting_takes_each_get_one_gradient_in_order) {
  auto a = dense();
  Taker t;
  for (int i = 0; i < 10; ++i) t.take(a, 1);
  for (std::int64_t e = 0; e < 10; ++e) (void)a.apply(e, floats({static_cast<float>(e)}));
  for (std::size_t i = 0; i < 10; ++i) EXPECT_THAT(mean_of(t.outcomes[i]), ElementsAre(static_cast<float>(i)));
}

TEST(Accumulator, a_cancelled_take_says_so_and_lets_the_next_one_have_its_turn) {
  auto a = dense();
  Taker cancelled, other;
  const Taken& first = cancelled.take(a, 3);
  const Taken& second = other.take(a, 1);
  (void)a.apply(0, floats({1}));
  EXPECT_FALSE(second);  // the one in front needs three
  cancelled.step.start();
  EXPECT_EQ(text(first->status()), "TakeGrad operation was cancelled");
  EXPECT_EQ(first->status().code(), Code::kCancelled);
  EXPECT_THAT(mean_of(second), ElementsAre(1));
}

TEST(Accumulator, a_gradient_without_data_leaves_shape_and_count) {
  auto a = dense();
  Taker t;
  (void)a.apply(0, floats({1, 2}));
  (void)a.apply(0, make_shape_only(DataType::kFloat, Shape({2})));
  const Taken& taken = t.take(a, 2);
  EXPECT_FALSE((**taken)[0]->has_data());
  EXPECT_EQ((**taken)[0]->shape(), Shape({2}));
}

TEST(Accumulator, the_mean_does_not_change_the_gradients_that_were_given) {
  auto a = dense();
  Taker t;
  const TensorRef g = floats({10});
  (void)a.apply(0, g);
  (void)a.apply(0, floats({20}));
  t.take(a, 2);
  EXPECT_THAT(values_of(g), ElementsAre(10));
}

// --- the invariants of docs/rules/runtime.md#F.7 ----

struct Tally {
  std::int64_t pushes = 0, accepted = 0, dropped = 0, averaged = 0, takes = 0;
};

RC_GTEST_PROP(AccumulatorProperty, accepted_and_dropped_are_all_pushes_and_every_take_averages_enough, ()) {
  const auto required = *rc::gen::inRange<std::int64_t>(1, 5);
  const auto calls = *rc::gen::container<std::vector<std::pair<bool, int>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(), rc::gen::inRange(0, 12)));
  auto a = dense();
  Tally n;
  a.on_pushed = [&](std::int64_t local, std::int64_t step, bool accepted, std::uint64_t) {
    RC_ASSERT(accepted == (local >= step));
    ++(accepted ? n.accepted : n.dropped);
  };
  a.on_taken = [&](std::int64_t averaged, std::int64_t new_step, std::uint64_t) {
    RC_ASSERT(averaged >= required);
    RC_ASSERT(new_step == ++n.takes);
    n.averaged += averaged;
  };
  Taker t;
  for (const auto& [pushes, local_step] : calls) {
    if (!pushes)
      t.take(a, required);
    else
      RC_ASSERT(a.apply(local_step, floats({1})).ok());
    n.pushes += pushes ? 1 : 0;
    RC_ASSERT(a.step() == n.takes);
    RC_ASSERT(a.waiting_takes() == 0 || a.count() < required);
  }
  RC_ASSERT(n.accepted + n.dropped == n.pushes);
  RC_ASSERT(n.averaged + a.count() == n.accepted);
}

RC_GTEST_PROP(AccumulatorProperty, once_dropped_a_token_stays_dropped, (std::int8_t token, std::uint8_t ahead)) {
  auto a = dense();
  a.set_step(std::int64_t{token} + 1 + ahead);
  (void)a.apply(token, floats({1}));
  a.set_step(a.step() + 1);
  (void)a.apply(token, floats({1}));
  RC_ASSERT(a.count() == 0);
}

RC_GTEST_PROP(AccumulatorProperty, the_mean_does_not_depend_on_how_many_were_required, ()) {
  const auto gradients = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-1000, 1000)));
  const auto n = static_cast<std::int64_t>(gradients.size());
  const auto required = *rc::gen::inRange<std::int64_t>(1, n + 1);
  auto a = dense();
  for (const int g : gradients) (void)a.apply(0, floats({static_cast<float>(g)}));
  Taker t;
  const float sum = static_cast<float>(std::accumulate(gradients.begin(), gradients.end(), 0));
  RC_ASSERT(mean_of(t.take(a, required)) == std::vector<float>{sum / static_cast<float>(n)});
}

RC_GTEST_PROP(AccumulatorProperty, rows_come_out_sorted_and_averaged_by_how_many_had_them, ()) {
  const auto masks =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(1u, 4096u)));  // bit i: has row i
  auto a = of_rows();
  std::map<std::int64_t, int> seen;
  for (const unsigned mask : masks) {
    std::vector<std::int64_t> g;
    for (std::int64_t i = 0; i < 12; ++i)
      if (mask >> i & 1) g.push_back(i);
    RC_ASSERT(a.apply_sparse(0, sparse(g, rows(1, std::vector<float>(g.size(), 2)))).ok());
    for (const std::int64_t i : g) ++seen[i];
  }
  Taker t;
  const auto& out = **t.take(a, 1);
  Dims expected;
  for (const auto& [index, count] : seen) expected.push_back(index);
  RC_ASSERT(integers_of(*out[0]) == expected);
  RC_ASSERT(values_of(out[1]) == std::vector<float>(seen.size(), 2));
}

TEST(SparseAccumulator, without_data_has_as_many_rows_as_the_longest_gradient) {
  auto a = of_rows();
  Taker t;
  for (const std::int64_t n : {2, 3, 1})
    ASSERT_TRUE(a.apply_sparse(0, {make_shape_only(DataType::kInt64, Shape({n})),
                                   make_shape_only(DataType::kFloat, Shape({n, 4})), nullptr, false})
                    .ok());
  EXPECT_EQ((**t.take(a, 3))[0]->shape(), Shape({3}));
}

TEST(SparseAccumulator, merges_indices_of_values_without_data) {
  const auto large = [](std::int64_t n) { return make_shape_only(DataType::kFloat, Shape({n, 4})); };
  auto a = of_rows();
  Taker t;
  ASSERT_TRUE(a.apply_sparse(0, sparse({1, 5}, large(2))).ok());
  ASSERT_TRUE(a.apply_sparse(0, sparse({5, 7}, rows(4, std::vector<float>(8, 1)))).ok());
  const auto out = **t.take(a, 2);
  EXPECT_EQ(integers_of(*out[0]), (Dims{1, 5, 7}));
  EXPECT_EQ(out[1]->shape(), Shape({3, 4}));
  EXPECT_FALSE(out[1]->has_data());
}

TEST(SparseAccumulator, has_values_again_in_the_aggregate_after_one_without) {
  auto a = of_rows();
  Taker t;
  ASSERT_TRUE(a.apply_sparse(0, sparse({2}, make_shape_only(DataType::kFloat, Shape({1, 1})))).ok());
  ASSERT_TRUE(t.take(a, 1)->ok());
  ASSERT_TRUE(a.apply_sparse(1, sparse({3}, rows(1, {6}))).ok());
  const auto out = **t.take(a, 1);
  EXPECT_EQ(integers_of(*out[0]), Dims{3});
  EXPECT_EQ(values_of(out[1]), std::vector<float>{6});
}

TEST(SparseAccumulator, without_some_indices_has_at_least_the_rows_that_it_knows) {
  auto a = of_rows();
  Taker t;
  ASSERT_TRUE(a.apply_sparse(0, sparse({1, 2, 3}, rows(1, {1, 1, 1}))).ok());
  ASSERT_TRUE(a.apply_sparse(0, {make_shape_only(DataType::kInt64, Shape({2})),
                                 make_shape_only(DataType::kFloat, Shape({2, 1})), nullptr, false})
                  .ok());
  EXPECT_EQ((**t.take(a, 2))[0]->shape(), Shape({3}));
}

TEST(SparseAccumulator, an_index_equal_to_the_declared_length_is_too_large) {
  auto a = of_rows(Shape({3, 1}));
  EXPECT_TRUE(a.apply_sparse(0, sparse({2}, rows(1, {1}))).ok());
  EXPECT_EQ(text(a.apply_sparse(0, sparse({3}, rows(1, {1})))),
            "Shape mismatch: index of slice 0 exceeded limits of shape; index is 3 exceeded 3");
}

TEST(SparseAccumulator, a_declared_shape_may_be_shorter_than_the_gradients) {
  auto a = of_rows(Shape({3}));
  EXPECT_TRUE(a.apply_sparse(0, with_shape(sparse({2}, rows(1, {1})), {3, 1})).ok());
}

TEST(SparseAccumulator, values_of_a_higher_rank_are_refused) {
  auto a = of_rows();
  ASSERT_TRUE(a.apply_sparse(0, sparse({0}, rows(1, {1}))).ok());
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, make_shape_only(DataType::kFloat, Shape({1, 1, 1}))))),
            "Shape mismatch: expected values rank 2, got 3");
}

}  // namespace
}  // namespace tarry
