// Sparse tensors, sets and gradients of embeddings at their edges. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/narrow.hpp"

namespace tarry {
namespace {

TensorRef grid(const Dims& dims, const Dims& values) {
  return tensor<std::int64_t>(dims, {values.begin(), values.end()});
}

// ---- Division ----

TEST(Division, of_nothing_does_not_look_at_the_divisor) {
  for (const char* op : {"FloorDiv", "FloorMod", "Div", "Mod", "TruncateDiv", "TruncateMod"}) {
    EXPECT_EQ(dims(op, {grid({0, 2}, {}), ints({1, 0})}, {.outputs = {DataType::kInt64}}), Dims({0, 2})) << op;
    EXPECT_NE(refusal(op, {grid({1, 2}, {5, 5}), ints({1, 0})}, {.outputs = {DataType::kInt64}}), "ok") << op;
  }
}

// ---- SparseSegmentSumGradV2 and its kind ----

const Asked kCompact{.outputs = {DataType::kFloat, DataType::kInt64}};
Tensors compact(const Ints& indices, const Ints& segments, std::int64_t height = 6) {
  return {floats({3, 1}, {1, 2, 4}), ints(indices), ints(segments), make_scalar(height)};
}

TEST(SparseSegmentGradV2, gives_the_rows_that_are_named_and_their_indices) {
  const auto r = *compute("SparseSegmentSumGradV2", compact({4, 0, 4, 1}, {0, 0, 2, 2}), kCompact);
  EXPECT_THAT(integers_of(*r[1]), ElementsAre(0, 1, 4));
  EXPECT_THAT(Floats(r[0]->as<float>().begin(), r[0]->as<float>().end()), ElementsAre(1, 4, 5));
  EXPECT_EQ(values("SparseSegmentMeanGradV2", compact({4, 0}, {0, 0}), kCompact), Floats({0.5F, 0.5F}));
  EXPECT_THAT(values("SparseSegmentSqrtNGradV2", compact({4, 0}, {2, 2}), kCompact)[0],
              FloatNear(4 / std::sqrt(2.0F), 1e-6F));
}
TEST(SparseSegmentGradV2, of_no_rows_is_empty_whatever_the_indices_are) {
  EXPECT_EQ(dims("SparseSegmentSumGradV2", compact({4, 9}, {-1, 9}, 0), kCompact), Dims({0, 1}));
  EXPECT_EQ(dims("SparseSegmentSumGradV2", compact({}, {}), kCompact), Dims({0, 1}));
}
TEST(SparseSegmentGradV2, refuses_what_does_not_fit) {
  const auto said = [](const Ints& indices, const Ints& segments, std::int64_t height) {
    return refusal("SparseSegmentSumGradV2", compact(indices, segments, height), kCompact);
  };
  EXPECT_EQ(said({0, 1}, {0, 3}, 6), "Invalid number of segments");
  EXPECT_EQ(said({0, 1}, {5, 0}, 6), "Segment id 5 out of range [0, 3).");
  EXPECT_EQ(said({0, 6}, {0, 0}, 6), "Index 6 out of range [0, 6).");
  EXPECT_EQ(said({0, 6}, {0, 0}, -1), "Expected a non-negative size, got -1");
  EXPECT_EQ(refusal("SparseSegmentSumGradV2", {floats({1}, {1}), ints({0}), ints({0}), ints({6})}, kCompact),
            "dense_output_dim0 should be a scalar.");
}
TEST(SparseSegmentGrad, looks_at_each_index_before_its_segment) {
  const char *index = "Index 9 out of range [0, 6).", *segment = "Segment id 7 out of range [0, 3).";
  EXPECT_EQ(refusal("SparseSegmentSumGradV2", compact({9, 0}, {7, 0}), kCompact), index);
  EXPECT_EQ(refusal("SparseSegmentMeanGradV2", compact({9, 0, 1}, {0, 7, 0}), kCompact), index);
  EXPECT_EQ(refusal("SparseSegmentSumGrad", compact({9, 0, 1}, {0, 7, 0})), index);
  EXPECT_EQ(refusal("SparseSegmentMeanGrad", compact({9, 0, 1}, {0, 7, 0})), segment);
}

// ---- SparseAdd, SparseTensorDenseAdd, SplitV ----

Ints places_of_sum(const TensorRef& left, const TensorRef& right, const TensorRef& least, Attrs attrs = {}) {
  return integers_of(*one("SparseAdd",
                          {grid({2, 1}, {0, 2}), left, ints({4}), grid({2, 1}, {1, 2}), right, ints({4}), least},
                          {.attrs = std::move(attrs), .outputs = {DataType::kInt64, left->dtype(), DataType::kInt64}}));
}
TEST(SparseAdd, drops_sums_only) {
  const TensorRef small = floats({2}, {0.125F, 0.125F}), least = floats({}, {0.5F});
  EXPECT_THAT(places_of_sum(small, small, least), ElementsAre(0, 1));
  EXPECT_THAT(places_of_sum(small, floats({2}, {0, 0.375F}), least), ElementsAre(0, 1, 2));
  EXPECT_THAT(places_of_sum(small, small, floats({}, {NAN})), ElementsAre(0, 1));
}
TEST(SparseAdd, takes_the_bytes_of_a_threshold_of_another_type) {
  const TensorRef small = floats({2}, {0.125F, 0.125F});
  EXPECT_THAT(places_of_sum(small, small, make_scalar(2.1)), ElementsAre(0, 1, 2));  // a negative float
  EXPECT_THAT(places_of_sum(ints({1, 2}), ints({1, 2}), floats({}, {2.1F})), ElementsAre(0, 1));
  const Attrs narrow{{"T", DataType::kInt8}, {"Treal", DataType::kInt16}};
  const auto in = [](const TensorRef& t, DataType type) { return narrowed(t, type); };
  const TensorRef numbers = in(tensor<std::int32_t>({2}, {1, 2}), DataType::kInt8);
  EXPECT_THAT(places_of_sum(numbers, numbers, in(tensor<std::int32_t>({}, {0x104}), DataType::kInt16), narrow),
              ElementsAre(0, 1, 2));
  const Attrs half{{"T", DataType::kHalf}, {"Treal", DataType::kHalf}};
  const TensorRef eighths = in(small, DataType::kHalf);
  EXPECT_THAT(places_of_sum(eighths, eighths, in(floats({}, {0.5F}), DataType::kHalf), half), ElementsAre(0, 1));
}
TEST(SparseTensorDenseAdd, takes_indices_of_four_bytes) {
  EXPECT_THAT(values("SparseTensorDenseAdd", {tensor<std::int32_t>({1, 2}, {1, 0}), floats({1}, {5}),
                                              tensor<std::int32_t>({2}, {2, 1}), floats({2, 1}, {1, 2})}),
              ElementsAre(1, 7));
}
TEST(SplitV, takes_sizes_of_one_byte) {
  const TensorRef sizes = narrowed(tensor<std::int32_t>({2}, {1, -1}), DataType::kInt8);
  const auto r = *compute("SplitV", {floats({3}, {1, 2, 3}), sizes, make_scalar(0)},
                          {.outputs = {DataType::kFloat, DataType::kFloat}});
  EXPECT_EQ(r[1]->shape(), Shape({2}));
}

// ---- The order of indices ----

const char* const kLate =
    "indices[1] = [0,1] is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
    "create "
    "a correctly ordered copy.\n\n";

Asked sets(bool validates) {
  return {.attrs = {{"set_operation", std::string("union")}, {"validate_indices", validates}},
          .outputs = {DataType::kInt64, DataType::kInt64, DataType::kInt64}};
}
Tensors two_sparse(const Dims& places) {
  return {grid({2, 2}, places), ints({1, 2}), ints({3, 4}), grid({1, 2}, {0, 0}), ints({1}), ints({3, 4})};
}
TEST(SetOperations, want_each_index_once_and_in_order) {
  EXPECT_EQ(refusal("SparseToSparseSetOperation", two_sparse({0, 1, 0, 1}), sets(true)),
            "indices[1] = [0,1] is repeated");
  EXPECT_EQ(refusal("SparseToSparseSetOperation", two_sparse({1, 0, 0, 1}), sets(true)), kLate);
  EXPECT_EQ(refusal("SparseToSparseSetOperation", two_sparse({1, 0, 0, 9}), sets(true)),
            "indices[1] = [0,9] is out of bounds: need 0 <= index < [3,4]");
}
TEST(SetOperations, that_do_not_validate_take_neighbours_of_one_place_for_a_set) {
  const auto r = *compute("SparseToSparseSetOperation", two_sparse({1, 0, 0, 1}), sets(false));
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 0, 1, 0, 0, 0));
  EXPECT_THAT(integers_of(*r[1]), ElementsAre(1, 1, 2));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(3, 1));
  EXPECT_EQ(refusal("SparseToSparseSetOperation", two_sparse({0, 1, 3, 0}), sets(false)),
            "indices[0, 0] expected < 3, got 3.");
}
TEST(SetOperations, of_a_dense_side_stop_at_a_place_that_it_does_not_have) {
  const auto r = *compute("DenseToSparseSetOperation",
                          {grid({2, 1}, {5, 6}), grid({2, 2}, {7, 0, 1, 0}), ints({8, 9}), ints({2, 4})}, sets(false));
  EXPECT_THAT(integers_of(*r[1]), ElementsAre(5, 6));
}
TEST(SetSize, wants_sorted_indices_or_counts_the_last_set_of_a_place) {
  const Tensors late{grid({3, 2}, {1, 0, 0, 1, 1, 2}), ints({1, 2, 3}), ints({3, 4})};
  const auto asked = [](bool validates) {
    return Asked{.attrs = {{"validate_indices", validates}}, .outputs = {DataType::kInt32}};
  };
  EXPECT_EQ(refusal("SetSize", late, asked(true)), kLate);
  EXPECT_THAT(integers_of(*one("SetSize", late, asked(false))), ElementsAre(1, 1, 0));
  EXPECT_EQ(refusal("SetSize", {grid({1, 2}, {0, 9}), ints({1}), ints({3, 4})}, asked(false)),
            "indices[0, 1] expected < 4, got 9.");
}
TEST(SerializeManySparse, wants_sorted_indices) {
  EXPECT_EQ(refusal("SerializeManySparse", {grid({2, 2}, {1, 0, 0, 1}), ints({1, 2}), ints({3, 4})},
                    {.outputs = {DataType::kString}}),
            kLate);
}
TEST(SparseToDense, that_does_not_validate_tells_the_shape_only) {
  EXPECT_EQ(refusal("SparseToDense", {ints({1, 7}), ints({4}), floats({}, {7}), floats({}, {0})},
                    {.attrs = {{"validate_indices", false}}}),
            "Indices are not valid (out of bounds).  Shape: [4]");
}

