// Inputs at the edge of what ops take. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

TEST(RaggedRange, has_a_value_for_a_part_of_a_step) {
  const auto r = *compute("RaggedRange", {make_scalar(0.0F), make_scalar(2.5F), make_scalar(1.0F)},
                          {.outputs = {DataType::kInt64, DataType::kFloat}});
  EXPECT_THAT(Floats(r[1]->as<float>().begin(), r[1]->as<float>().end()), ElementsAre(0, 1, 2));
}

Tensors ragged(const Ints& wanted) {
  return {ints(wanted), floats({3}, {1, 2, 3}), make_scalar(-1.0F), ints({0, 3, 3})};
}
Attrs by_splits() {
  auto list = std::make_shared<AttrList>();
  list->s = {"ROW_SPLITS"};
  return {{"row_partition_types", std::shared_ptr<const AttrList>(list)}};
}
TEST(RaggedTensorToTensor, cuts_off_what_is_too_long) {
  EXPECT_THAT(values("RaggedTensorToTensor", ragged({-1, 2}), {.attrs = by_splits()}), ElementsAre(1, 2, -1, -1));
  EXPECT_EQ(dims("RaggedTensorToTensor", ragged({0, 2}), {.attrs = by_splits()}), (Dims{0, 2}));
}
TEST(RaggedTensorToTensor, has_no_shape_of_another_rank) {
  EXPECT_EQ(refusal("RaggedTensorToTensor", ragged({}), {.attrs = by_splits()}),
            "rt_input.shape and shape=[] are incompatible: rt_input.rank = 2 but shape.rank = 0");
}
TEST(RaggedGather, looks_for_the_rows_before_the_splits) {
  EXPECT_EQ(
      refusal("RaggedGather", {ints({0, 2, 1}), floats({2}, {1, 2}), ints({7})},
              {.attrs = {{"OUTPUT_RAGGED_RANK", std::int64_t{1}}}, .outputs = {DataType::kInt64, DataType::kFloat}}),
      "indices[0] = 7 is not in [0, 2)");
}

TEST(MergeSummary, takes_values_only) {
  const TensorRef other =
      make_string(std::string("\x1A\x03\n\x01"
                              "a"));
  EXPECT_EQ(one("MergeSummary", {other, other}, {.outputs = {DataType::kString}})->strings()[0], "");
}

TEST(LogMatrixDeterminant, of_a_singular_matrix_has_no_sign) {
  const auto r = *compute("LogMatrixDeterminant", {floats({2, 2}, {1, 2, 2, 4})},
                          {.outputs = {DataType::kFloat, DataType::kFloat}});
  EXPECT_EQ(r[0]->as<float>()[0], 0);
  EXPECT_TRUE(std::isinf(r[1]->as<float>()[0]));
}
TEST(Cholesky, of_a_zero_is_not_a_number) { EXPECT_TRUE(std::isnan(values("Cholesky", {floats({1, 1}, {0})})[0])); }
TEST(MatrixSolve, of_no_right_hand_side_needs_no_inverse) {
  EXPECT_EQ(dims("MatrixSolve", {floats({2, 2}, {1, 2, 2, 4}), floats({2, 0}, {})}), (Dims{2, 0}));
  EXPECT_EQ(refusal("MatrixSolve", {floats({2, 2}, {1, 2, 2, 4}), floats({2, 1}, {1, 1})}),
            "Input matrix is not invertible.");
}
TEST(SparseSoftmax, of_large_numbers_does_not_overflow) {
  const auto r =
      values("SparseSoftmax", {tensor<std::int64_t>({2, 2}, {0, 0, 0, 1}), floats({2}, {0, 100}), ints({1, 2})});
  EXPECT_EQ(r[1], 1);
}
TEST(Reverse, of_nothing_is_refused) {
  EXPECT_EQ(refusal("Reverse", {floats({0}, {}), bools({1}, {1})}), "Invalid input first dimension. Found 0.");
}
Ints kept_boxes(const Floats& boxes, const Floats& scores) {
  const TensorRef r = one(
      "NonMaxSuppressionV3",
      {floats({2, 4}, boxes), floats({2}, scores), make_scalar<std::int32_t>(5), make_scalar(0.5F), make_scalar(0.5F)},
      {.outputs = {DataType::kInt32}});
  return integers_of(*r);
}
TEST(NonMaxSuppression, is_above_its_thresholds) {
  EXPECT_THAT(kept_boxes({0, 0, 1, 1, 2, 2, 3, 3}, {0.5F, 0.75F}), ElementsAre(1));
  EXPECT_THAT(kept_boxes({0, 0, 1, 1, 0, 0, 1, 0.5F}, {0.9F, 0.8F}), ElementsAre(0, 1));
}

