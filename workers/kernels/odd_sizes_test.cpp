// Sizes, ranks and numbers that ops hardly expect. What TensorFlow 2.15.1 makes of them was recorded.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TensorRef ones(std::int64_t n) { return floats({n}, Floats(static_cast<std::size_t>(n), 1)); }
Asked with_floats(std::size_t outputs) { return {.outputs = DataTypes(outputs, DataType::kFloat)}; }

TEST(FusedBatchNormGrad, wants_a_number_for_each_channel_of_scale_mean_and_variance) {
  const TensorRef x = floats({1, 1, 1, 2}, {1, 2});
  const auto said = [&](std::int64_t scale, std::int64_t mean, std::int64_t variance) {
    return refusal("FusedBatchNormGrad", {x, x, ones(scale), ones(mean), ones(variance)}, with_floats(5));
  };
  EXPECT_EQ(said(3, 3, 3), "scale must have the same number of elements as the channels of x, got 3 and 2");
  EXPECT_EQ(said(2, 0, 3), "reserve_space_1 must have the same number of elements as the channels of x, got 0 and 2");
  EXPECT_EQ(said(2, 2, 1), "reserve_space_2 must have the same number of elements as the channels of x, got 1 and 2");
  EXPECT_EQ(said(2, 2, 2), "ok");
}
TEST(FusedBatchNormGrad, gives_two_zeros_without_a_meaning_that_half_leaves_empty) {
  const auto unused = [](DataType type) {
    const TensorRef x = make_shape_only(type, Shape({1, 1, 1, 2}));
    Asked asked = with_floats(5);
    asked.outputs[0] = type;
    return (*compute("FusedBatchNormGradV2", {x, x, ones(2), ones(2), ones(2)}, asked))[4]->shape().dims;
  };
  EXPECT_THAT(unused(DataType::kFloat), ElementsAre());
  EXPECT_THAT(unused(DataType::kHalf), ElementsAre(0));
}

TEST(CtcLoss, of_labels_that_are_all_null_may_end_one_time_earlier) {
  const auto loss = [](std::int64_t times) {
    const auto count = static_cast<std::size_t>(2 * times);
    const Tensors inputs{floats({times, 1, 2}, Floats(count, 0)), tensor<std::int64_t>({1, 2}, {0, 0}),
                         tensor<std::int32_t>({1}, {1}), tensor<std::int32_t>({1}, {static_cast<std::int32_t>(times)})};
    return (*compute("CTCLoss", inputs, with_floats(2)))[0]->as<float>()[0];
  };
  EXPECT_FLOAT_EQ(loss(2), -std::log(0.5F * 1.5F));
  EXPECT_FLOAT_EQ(loss(3), -std::log(0.25F * 1.5F));
}

const TensorRef kSquare = floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
TensorRef pairs(const Dims& dims, const std::vector<std::int32_t>& values) { return tensor(dims, values); }

TEST(Diagonals, want_one_index_at_least_and_one_number_for_padding_before_a_matrix) {
  const TensorRef none = ints({}), zero = ints({0}), two = floats({2}, {1, 2}), number = floats({}, {0}), row = ones(3);
  EXPECT_EQ(refusal("MatrixDiagPartV3", {row, none, two}), "Expected diag_index to have at least 1 element");
  EXPECT_EQ(refusal("MatrixDiagPartV3", {row, zero, two}), "Padding must be scalar.");
  EXPECT_EQ(refusal("MatrixDiagPartV3", {row, ints({1, -1}), number}),
            "input must be at least 2-dim, received shape: [3]");
  EXPECT_EQ(refusal("MatrixSetDiagV3", {row, row, none}), "diag_index must have at least one element");
  EXPECT_EQ(refusal("MatrixDiagPartV3", {kSquare, zero, ones(1)}), "ok");
}
TEST(Bitcast, to_a_type_that_does_not_fit_tells_their_numbers) {
  EXPECT_EQ(refusal("Bitcast", {ones(3)}, {.outputs = {DataType::kComplex128}}), "Cannot bitcast from 1 to 18");
}
TEST(ConcatOffset, looks_at_all_ranks_before_the_dimension) {
  EXPECT_EQ(refusal("ConcatOffset", {make_scalar<std::int32_t>(5), pairs({2}, {2, 3}), pairs({1, 2}, {1, 2})},
                    {.outputs = {DataType::kInt32, DataType::kInt32}}),
            "input 2 should be a vector, but got shape [1,2]");
}
TEST(BroadcastTo, refuses_a_negative_size_before_a_rank) {
  EXPECT_EQ(refusal("BroadcastTo", {floats({1, 1, 1}, {1}), ints({2, -1})}), "Dimension -1 must be >= 0");
}
TEST(Bincount, refuses_a_negative_number_before_its_weights) {
  EXPECT_EQ(refusal("Bincount", {pairs({2}, {1, -1}), make_scalar<std::int32_t>(4), ones(3)}),
            "Input arr must be non-negative!");
}
TEST(MirrorPadGrad, wants_something_to_be_left) {
  EXPECT_EQ(refusal("MirrorPadGrad", {ones(5), pairs({1, 2}, {3, 2})}, {.attrs = {{"mode", std::string("REFLECT")}}}),
            "Total paddings must be less than the input dimension size: 5 was not less than 5");
}
TEST(StridedSlice, tells_the_inputs_dimension_of_a_stride_that_is_zero) {
  EXPECT_EQ(refusal("StridedSlice", {kSquare, ints({0, 0}), ints({1, 1}), ints({1, 0})},
                    {.attrs = {{"new_axis_mask", std::int64_t{1}}}}),
            "strides[0] must be non-zero");
}
TEST(SpaceToBatch, wants_two_edges_for_each_dimension_of_the_block) {
  const TensorRef image = floats({1, 2, 2, 1}, {1, 2, 3, 4}), edges = pairs({1, 2, 2}, {0, 0, 0, 0});
  const Asked asked{.attrs = {{"block_size", std::int64_t{2}}}};
  EXPECT_EQ(refusal("SpaceToBatch", {image, edges}, asked), "paddings should have shape [2, 2] instead of [1,2,2]");
  EXPECT_EQ(refusal("BatchToSpace", {image, edges}, asked), "crops should have shape [2, 2] instead of [1,2,2]");
}
TEST(MatMul, of_bfloat16_is_refused_as_of_float) {
  const TensorRef row = make_tensor(DataType::kBfloat16, Shape({3}));
  EXPECT_EQ(refusal("MatMul", {row, row}, {.outputs = {DataType::kBfloat16}}), "In[0] ndims must be >= 2");
}
TEST(RaggedTensorToTensor, takes_rows_that_end_behind_the_values_where_they_are_cut_off) {
  const auto dense = [](std::int64_t width) {
    Asked asked;
    asked.attrs.set("row_partition_types", AttrList{.s = {"ROW_SPLITS"}});
    return one("RaggedTensorToTensor", {ints({1, width}), ones(3), floats({}, {0}), ints({0, 5})}, asked);
  };
  EXPECT_TRUE(dense(3)->has_data());
  EXPECT_FALSE(dense(4)->has_data()) << "TensorFlow reads what is not there";
}

}  // namespace
}  // namespace tarry
