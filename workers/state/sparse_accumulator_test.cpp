#include "workers/state/accumulator_test.hpp"

namespace tarry {
namespace {

// --- sparse (docs/rules/runtime.md#I.7) ----

TEST(SparseAccumulator, divides_each_row_by_its_own_count) {
  auto a = of_rows();
  Taker t;
  for (std::int64_t round = 0; round < 10; ++round) {
    (void)a.apply_sparse(round, sparse({0, 1}, rows(2, {1, 0, 0, 2})));
    (void)a.apply_sparse(round, sparse({0, 2}, rows(2, {0, 1, 3, 0})));
    const auto& out = **t.take(a, 2);
    EXPECT_THAT(integers_of(*out[0]), ElementsAre(0, 1, 2));
    EXPECT_THAT(values_of(out[1]), ElementsAre(.5, .5, 0, 2, 3, 0));
    EXPECT_THAT(integers_of(*out[2]), ElementsAre(-1, 2));
  }
}

TEST(SparseAccumulator, keeps_the_first_gradient_row_by_row_as_it_came) {
  auto a = of_rows();
  (void)a.apply_sparse(0, sparse({2, 0, 2}, rows(1, {1, 2, 4})));
  Taker t;
  const auto& out = **t.take(a, 1);
  EXPECT_THAT(integers_of(*out[0]), ElementsAre(2, 0, 2));
  EXPECT_THAT(values_of(out[1]), ElementsAre(1, 2, 4));
}
TEST(SparseAccumulator, merges_a_later_gradient_as_if_both_were_ascending) {
  auto a = of_rows();
  (void)a.apply_sparse(0, sparse({2, 0, 2}, rows(1, {1, 2, 4})));
  (void)a.apply_sparse(0, sparse({0, 2, 2}, rows(1, {10, 20, 40})));
  Taker t;
  const auto& out = **t.take(a, 2);
  EXPECT_THAT(integers_of(*out[0]), ElementsAre(0, 2, 0, 2));
  EXPECT_THAT(values_of(out[1]), ElementsAre(10, 10.5, 2, 22));
}
TEST(SparseAccumulator, sums_where_that_is_asked_for) {
  auto a = of_rows(Shape::unknown(), Reduction::sum);
  Taker t;
  (void)a.apply_sparse(0, sparse({3}, rows(1, {1})));
  (void)a.apply_sparse(0, sparse({3}, rows(1, {5})));
  EXPECT_THAT(values_of((**t.take(a, 2))[1]), ElementsAre(6));
}

TEST(SparseAccumulator, tells_a_shape_whose_first_dimension_was_declared) {
  const TensorRef deep = make_tensor(DataType::kFloat, Shape({1, 2, 2, 3}));
  const auto shape_of = [&](Shape declared) {
    auto a = of_rows(std::move(declared));
    Taker t;
    EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, deep))), "ok");
    return integers_of(*(**t.take(a, 1))[2]);
  };
  EXPECT_THAT(shape_of(Shape({2, -1})), ElementsAre(2, 2, 2, 3));
  EXPECT_THAT(shape_of(Shape({-1, 2})), ElementsAre(-1, 2, 2, 3));
}

TEST(SparseAccumulator, takes_indices_of_either_width) {
  auto a = of_rows();
  EXPECT_TRUE(a.apply_sparse(0, {make_vector(std::vector<std::int32_t>{0}), rows(1, {1}), nullptr, false}).ok());
  EXPECT_EQ(a.count(), 1);
}

TEST(SparseAccumulator, refuses_what_is_no_list_of_rows) {
  auto a = of_rows();
  EXPECT_EQ(text(a.apply_sparse(0, {make_tensor(DataType::kInt64, Shape({1, 1})), rows(1, {1}), nullptr, false})),
            "Input indices should be vector but received shape: [1,1]");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, make_scalar(1.0F)))), "Values cannot be 0-dimensional.");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0, 1}, rows(1, {1})))), "Expected 2 non-empty input values, got 1");
}

TEST(SparseAccumulator, checks_a_gradient_against_the_declared_shape) {
  auto a = of_rows(Shape({2, 2}));
  const auto g = sparse({0}, rows(2, {1, 2}));
  EXPECT_EQ(text(a.apply_sparse(0, with_shape(g, {2}))), "Shape mismatch: expected shape rank at least 2, got 1");
  EXPECT_EQ(text(a.apply_sparse(0, with_shape(g, {2, 3}))), "Shape mismatch: expected shape dim 1 to be 2, got 3");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0, 2}, rows(2, {1, 2, 3, 4})))),
            "Shape mismatch: index of slice 1 exceeded limits of shape; index is 2 exceeded 2");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, floats({1})))),
            "Shape mismatch: expected values rank at least 2, got 1");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, rows(3, {1, 2, 3})))),
            "Shape mismatch: expected values dim 1 to be 2, got 3");
  EXPECT_EQ(a.count(), 0);
  EXPECT_TRUE(a.apply_sparse(0, with_shape(g, {2, 2})).ok());
}

TEST(SparseAccumulator, the_first_gradient_fixes_the_row_until_the_take) {
  auto a = of_rows();
  Taker t;
  (void)a.apply_sparse(0, sparse({0}, rows(2, {1, 2})));
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, floats({1})))), "Shape mismatch: expected values rank 2, got 1");
  EXPECT_EQ(text(a.apply_sparse(0, sparse({0}, rows(3, {1, 2, 3})))),
            "Shape mismatch: expected values dim 1 to be 2, got 3");
  t.take(a, 1);
  EXPECT_TRUE(a.apply_sparse(1, sparse({0}, rows(3, {1, 2, 3}))).ok());
  EXPECT_EQ(text(a.apply_sparse(1, sparse({0}, rows(2, {1, 2})))),
            "Shape mismatch: expected values dim 1 to be 3, got 2");
}

}  // namespace
}  // namespace tarry