TEST(Extremes, of_nothing_are_the_limits_of_the_type) {
  const TensorRef none = make_tensor(DataType::kInt8, Shape({0}));
  const Asked narrow{.attrs = {{"T", DataType::kInt8}}, .outputs = {DataType::kInt8}};
  EXPECT_EQ(one("Max", {none, ints({0})}, narrow)->as<std::int8_t>()[0], -128);
  EXPECT_EQ(one("Min", {none, ints({0})}, narrow)->as<std::int8_t>()[0], 127);
}
TEST(Bincount, takes_weights_of_another_shape) {
  const TensorRef matrix = tensor<std::int32_t>({1, 2}, {1, 1}), bins = make_scalar<std::int32_t>(2);
  EXPECT_THAT(values("Bincount", {matrix, bins, floats({2}, {2, 3})}), ElementsAre(0, 5));
  EXPECT_EQ(refusal("Bincount", {matrix, bins, floats({3}, {2, 3, 4})}),
            "Input indices and weights must have the same size.");
}
TEST(UnravelIndex, looks_at_the_positions_first) {
  EXPECT_EQ(refusal("UnravelIndex", {tensor<std::int64_t>({1, 3}, {0, 0, 0}), make_scalar<std::int64_t>(1)},
                    {.outputs = {DataType::kInt64}}),
            "The indices can only be scalar or vector, got \"[1,3]\"");
}
TEST(UnravelIndex, of_a_negative_position_is_negative) {
  EXPECT_THAT(integers("UnravelIndex", {ints({5, -3}), ints({2, 3})}), ElementsAre(1, -1, 2, 0));
}
TEST(SparseReduceSum, takes_a_place_outside_for_another_one_inside) {
  const auto sum = [](const Ints& places, std::int64_t axis) -> Tensors {
    return {tensor<std::int64_t>({2, 2}, {places.begin(), places.end()}), floats({2}, {1, 2}), ints({3, 3}),
            ints({axis})};
  };
  EXPECT_THAT(values("SparseReduceSum", sum({0, 7, 1, 4}, 1)), ElementsAre(1, 2, 0));
  EXPECT_EQ(refusal("SparseReduceSum", sum({4, 0, -3, 4}, 1)),
            "Obtained a write index of -3 which is outside of bounds of [0, 3)");
  EXPECT_EQ(refusal("SparseReduceSum", sum({0, 0, 3, 0}, 1)),
            "Obtained a write index of 3 which is outside of bounds of [0, 3)");
}
TEST(SparseReshape, of_a_place_outside_is_outside) {
  const auto r = *compute("SparseReshape", {tensor<std::int64_t>({1, 2}, {7, 9}), ints({3, 2}), ints({2, 3})},
                          {.outputs = {DataType::kInt64, DataType::kInt64}});
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(7, 2));
}
TEST(SparseSegments, are_looked_at_in_their_order) {
  const auto told = [](const Ints& segments) {
    return refusal("SparseSegmentSum", {floats({1}, {1}), ints({0, 0}), ints(segments)});
  };
  EXPECT_EQ(told({1, -1}), "segment ids must be >= 0");
  EXPECT_EQ(told({-1, 0}), "Segment id -1 out of range [0, 1), possibly because 'segment_ids' input is not sorted.");
}
TEST(DynamicStitch, looks_for_negative_indices_first) {
  EXPECT_EQ(refusal("DynamicStitch", {ints({-3}), ints({0, 1}), floats({1}, {1}), floats({3}, {1, 2, 3})}),
            "indices[0] is out of range");
}
TEST(MatrixDiag, needs_a_scalar_to_pad_with) {
  const TensorRef open = make_scalar<std::int32_t>(-1), k = make_scalar<std::int32_t>(0);
  EXPECT_EQ(refusal("MatrixDiagV3", {floats({1}, {1}), k, open, open, floats({1}, {0})}),
            "padding_value must be a scalar");
}
TEST(SparseSplit, refuses_places_outside) {
  EXPECT_EQ(refusal("SparseSplit",
                    {make_scalar<std::int64_t>(0), tensor<std::int64_t>({1, 1}, {20}), floats({1}, {1}), ints({1})},
                    {.outputs = {DataType::kInt64, DataType::kFloat, DataType::kInt64}}),
            "Sparse index tuple indices[0, :] = [20] is out of bounds");
}

