#include "workers/kernels/narrow.hpp"

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TensorRef narrow_vector(DataType type, const std::vector<float>& values) {
  if (computed_as(type) == DataType::kFloat) return narrowed(make_vector(values), type);
  return narrowed(make_vector(std::vector<std::int32_t>(values.begin(), values.end())), type);
}

TEST(Narrow, integers_wrap_and_halves_are_rounded) {
  const auto sum = [](DataType type, float x, float y) {
    const TensorRef t = one("AddV2", {narrow_vector(type, {x}), narrow_vector(type, {y})}, {.outputs = {type}});
    EXPECT_EQ(t->dtype(), type);
    const TensorRef wide = widened(t);
    return wide->dtype() == DataType::kFloat ? wide->as<float>()[0] : static_cast<float>(wide->as<std::int32_t>()[0]);
  };
  EXPECT_EQ(sum(DataType::kUint8, 200, 100), 44);
  EXPECT_EQ(sum(DataType::kInt8, 100, 100), -56);
  EXPECT_EQ(sum(DataType::kHalf, 2048, 1), 2048);
  EXPECT_EQ(sum(DataType::kBfloat16, 256, 1), 256);
}
TEST(Narrow, casts_go_either_way) {
  EXPECT_THAT(values("Cast", {narrow_vector(DataType::kUint8, {255, 1})}), ElementsAre(255, 1));
  const TensorRef bytes = one("Cast", {floats({2}, {300, 7.9F})}, {.outputs = {DataType::kUint8}});
  EXPECT_THAT(integers("Cast", {bytes}), ElementsAre(44, 7));
}
TEST(Narrow, values_that_only_move_keep_their_type) {
  const TensorRef t = one("Fill", {ints({2}), narrow_vector(DataType::kInt8, {-3})}, {.outputs = {DataType::kInt8}});
  EXPECT_EQ(t->dtype(), DataType::kInt8);
  EXPECT_THAT(integers("Cast", {t}), ElementsAre(-3, -3));
}
TEST(Narrow, other_types_stay_as_they_are) {
  EXPECT_EQ(widened(kTwoByThree), kTwoByThree);
  EXPECT_EQ(narrowed(kTwoByThree, DataType::kFloat), kTwoByThree);
  EXPECT_FALSE(is_narrow(DataType::kString));
}

}  // namespace
}  // namespace tarry
