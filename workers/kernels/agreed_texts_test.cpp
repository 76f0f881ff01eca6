// What is refused first, and in which words. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TensorRef empty(DataType type, const Dims& dims) { return make_tensor(type, Shape(dims)); }

TEST(SparseCrossEntropy, of_large_numbers_stays_finite) {
  const auto loss = [](const Floats& logits) {
    return values("SparseSoftmaxCrossEntropyWithLogits", {floats({1, 2}, logits), ints({0})},
                  {.outputs = {DataType::kFloat, DataType::kFloat}})[0];
  };
  EXPECT_EQ(loss({0, 200}), 200);
  EXPECT_EQ(loss({0, 1e30F}), 1e30F);
  EXPECT_NEAR(loss({0, 0}), std::log(2.0), 1e-6);
}
TEST(Softmax, by_onednn_has_five_dimensions_at_most) {
  const auto said = [](DataType type) {
    return refusal("Softmax", {empty(type, {1, 1, 1, 1, 1, 1})}, {.outputs = {type}});
  };
  EXPECT_EQ(said(DataType::kFloat), "Input dims must be <= 5 and >=1");
  EXPECT_EQ(said(DataType::kDouble), "ok");
}
TEST(MatMul, of_bfloat16_is_refused_in_the_words_of_onednn) {
  const auto said = [](DataType type) {
    return refusal("MatMul", {empty(type, {3}), empty(type, {3, 2})}, {.outputs = {type}});
  };
  EXPECT_EQ(said(DataType::kBfloat16), "In[0] ndims must be >= 2");
  EXPECT_EQ(said(DataType::kHalf), "In[0] and In[1] has different ndims: [3] vs. [3,2]");
}
TEST(Bitcast, tells_its_types_as_numbers) {
  EXPECT_EQ(refusal("Bitcast", {floats({3}, {1, 2, 3})}, {.outputs = {DataType::kComplex128}}),
            "Cannot bitcast from 1 to 18");
}
TEST(BroadcastTo, looks_at_the_sizes_before_the_rank) {
  EXPECT_EQ(refusal("BroadcastTo", {floats({1, 1, 1}, {1}), ints({2, -1})}), "Dimension -1 must be >= 0");
}
TEST(Bincount, looks_at_the_numbers_before_the_weights) {
  const TensorRef bins = make_scalar<std::int32_t>(4), weights = floats({3}, {1, 2, 3});
  EXPECT_EQ(refusal("Bincount", {ints({1, -1}), bins, weights}), "Input arr must be non-negative!");
  EXPECT_EQ(refusal("Bincount", {ints({1, 1}), bins, weights}), "Input indices and weights must have the same size.");
}
TEST(MirrorPadGrad, looks_at_the_sum_of_the_paddings_first) {
  const auto said = [](std::int64_t before, std::int64_t after) {
    return refusal("MirrorPadGrad", {floats({5}, {1, 2, 3, 4, 5}), tensor<std::int64_t>({1, 2}, {before, after})},
                   {.attrs = {{"mode", "REFLECT"}}});
  };
  EXPECT_EQ(said(3, 2), "Total paddings must be less than the input dimension size: 5 was not less than 5");
  EXPECT_EQ(said(3, 1), "paddings must be less than the output dimension size: 3, 1 not less than 1");
}
TEST(ConcatOffset, wants_vectors_before_it_looks_at_the_axis) {
  const DataTypes two(2, DataType::kInt64);
  const auto said = [&](const TensorRef& second) {
    return refusal("ConcatOffset", {make_scalar<std::int32_t>(5), ints({2, 3}), second}, {.outputs = two});
  };
  EXPECT_EQ(said(tensor<std::int64_t>({1, 2}, {1, 2})), "input 2 should be a vector, but got shape [1,2]");
  EXPECT_EQ(said(ints({2, 3})), "Concat dim is out of range: 5 vs. 2");
}
TEST(Diagonals, are_named_once_at_least) {
  EXPECT_EQ(refusal("MatrixDiagPartV3", {kTwoByThree, ints({}), floats({}, {0})}),
            "Expected diag_index to have at least 1 element");
  EXPECT_EQ(refusal("MatrixSetDiagV3", {kTwoByThree, floats({2}, {1, 2}), ints({})}),
            "diag_index must have at least one element");
  EXPECT_EQ(refusal("MatrixDiagPartV3", {floats({1}, {1}), ints({0}), floats({2}, {0, 0})}), "Padding must be scalar.");
}

}  // namespace
}  // namespace tarry