// ---- Narrow and complex values, and what is no number ----

TEST(Fingerprint, is_one_of_the_bytes_of_a_narrow_type) {
  const TensorRef data = narrowed(tensor<std::int32_t>({2, 2}, {1, 2, 3, 0}), DataType::kInt8);
  const TensorRef r = one("Fingerprint", {data, make_string("farmhash64")},
                          {.attrs = {{"T", DataType::kInt8}}, .outputs = {DataType::kUint8}});
  EXPECT_EQ(static_cast<int>(r->raw()[0]), 255);
  EXPECT_EQ(static_cast<int>(r->raw()[1]), 114);
}
TEST(EditDistance, compares_complex_elements) {
  using Complex = std::complex<float>;
  const TensorRef place = grid({2, 2}, {0, 0, 0, 1}), shape = ints({1, 2});
  EXPECT_THAT(values("EditDistance", {place, tensor<Complex>({2}, {{1, 2}, {3, 0}}), shape, place,
                                      tensor<Complex>({2}, {{1, 2}, {3, 1}}), shape}),
              ElementsAre(0.5F));
}
TEST(RealTransforms, are_of_one_width) {
  EXPECT_EQ(refusal("RFFT", {tensor<double>({2}, {1, 2}), tensor<std::int32_t>({1}, {2})},
                    {.outputs = {DataType::kComplex64}}),
            "Wrong types for forward real FFT: in=2 out=8");
  EXPECT_EQ(refusal("IRFFT", {tensor<std::complex<double>>({2}, {1, 2}), tensor<std::int32_t>({1}, {2})}),
            "Wrong types for backward real FFT: in=18 out=1");
}
TEST(RgbToHsv, goes_on_behind_what_is_no_number) {
  const float none = NAN;
  const Floats r = values("RGBToHSV", {floats({3, 3}, {.1F, .2F, none, none, .1F, .2F, .1F, none, .2F})});
  EXPECT_EQ(Floats({r[0], r[1], r[4], r[5], r[6], r[7], r[8]}), Floats({0, 0, .5F, .2F, 0, 0, .2F}));
  EXPECT_TRUE(std::isnan(r[2]) && std::isnan(r[3]));
}

}  // namespace
}  // namespace tarry
