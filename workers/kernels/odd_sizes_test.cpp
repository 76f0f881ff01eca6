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

}  // namespace
}  // namespace tarry
