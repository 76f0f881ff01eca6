// Lists, segments, mirrored and reversed elements, bits and bytes.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

const DataTypes kListAndIndices = {DataType::kInt64, DataType::kInt32};

Ints column(const TensorRef& t) { return integers_of(*t); }

TEST(Lists, differ_by_what_the_second_lacks) {
  const auto out = *compute("ListDiff", {ints({4, 1, 4, 2}), ints({1, 9})}, {.outputs = kListAndIndices});
  EXPECT_THAT(column(out[0]), ElementsAre(4, 4, 2));
  EXPECT_THAT(column(out[1]), ElementsAre(0, 2, 3));
}
TEST(Lists, have_each_element_once_in_the_order_of_the_first_ones) {
  const auto out = *compute("Unique", {ints({4, 1, 4, 2})}, {.outputs = kListAndIndices});
  EXPECT_THAT(column(out[0]), ElementsAre(4, 1, 2));
  EXPECT_THAT(column(out[1]), ElementsAre(0, 1, 0, 2));
  EXPECT_EQ(one("Unique", {floats({2}, {0.0F, -0.0F})}, {.outputs = {DataType::kFloat, DataType::kInt32}})->elements(),
            1);
}
TEST(Lists, equal_ones_among_the_largest_keep_their_order) {
  const auto out = *compute("TopKV2", {floats({4}, {1, 3, 2, 3}), make_scalar(3)},
                            {.outputs = {DataType::kFloat, DataType::kInt32}});
  EXPECT_THAT(column(out[1]), ElementsAre(1, 3, 2));
}
TEST(Lists, a_target_is_in_the_top_while_fewer_than_k_are_larger) {
  const TensorRef rows = floats({2, 3}, {1, 2, 3, 1, std::numeric_limits<float>::quiet_NaN(), 0});
  EXPECT_THAT(truths("InTopKV2", {rows, ints({1, 0}), make_scalar(std::int64_t{2})}), ElementsAre(true, false));
  EXPECT_THAT(truths("InTopKV2", {rows, ints({0, 0}), make_scalar(std::int64_t{2})}), ElementsAre(false, false));
}
TEST(Lists, of_truths_have_a_least_and_a_greatest) {
  EXPECT_EQ(integers("ArgMin", {bools({3}, {1, 0, 0}), make_scalar(0)})[0], 1);
}
TEST(Lists, are_clipped_by_scalars_or_by_lists_of_their_own_length) {
  const TensorRef list = floats({3}, {-5, 0, 5}), least = floats({3}, {-1, 1, 2});
  EXPECT_THAT(values("ClipByValue", {list, least, make_scalar(3.0F)}), ElementsAre(-1, 1, 3));
  EXPECT_EQ(refusal("ClipByValue", {list, floats({2}, {0, 0}), make_scalar(3.0F)}),
            "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input shape: "
            "[3]clip_value_min shape: [2]clip_value_max shape: []");
}
TEST(Lists, that_meet_nan_have_it_as_their_least_and_greatest) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const char* op : {"Maximum", "Minimum"})
    for (const auto& [x, y] : {std::pair{nan, 1.0F}, {1.0F, nan}})
      EXPECT_TRUE(std::isnan(values(op, {make_scalar(x), make_scalar(y)})[0])) << op;
}
TEST(Segments, without_rows_hold_zeros_ones_or_the_limit) {
  const TensorRef data = floats({2}, {3, 5});
  EXPECT_THAT(values("SegmentMean", {data, ints({0, 2})}), ElementsAre(3, 0, 5));
  EXPECT_THAT(values("SegmentProd", {data, ints({0, 2})}), ElementsAre(3, 1, 5));
  EXPECT_THAT(values("SegmentMax", {data, ints({1, 1})}), ElementsAre(0, 5));
  EXPECT_THAT(values("UnsortedSegmentMax", {data, ints({1, -1}), make_scalar(2)}),
              ElementsAre(std::numeric_limits<float>::lowest(), 3));
  EXPECT_EQ(refusal("SegmentSum", {data, ints({1, 0})}), "segment ids are not increasing");
}
TEST(Edges, are_mirrored_with_or_without_themselves) {
  const TensorRef row = floats({3}, {1, 2, 3});
  MutableTensor by = make_tensor(DataType::kInt32, Shape({1, 2}));
  by->mutable_as<std::int32_t>()[0] = by->mutable_as<std::int32_t>()[1] = 2;
  const auto mode = [](const char* name) { return Asked{.attrs = {{"mode", std::string(name)}}}; };
  EXPECT_THAT(values("MirrorPad", {row, by}, mode("REFLECT")), ElementsAre(3, 2, 1, 2, 3, 2, 1));
  EXPECT_THAT(values("MirrorPad", {row, by}, mode("SYMMETRIC")), ElementsAre(2, 1, 1, 2, 3, 3, 2));
}
TEST(Sequences, are_reversed_up_to_their_length_and_roll_around) {
  const Asked asked{.attrs = {{"seq_dim", std::int64_t{1}}, {"batch_dim", std::int64_t{0}}}};
  EXPECT_THAT(values("ReverseSequence", {kTwoByThree, ints({2, 3})}, asked), ElementsAre(2, 1, 3, 6, 5, 4));
  EXPECT_THAT(values("Roll", {floats({3}, {1, 2, 3}), make_scalar(-1), make_scalar(0)}), ElementsAre(2, 3, 1));
}
TEST(Bits, are_shifted_by_no_more_than_there_are) {
  EXPECT_THAT(integers("LeftShift", {ints({1, 1, -1}), ints({3, 70, -2})}),
              ElementsAre(8, std::numeric_limits<std::int64_t>::min(), -1));
  EXPECT_THAT(integers("BitwiseXor", {ints({6}), ints({3})}), ElementsAre(5));
}
TEST(Bytes, of_one_row_are_numbers_in_either_order) {
  const TensorRef bytes = make_string(std::string("\1\0\0\0\0\0\0\0", 8));
  const auto decoded = [&](bool little) {
    return integers("DecodeRaw", {bytes}, {.attrs = {{"little_endian", little}, {"out_type", DataType::kInt64}}})[0];
  };
  EXPECT_EQ(decoded(true), 1);
  EXPECT_EQ(decoded(false), std::int64_t{1} << 56);
  EXPECT_EQ(refusal("DecodeRaw", {make_string("abc")}),
            "Input to DecodeRaw has length 3 that is not a multiple of 4, the size of float");
}

}  // namespace
}  // namespace tarry
