#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

// ---- sparse embeddings ----

const Tensors kGathered = {floats({3, 2}, {1, 2, 3, 4, 5, 6}), ints({0, 2, 1}), ints({0, 0, 1})};

TEST(SparseSegments, are_summed_averaged_and_divided_by_the_root_of_their_rows) {
  EXPECT_THAT(values("SparseSegmentSum", kGathered), ElementsAre(6, 8, 3, 4));
  EXPECT_THAT(values("SparseSegmentMean", kGathered), ElementsAre(3, 4, 3, 4));
  EXPECT_THAT(values("SparseSegmentSqrtN", kGathered)[0], FloatNear(6 / std::sqrt(2.0F), 1e-6F));
}
TEST(SparseSegments, give_every_gathered_row_its_part_of_the_gradient) {
  EXPECT_THAT(values("SparseSegmentMeanGrad",
                     {floats({2, 1}, {1, 2}), ints({0, 2, 1}), ints({0, 0, 1}), tensor<std::int32_t>({}, {3})}),
              ElementsAre(0.5, 2, 0.5));
}
TEST(SparseSegments, must_be_sorted) {
  EXPECT_EQ(refusal("SparseSegmentSum", {floats({1, 1}, {1}), ints({0, 0}), ints({1, 0})}),
            "segment ids are not increasing");
}

TEST(SampledSoftmax, draws_different_classes_of_its_range) {
  const Attrs attrs{{"num_true", std::int64_t{1}},
                    {"num_sampled", std::int64_t{20}},
                    {"range_max", std::int64_t{25}},
                    {"unique", true}};
  const auto drawn = compute("LogUniformCandidateSampler", {tensor<std::int64_t>({1, 1}, {3})},
                             {attrs, {DataType::kInt64, DataType::kFloat, DataType::kFloat}});
  auto classes = integers_of(*(*drawn)[0]);
  std::ranges::sort(classes);
  EXPECT_EQ(std::ranges::adjacent_find(classes), classes.end());
  EXPECT_LT(classes.back(), 25);
}
TEST(SampledSoftmax, hits_its_own_true_classes_where_they_were_drawn) {
  const auto hits = compute("ComputeAccidentalHits", {tensor<std::int64_t>({2, 1}, {7, 5}), ints({5, 9, 7})},
                            {.outputs = {DataType::kInt32, DataType::kInt64, DataType::kFloat}});
  EXPECT_THAT(integers_of(*(*hits)[0]), ElementsAre(0, 1));
  EXPECT_THAT(integers_of(*(*hits)[1]), ElementsAre(2, 0));
}
TEST(SparseToDense, fills_what_is_not_named_with_the_default) {
  EXPECT_THAT(values("SparseToDense", {ints({1, 3}), ints({4}), floats({}, {7}), floats({}, {0})}),
              ElementsAre(0, 7, 0, 7));
}

// ---- attention and recurrent nets ----

TEST(Einsum, multiplies_and_transposes) {
  EXPECT_THAT(values("Einsum", {floats({2, 2}, {1, 2, 3, 4}), floats({2, 1}, {1, 10})}, {{{"equation", "ij,jk->ik"}}}),
              ElementsAre(21, 43));
  EXPECT_THAT(values("Einsum", {floats({1, 2, 2}, {1, 2, 3, 4})}, {{{"equation", "bij->bji"}}}),
              ElementsAre(1, 3, 2, 4));
}
TEST(MatrixBandPart, keeps_the_diagonals_asked_for) {
  EXPECT_THAT(values("MatrixBandPart",
                     {floats({2, 2}, {1, 2, 3, 4}), tensor<std::int64_t>({}, {0}), tensor<std::int64_t>({}, {-1})}),
              ElementsAre(1, 2, 0, 4));
}
TEST(StridedSliceGrad, puts_the_gradient_where_the_slice_was) {
  EXPECT_THAT(values("StridedSliceGrad", {ints({4}), ints({1}), ints({3}), ints({1}), floats({2}, {5, 6})}),
              ElementsAre(0, 5, 6, 0));
}
TEST(SoftmaxCrossEntropyWithLogits, takes_a_distribution_as_label) {
  const auto r = compute("SoftmaxCrossEntropyWithLogits", {floats({1, 2}, {0, 0}), floats({1, 2}, {1, 0})},
                         {.outputs = {DataType::kFloat, DataType::kFloat}});
  EXPECT_NEAR((*r)[0]->as<float>()[0], std::log(2.0F), 1e-6);
  EXPECT_THAT((*r)[1]->as<float>(), ElementsAre(-0.5F, 0.5F));
}
TEST(LeakyRelu, lets_a_part_of_the_negative_through) {
  EXPECT_THAT(values("LeakyRelu", {floats({2}, {-10, 3})}, {{{"alpha", 0.5F}}}), ElementsAre(-5, 3));
  EXPECT_THAT(values("LeakyReluGrad", {floats({2}, {1, 1}), floats({2}, {-10, 3})}, {{{"alpha", 0.5F}}}),
              ElementsAre(0.5, 1));
}

// Recorded of 2.15.1.
TEST(ResponseNormalisation, has_a_gradient_that_goes_through_neighbours) {
  const Attrs by{{"depth_radius", std::int64_t{1}}, {"bias", 1.5F}, {"alpha", 0.4F}, {"beta", 0.6F}};
  const TensorRef x = floats({1, 1, 1, 3}, {0.2031916F, 0.8325913F, -0.836381F});
  const TensorRef gradient = floats({1, 1, 1, 3}, {-0.9402476F, -0.0863336F, 0.2982881F});
  const TensorRef y = one("LRN", {x}, {.attrs = by});
  const Floats back = values("LRNGrad", {gradient, x, y}, {.attrs = by});
  EXPECT_THAT(back,
              ElementsAre(FloatNear(-0.6526847F, 1e-6F), FloatNear(0.0146251F, 1e-6F), FloatNear(0.1529317F, 1e-6F)));
}

}  // namespace
}  // namespace tarry
