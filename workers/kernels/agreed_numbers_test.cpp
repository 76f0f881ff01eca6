// What 2.15.1 gives for numbers that are no numbers, large, complex, without a sign, or rounded at each step.
#include <fmt/ranges.h>

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

using testing::Each;
using testing::NanSensitiveFloatEq;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

template <class T>
std::vector<T> numbers(std::string_view op, const Tensors& inputs, Asked asked = {}) {
  asked.outputs = {TypeOf<T>::value};
  const TensorRef t = one(op, inputs, asked);
  return {t->as<T>().begin(), t->as<T>().end()};
}

TEST(Softmax, of_what_is_no_number_is_zero_for_all_others) {
  EXPECT_THAT(values("Softmax", {floats({1, 3}, {1, kNan, 2})}), ElementsAre(0, NanSensitiveFloatEq(kNan), 0));
  EXPECT_THAT(values("Softmax", {floats({1, 3}, {kInfinity, 1, -kInfinity})}),
              ElementsAre(NanSensitiveFloatEq(kNan), 0, 0));
  EXPECT_THAT(values("LogSoftmax", {floats({1, 2}, {1, kNan})}), Each(NanSensitiveFloatEq(kNan)));
}

Ints columns(const Floats& row, std::int32_t k, bool sorted) {
  const auto r = *compute("TopKV2", {floats({std::ssize(row)}, row), make_scalar(k)},
                          {.attrs = {{"sorted", sorted}}, .outputs = {DataType::kFloat, DataType::kInt32}});
  return integers_of(*r[1]);
}
TEST(TopK, that_is_not_sorted_is_a_heap) {
  EXPECT_THAT(columns({-2, 9, -1, 2}, 3, false), ElementsAre(2, 3, 1));
  EXPECT_THAT(columns({-2, 9, -1, 2}, 3, true), ElementsAre(1, 3, 2));
  EXPECT_THAT(columns({1, 1, 1, 1}, 2, true), ElementsAre(0, 1));
  EXPECT_THAT(columns({3, 1, 2}, 3, false), ElementsAre(0, 2, 1)) << "all are sorted";
}
TEST(TopK, puts_no_number_where_its_steps_leave_it) {
  EXPECT_THAT(columns({1, kNan, 2, -3}, 2, true), ElementsAre(1, 2));
  EXPECT_THAT(columns({5, kNan, 1, 2}, 1, true), ElementsAre(3)) << "what stands before it is hidden";
  EXPECT_THAT(columns({5, 9, kNan}, 1, true), ElementsAre(0)) << "nothing equals it";
  EXPECT_THAT(columns({1, 2, kNan, 3, 4, 5, 6, 7}, 1, true), ElementsAre(7)) << "a packet leaves it out";
}

TEST(UnsortedSegments, of_nothing_look_at_no_id) {
  EXPECT_EQ(refusal("UnsortedSegmentSum", {floats({1, 0}, {}), ints({5}), make_scalar(2)}), "ok");
  EXPECT_NE(refusal("UnsortedSegmentSum", {floats({1}, {1}), ints({5}), make_scalar(2)}), "ok");
}

// 2048 is the first whole number that a half next to it, 2049, is not.
TEST(Halves, are_rounded_after_each_sum) {
  using Half = Eigen::half;
  const TensorRef halves = tensor<Half>({3}, {Half(2048), Half(1), Half(1)});
  const Asked asked{.attrs = {{"T", DataType::kHalf}}};
  EXPECT_EQ(numbers<Half>("SegmentSum", {halves, ints({0, 0, 0})}, asked)[0], Half(2048));
  EXPECT_EQ(numbers<Half>("SegmentMean", {halves, ints({0, 0, 0})}, asked)[0], Half(2048) / Half(3));
  EXPECT_EQ(numbers<Half>("UnsortedSegmentSum", {halves, ints({0, 0, 0}), make_scalar(1)}, asked)[0], Half(2048));
  EXPECT_EQ(numbers<Half>("ScatterNd", {tensor<std::int32_t>({3, 1}, {0, 0, 0}), halves, ints({1})}, asked)[0],
            Half(2048));
  EXPECT_EQ(numbers<Half>("Cumsum", {halves, make_scalar(0)}, asked)[2], Half(2048));
}