TEST(SparseConcat, does_not_look_at_parts_that_have_no_places) {
  const TensorRef none = tensor<std::int64_t>({0, 1}, {});
  const auto r = *compute("SparseConcat", {none, none, floats({2}, {1, 2}), floats({0}, {}), ints({4}), ints({4})},
                          {.attrs = {{"concat_dim", std::int64_t{0}}, {"N", std::int64_t{2}}},
                           .outputs = {DataType::kInt64, DataType::kFloat, DataType::kInt64}});
  EXPECT_EQ(r[1]->shape(), Shape({0}));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(8));
}
TEST(SparseFillEmptyRows, has_no_negative_rows) {
  EXPECT_EQ(refusal("SparseFillEmptyRows",
                    {tensor<std::int64_t>({1, 2}, {0, 2}), floats({1}, {1}), ints({-1, 4}), make_scalar(0.0F)},
                    {.outputs = {DataType::kInt64, DataType::kFloat, DataType::kBool, DataType::kInt64}}),
            "Expected shape dimensions to be non-negative, got -1");
}
TEST(SparseSlice, has_no_negative_size) {
  EXPECT_EQ(refusal("SparseSlice",
                    {tensor<std::int64_t>({0, 2}, {}), floats({0}, {}), ints({3, 3}), ints({1, 0}), ints({-6, 8})},
                    {.outputs = {DataType::kInt64, DataType::kFloat, DataType::kInt64}}),
            "Expected a non-negative size, got -6");
}
TEST(RaggedTensorToTensor, needs_a_default_value_of_a_lower_rank) {
  Tensors inputs = ragged({4, 4});
  inputs[2] = floats({2}, {0, 0});
  EXPECT_EQ(refusal("RaggedTensorToTensor", inputs, {.attrs = by_splits()}),
            "default_value.shape=[2] and rt_input.flat_values.shape=[3] are incompatible: default_value.rank = 1  must "
            "be less than rt_input.flat_values.rank = 1");
}
TEST(FusedBatchNorm, of_no_elements_has_no_mean) {
  const TensorRef one_channel = floats({1}, {1});
  const auto r =
      *compute("FusedBatchNormV3", {floats({0, 1, 1, 1}, {}), one_channel, one_channel, one_channel, one_channel},
               {.attrs = {{"is_training", false}}, .outputs = DataTypes(6, DataType::kFloat)});
  EXPECT_TRUE(std::isnan(r[1]->as<float>()[0]));
  EXPECT_EQ(r[3]->as<float>()[0], 0);
}
TEST(Conv2D, of_no_channels_is_zero_where_tensorflow_computes_it) {
  auto strides = std::make_shared<AttrList>();
  strides->i = {1, 1, 1, 1};
  const TensorRef r = one("Conv2D", {tensor<double>({1, 1, 2, 0}, {}), tensor<double>({1, 1, 2, 1}, {1, 1})},
                          {.attrs = {{"T", DataType::kDouble},
                                     {"strides", std::shared_ptr<const AttrList>(strides)},
                                     {"padding", std::string("SAME")}},
                           .outputs = {DataType::kDouble}});
  EXPECT_THAT(r->as<double>(), ElementsAre(0, 0));
}
TEST(LeakyRelu, of_halves_has_half_a_factor) {
  const TensorRef r = one("LeakyRelu", {tensor<Eigen::half>({1}, {Eigen::half(-3.5F)})},
                          {.attrs = {{"alpha", 0.2F}, {"T", DataType::kHalf}}, .outputs = {DataType::kHalf}});
  EXPECT_EQ(static_cast<float>(r->as<Eigen::half>()[0]), -0.69970703125F);
}

