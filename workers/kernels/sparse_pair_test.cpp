// Sparse tensors together, and ragged ones. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

const Asked kSparse{.outputs = {DataType::kInt64, DataType::kFloat, DataType::kInt64}};
TensorRef rows(const Dims& dims, const Dims& values) {
  return tensor<std::int64_t>(dims, {values.begin(), values.end()});
}
Floats numbers(const TensorRef& t) { return {t->as<float>().begin(), t->as<float>().end()}; }

Tensors added(float least) {
  return *compute("SparseAdd",
                  {rows({2, 2}, {0, 1, 1, 0}), floats({2}, {1, 2}), ints({2, 2}), rows({2, 2}, {0, 0, 0, 1}),
                   floats({2}, {-3, -1}), ints({2, 2}), floats({}, {least})},
                  kSparse);
}
TEST(SparseAdd, has_all_places_of_both_in_order) {
  const Tensors sum = added(0);
  EXPECT_THAT(integers_of(*sum[0]), ElementsAre(0, 0, 0, 1, 1, 0));
  EXPECT_THAT(numbers(sum[1]), ElementsAre(-3, 0, 2));
  EXPECT_THAT(integers_of(*sum[2]), ElementsAre(2, 2));
}
TEST(SparseAdd, drops_what_is_smaller_than_the_threshold) { EXPECT_THAT(numbers(added(2)[1]), ElementsAre(-3, 2)); }
TEST(SparseAdd, wants_equal_shapes) {
  EXPECT_EQ(refusal("SparseAdd",
                    {rows({1, 1}, {0}), floats({1}, {1}), ints({3}), rows({1, 1}, {0}), floats({1}, {1}), ints({4}),
                     floats({}, {0})},
                    kSparse),
            "Operands' shapes do not match: got 3 and 4 for dimension 0");
}

TEST(SparseSplit, gives_each_element_to_one_part_with_its_place_there) {
  const Tensors parts = *compute(
      "SparseSplit", {tensor<std::int64_t>({}, {0}), rows({4, 1}, {0, 1, 2, 3}), floats({4}, {1, 2, 3, 4}), ints({4})},
      {.outputs = {DataType::kInt64, DataType::kInt64, DataType::kFloat, DataType::kFloat, DataType::kInt64,
                   DataType::kInt64}});
  EXPECT_THAT(integers_of(*parts[0]), ElementsAre(0, 1));
  EXPECT_THAT(integers_of(*parts[1]), ElementsAre(0, 1));
  EXPECT_THAT(numbers(parts[2]), ElementsAre(1, 2));
  EXPECT_THAT(numbers(parts[3]), ElementsAre(3, 4));
}

TEST(DenseToDenseSetOperation, takes_either_set_from_the_other) {
  const auto left = [](const char* operation) {
    return integers_of(*(*compute("DenseToDenseSetOperation", {rows({1, 3}, {1, 2, 3}), rows({1, 3}, {3, 4, 5})},
                                  {.attrs = {{"set_operation", std::string(operation)}},
                                   .outputs = {DataType::kInt64, DataType::kInt64, DataType::kInt64}}))[1]);
  };
  EXPECT_THAT(left("a-b"), ElementsAre(1, 2));
  EXPECT_THAT(left("b-a"), ElementsAre(4, 5));
}

TEST(SparseSparseMaximum, takes_a_missing_element_as_zero) {
  const auto most =
      *compute("SparseSparseMaximum",
               {rows({1, 1}, {0}), floats({1}, {-1}), ints({3}), rows({1, 1}, {2}), floats({1}, {5}), ints({3})},
               {.outputs = {DataType::kInt64, DataType::kFloat}});
  EXPECT_THAT(numbers(most[1]), ElementsAre(0, 5));
}
TEST(SparseSparseMaximum, refuses_an_index_outside) {
  EXPECT_EQ(refusal("SparseSparseMaximum",
                    {rows({1, 1}, {3}), floats({1}, {1}), ints({3}), rows({1, 1}, {0}), floats({1}, {1}), ints({3})},
                    {.outputs = {DataType::kInt64, DataType::kFloat}}),
            "Sparse index tuple indices[0, :] = [3] is out of bounds");
}