TEST(ComplexNumbers, are_added_where_places_repeat) {
  using Complex = std::complex<float>;
  const TensorRef two = tensor<Complex>({2}, {{1, 2}, {3, -1}});
  EXPECT_THAT(numbers<Complex>("ScatterNd", {tensor<std::int32_t>({2, 1}, {0, 0}), two, ints({1})}),
              ElementsAre(Complex(4, 1)));
  EXPECT_THAT(numbers<Complex>("MirrorPadGrad", {two, tensor<std::int32_t>({1, 2}, {1, 0})},
                               {.attrs = {{"mode", std::string("SYMMETRIC")}}}),
              ElementsAre(Complex(4, 1)));
  EXPECT_THAT(numbers<Complex>("SegmentSum", {two, ints({0, 0})}), ElementsAre(Complex(4, 1)));
}

TEST(NumbersWithoutASign, wrap_and_are_compared_as_such) {
  using Large = std::uint64_t;
  constexpr Large kMost = std::numeric_limits<Large>::max();
  const TensorRef x = tensor<Large>({2}, {kMost, 7}), y = tensor<Large>({2}, {2, 2});
  EXPECT_THAT(numbers<Large>("AddV2", {x, y}), ElementsAre(1, 9));
  EXPECT_THAT(numbers<Large>("FloorDiv", {x, y}), ElementsAre(kMost / 2, 3));
  EXPECT_THAT(numbers<Large>("Maximum", {x, y}), ElementsAre(kMost, 7));
  EXPECT_THAT(truths("Less", {x, y}), ElementsAre(false, false));
  EXPECT_THAT(values("Cast", {x}), ElementsAre(18446744073709551616.0F, 7));
  EXPECT_THAT(refusal("Max", {x, ints({0})}, {.outputs = {DataType::kUint64}}), HasSubstr("no uint64 from 2^63 on"));
  EXPECT_THAT(numbers<std::uint32_t>("Sub", {tensor<std::uint32_t>({1}, {1}), tensor<std::uint32_t>({1}, {2})}),
              ElementsAre(4294967295U));
}

TEST(DecodeRaw, swaps_each_part_of_a_complex_number) {
  const Asked asked{.attrs = {{"out_type", DataType::kComplex64}, {"little_endian", false}}};
  EXPECT_THAT(numbers<std::complex<float>>("DecodeRaw", {make_string(std::string("\x40\0\0\0\x3f\x80\0\0", 8))}, asked),
              ElementsAre(std::complex<float>(2, 1)));
}
TEST(DecodePaddedRaw, fills_up_with_zeros_and_cuts) {
  const auto said = [](std::int32_t length, bool little) {
    const Asked asked{.attrs = {{"out_type", DataType::kInt16}, {"little_endian", little}},
                      .outputs = {DataType::kInt16}};
    const auto r = compute("DecodePaddedRaw", {make_string("abc"), make_scalar(length)}, asked);
    return r.ok() ? fmt::format("{}", fmt::join((*r)[0]->as<std::int16_t>(), " ")) : std::string(text_of(r.status()));
  };
  EXPECT_EQ(said(4, true), "25185 99");
  EXPECT_EQ(said(6, false), "24930 25344 0");
  EXPECT_EQ(said(2, true), "25185");
  EXPECT_EQ(said(3, true), "fixed_length (3) must be a multiple of the size of out_type (2)");
  EXPECT_EQ(said(0, true), "fixed_length (0) must be greater than zero.");
}

TEST(Roll, counts_low_bits) {
  const auto rolled = [](const std::vector<std::int64_t>& shifts) {
    return values("Roll", {floats({5}, {0, 1, 2, 3, 4}), make_vector(shifts),
                           make_vector(std::vector<std::int64_t>(shifts.size(), 0))});
  };
  EXPECT_THAT(rolled({(std::int64_t{1} << 32) + 1}), ElementsAre(4, 0, 1, 2, 3));
  EXPECT_THAT(rolled({2147483647, 2147483647, 3}), ElementsAre(4, 0, 1, 2, 3)) << "a sum has so many bits, too";
}

TEST(Histograms, refuse_what_is_no_number) {
  const auto said = [](float x) {
    return refusal("HistogramFixedWidth", {floats({1}, {x}), floats({2}, {0, 4}), make_scalar(4)},
                   {.outputs = {DataType::kInt32}});
  };
  EXPECT_EQ(said(kNan), "Histogram values must not contain NaN");
  EXPECT_EQ(said(kInfinity), "ok");
}
TEST(Histograms, tell_a_zero_with_a_sign) {
  const auto length = [](float x) {
    return one("HistogramSummary", {make_string("h"), floats({1}, {x})}, {.outputs = {DataType::kString}})
        ->strings()[0]
        .size();
  };
  EXPECT_EQ(length(-0.0F), length(0.0F) + 18) << "the least and the largest";
}