// Eight halves at a time go other ways than what is left over.
TEST(Halves, round_as_their_packets_do) {
  const auto halves = [](std::size_t n, float x) {
    return tensor<Eigen::half>({static_cast<std::int64_t>(n)}, std::vector<Eigen::half>(n, Eigen::half(x)));
  };
  const TensorRef r = one("Rsqrt", {halves(9, 0.1978F)}, {.outputs = {DataType::kHalf}});
  EXPECT_EQ(r->as<Eigen::half>()[0], Eigen::half(1 / std::sqrt(static_cast<float>(Eigen::half(0.1978F)))));
  EXPECT_EQ(r->as<Eigen::half>()[8], Eigen::half(1) / Eigen::half(std::sqrt(static_cast<float>(Eigen::half(0.1978F)))));
  const TensorRef d = one("SquaredDifference", {halves(1, 2.486F), halves(1, 0)}, {.outputs = {DataType::kHalf}});
  EXPECT_EQ(d->as<Eigen::half>()[0], Eigen::half(2.486F) * Eigen::half(2.486F));
}

// Twenty: two packets and four more.
TEST(Halves, are_added_up_in_packets) {
  std::vector<Eigen::half> row;
  for (int i = 0; i < 20; ++i) row.emplace_back(static_cast<float>(i % 7) / 4 - 0.5F);
  const TensorRef r = one("Softmax", {tensor<Eigen::half>({1, 20}, row)}, {.outputs = {DataType::kHalf}});
  EXPECT_EQ(static_cast<float>(r->as<Eigen::half>()[0]), 0.0218658447265625F);
  EXPECT_EQ(static_cast<float>(r->as<Eigen::half>()[19]), 0.07635498046875F);
}
TEST(Halves, of_a_softmax_are_multiplied_by_the_reciprocal_of_their_sum) {
  const TensorRef r =
      one("Softmax", {tensor<Eigen::half>({1, 3}, {Eigen::half(0.25F), Eigen::half(1.5F), Eigen::half(-0.5F)})},
          {.outputs = {DataType::kHalf}});
  EXPECT_EQ(static_cast<float>(r->as<Eigen::half>()[2]), 0.0950927734375F);
}
TEST(Halves, of_a_cross_entropy_round_after_each_step) {
  const auto halves = [](const Floats& values) {
    return tensor<Eigen::half>({1, 3}, {Eigen::half(values[0]), Eigen::half(values[1]), Eigen::half(values[2])});
  };
  const auto r = *compute("SoftmaxCrossEntropyWithLogits", {halves({0.3F, -1.7F, 2.2F}), halves({0.9F, 0.4F, 1.3F})},
                          {.outputs = {DataType::kHalf, DataType::kHalf}});
  EXPECT_EQ(static_cast<float>(r[0]->as<Eigen::half>()[0]), 3.67578125F);
  EXPECT_EQ(static_cast<float>(r[1]->as<Eigen::half>()[0]), -0.77197265625F);
}