TEST(SparseTensorDenseAdd, adds_where_there_is_something) {
  EXPECT_THAT(
      values("SparseTensorDenseAdd", {rows({2, 1}, {1, 1}), floats({2}, {10, 5}), ints({2}), floats({2}, {1, 2})}),
      ElementsAre(1, 17));
  EXPECT_EQ(refusal("SparseTensorDenseAdd", {rows({1, 1}, {0}), floats({1}, {1}), ints({3}), floats({2}, {1, 2})}),
            "Dimension 0 does not equal (no broadcasting is supported): sparse side 3 vs dense side 2");
}

TEST(SparseSoftmax, is_over_the_elements_of_a_row_that_are_there) {
  EXPECT_THAT(values("SparseSoftmax", {rows({3, 2}, {0, 0, 0, 2, 1, 1}), floats({3}, {1, 1, 7}), ints({2, 3})}),
              ElementsAre(0.5, 0.5, 1));
}

TEST(SetSize, counts_different_values) {
  const TensorRef sizes = one("SetSize", {rows({3, 2}, {0, 0, 0, 1, 1, 0}), ints({4, 4, 4}), ints({3, 2})},
                              {.outputs = {DataType::kInt32}});
  EXPECT_THAT(integers_of(*sizes), ElementsAre(1, 1, 0));
}

Tensors ranges(const TensorRef& starts, const TensorRef& limits, const TensorRef& deltas) {
  return *compute("RaggedRange", {starts, limits, deltas}, {.outputs = {DataType::kInt64, DataType::kInt64}});
}
TEST(RaggedRange, takes_a_scalar_for_every_row) {
  const Tensors r = ranges(make_scalar<std::int64_t>(0), ints({3, 2}), make_scalar<std::int64_t>(1));
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 3, 5));
  EXPECT_THAT(integers_of(*r[1]), ElementsAre(0, 1, 2, 0, 1));
}
TEST(RaggedRange, has_no_numbers_in_a_row_that_leads_away_from_its_limit) {
  EXPECT_THAT(integers_of(*ranges(ints({1, 5}), ints({3, 1}), ints({-1, -2}))[0]), ElementsAre(0, 0, 2));
}

TEST(RaggedGather, takes_whole_rows) {
  const auto r = *compute("RaggedGather", {ints({0, 2, 3}), floats({3}, {1, 2, 3}), ints({1, 0})},
                          {.outputs = {DataType::kInt64, DataType::kFloat}});
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 1, 3));
  EXPECT_THAT(numbers(r[1]), ElementsAre(3, 1, 2));
}
TEST(RaggedGather, refuses_splits_that_point_past_the_values) {
  const Asked asked{.outputs = {DataType::kInt64, DataType::kFloat}};
  EXPECT_EQ(refusal("RaggedGather", {ints({0, 4}), floats({3}, {1, 2, 3}), ints({0})}, asked),
            "Ragged splits must not point past values");
  EXPECT_EQ(refusal("RaggedGather", {ints({0, 3}), floats({3}, {1, 2, 3}), ints({1})}, asked),
            "indices[0] = 1 is not in [0, 1)");
}

TEST(RaggedTensorToSparse, is_as_wide_as_its_longest_row) {
  const auto r = *compute("RaggedTensorToSparse", {ints({0, 2, 2, 5}), floats({5}, {1, 2, 3, 4, 5})}, kSparse);
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 0, 0, 1, 2, 0, 2, 1, 2, 2));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(3, 3));
}
TEST(RaggedTensorToSparse, refuses_splits_that_go_back) {
  EXPECT_EQ(refusal("RaggedTensorToSparse", {ints({0, 2, 1}), floats({1}, {1})}, kSparse),
            "Ragged splits should be non decreasing, but we got 2 followed by 1");
}

}  // namespace
}  // namespace tarry