TEST(BatchNorm, squares_and_adds_up_in_floats) {
  const auto variance = [](const Floats& x) {
    const TensorRef one_each = floats({1}, {1}), none = floats({0}, {});
    const auto r = *compute("FusedBatchNorm", {floats({1, std::ssize(x), 1, 1}, x), one_each, one_each, none, none},
                            {.outputs = DataTypes(5, DataType::kFloat)});
    return r[4]->as<float>()[0];
  };
  EXPECT_EQ(variance({3e19F, 1, 1}), kInfinity);
  EXPECT_EQ(variance({1e19F, -1e19F, 1e19F, -1e19F}), kInfinity) << "each square has room";
  EXPECT_LT(variance({1e19F, 2e19F, 3e19F}), kInfinity);
}

TEST(LRN, of_what_is_no_number_is_none_in_the_whole_row) {
  const auto normed = [](float x) {
    return values("LRN", {floats({1, 1, 1, 4}, {1, x, 1, 1})}, {.attrs = {{"depth_radius", std::int64_t{1}}}});
  };
  EXPECT_THAT(normed(kNan), Each(NanSensitiveFloatEq(kNan)));
  EXPECT_THAT(normed(3e19F), ElementsAre(0, 0, 0, NanSensitiveFloatEq(kNan)));
}

TEST(GradientsOfSparseTensors, find_values_by_their_indices) {
  const auto at = [](const std::vector<std::int64_t>& all) {
    return tensor<std::int64_t>({std::ssize(all) / 2, 2}, all);
  };
  const auto sum =
      *compute("SparseAddGrad", {floats({2}, {1, 2}), at({0, 1, 2, 0}), at({0, 1, 1, 1}), at({0, 1, 2, 0})},
               {.outputs = {DataType::kFloat, DataType::kFloat}});
  EXPECT_THAT(sum[0]->as<float>(), ElementsAre(1, 2));
  EXPECT_THAT(sum[1]->as<float>(), ElementsAre(1, 0));
  const auto cut = [&](const std::vector<std::int64_t>& to) {
    return Tensors{floats({2}, {5, 7}), at({0, 1, 1, 1, 2, 3}), make_vector(std::vector<std::int64_t>{1, 1}), at(to)};
  };
  EXPECT_THAT(values("SparseSliceGrad", cut({0, 0, 1, 2})), ElementsAre(0, 5, 7));
  EXPECT_THAT(refusal("SparseSliceGrad", cut({0, 0, 4, 4})), HasSubstr("Num elements:2, used: 1"));
}

TEST(MaxPoolGradWithArgmax, adds_at_the_places) {
  const auto gave = [](bool with_batch, std::int64_t second) {
    return refusal("MaxPoolGradWithArgmax",
                   {floats({2, 1, 2, 1}, {0, 0, 0, 0}), floats({2, 1, 1, 1}, {3, 4}),
                    tensor<std::int64_t>({2, 1, 1, 1}, {1, second})},
                   {.attrs = {{"ksize", AttrList{.i = {1, 1, 2, 1}}},
                              {"strides", AttrList{.i = {1, 1, 2, 1}}},
                              {"padding", std::string("VALID")},
                              {"include_batch_in_index", with_batch}}});
  };
  EXPECT_EQ(gave(false, 1), "ok");
  EXPECT_EQ(gave(true, 3), "ok");
  EXPECT_EQ(gave(false, 2), "Invalid output gradient index: 4, 0, 4");
}

TEST(RecurrentCells, refuse_what_does_not_fit) {
  const auto said = [](const Dims& state, std::int64_t biases) {
    return refusal("GRUBlockCell",
                   {kTwoByThree, make_tensor(DataType::kFloat, Shape(state)),
                    make_tensor(DataType::kFloat, Shape({7, 8})), make_tensor(DataType::kFloat, Shape({7, 4})),
                    make_tensor(DataType::kFloat, Shape({biases})), make_tensor(DataType::kFloat, Shape({4}))},
                   {.outputs = DataTypes(4, DataType::kFloat)});
  };
  EXPECT_EQ(said({2, 4}, 8), "ok");
  EXPECT_EQ(said({3, 4}, 8), "h_prev.dims(0) != batch_size: 3 vs. 2");
  EXPECT_EQ(said({2, 4}, 7), "b_ru.dim_size(0) != cell_size * 2: 7 vs. 8");
  EXPECT_EQ(said({4}, 8), "Rank of h_prev must be 2, got 1");
}

}  // namespace
}  // namespace tarry