std::string filter_gradient(DataType type, const Ints& sizes, const Dims& gradient, std::int64_t depth = 1) {
  auto strides = std::make_shared<AttrList>();
  strides->i = {1, 1, 1, 1};
  return refusal("Conv2DBackpropFilter",
                 {make_tensor(type, Shape({1, 2, 2, depth})), ints(sizes), make_tensor(type, Shape(gradient))},
                 {.attrs = {{"strides", std::shared_ptr<const AttrList>(strides)}, {"padding", std::string("SAME")}},
                  .outputs = {type}});
}
TEST(GradientsOfConvolutions, are_refused_in_the_words_of_their_library) {
  EXPECT_EQ(filter_gradient(DataType::kFloat, {1}, {1, 2, 2, 2}), "filter must be 4-dimensional: [1]");
  EXPECT_EQ(filter_gradient(DataType::kDouble, {1}, {1, 2, 2, 2}),
            "Conv2DCustomBackpropFilter: filter must be 4-dimensional");
  EXPECT_THAT(filter_gradient(DataType::kFloat, {1, 1, 1, 2}, {1, 3, 2, 2}),
              HasSubstr("could not create a primitive descriptor for a convolution"));
  EXPECT_EQ(filter_gradient(DataType::kDouble, {1, 1, 1, 2}, {1, 3, 2, 2}),
            "Conv2DCustomBackpropFilter: Size of out_backprop doesn't match computed: actual = 3, computed = 2 "
            "spatial_dim: 1 input: 2 filter: 1 output: 3 stride: 1 dilation: 1");
  EXPECT_EQ(filter_gradient(DataType::kFloat, {1, 1, 1, 2}, {1, 2, 2, 2}), "ok");
  EXPECT_EQ(filter_gradient(DataType::kFloat, {1, 1, 1, 1}, {1, 2, 2, 1}, 3),
            "output depth must be evenly divisible by number of groups: 1 vs 3");
}

TEST(SplitV, counts_negative_sizes_and_refuses_them_last) {
  const auto said = [](const Ints& sizes) {
    return refusal("SplitV", {floats({6}, {1, 2, 3, 4, 5, 6}), ints(sizes), make_scalar(0)},
                   {.outputs = DataTypes(sizes.size(), DataType::kFloat)});
  };
  EXPECT_EQ(said({2, -1, 1}), "ok");
  EXPECT_EQ(said({16, -15, 5}), "Split size at index 1 must be >= 0. Got: -15");
  EXPECT_THAT(said({7, -1}), HasSubstr("Got: 7"));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(said({kMost, kMost, 8}), HasSubstr("Determined shape must")) << "their sum has no room";
  EXPECT_THAT(said({-1}), HasSubstr("Input size: 6 output size: -1"));
}

TEST(Convolution, is_refused_by_type_and_padding_before_it_runs) {
  const auto said = [](std::string_view op, DataType type, const char* padding, std::vector<std::int64_t> dilations) {
    const Attrs attrs{{"T", type},
                      {"padding", padding},
                      {"strides", AttrList{.i = {1, 1, 1, 1}}},
                      {"dilations", AttrList{.i = std::move(dilations)}},
                      {"explicit_paddings",
                       padding == std::string_view("SAME") ? AttrList() : AttrList{.i = std::vector<std::int64_t>(8)}}};
    return refusal(op, {kTwoByThree, ints({1}), kTwoByThree}, {.attrs = attrs});
  };
  const char* const one = "Current CPU implementations do not yet support dilation rates larger than 1.";
  EXPECT_EQ(said("Conv2DBackpropInput", DataType::kDouble, "SAME", {1, 2, 2, 1}), one);
  EXPECT_EQ(said("Conv2DBackpropInput", DataType::kFloat, "EXPLICIT", {1, 2, 2, 1}), one);
  EXPECT_NE(said("Conv2DBackpropInput", DataType::kFloat, "SAME", {1, 2, 2, 1}), one) << "oneDNN does";
  EXPECT_EQ(said("DepthwiseConv2dNative", DataType::kHalf, "SAME", {1, 2, 2, 1}),
            "Current kernel implementation does not support dilations, received [1 2 2 1]");
}

}  // namespace
}  // namespace tarry
