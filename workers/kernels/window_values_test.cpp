// What windows compute. Where no number speaks for itself, TensorFlow 2.15.1 computed it.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

std::shared_ptr<const AttrList> list(const Dims& values) {
  auto l = std::make_shared<AttrList>();
  l->i.assign(values.begin(), values.end());
  return l;
}
Asked window(std::int64_t size, std::int64_t stride, const std::string& padding) {
  return {
      .attrs = {{"ksize", list({1, size, size, 1})}, {"strides", list({1, stride, stride, 1})}, {"padding", padding}}};
}
Floats counted(std::size_t n) {
  Floats f(n);
  std::iota(f.begin(), f.end(), 1.0F);
  return f;
}
const TensorRef kSquare = floats({1, 3, 3, 1}, counted(9));

TEST(Conv2D, adds_up_what_the_window_covers) {
  const TensorRef ones = floats({2, 2, 1, 1}, {1, 1, 1, 1});
  EXPECT_THAT(values("Conv2D", {kSquare, ones}, window(2, 1, "VALID")), ElementsAre(12, 16, 24, 28));
  EXPECT_THAT(values("Conv2D", {kSquare, ones}, window(2, 2, "SAME")), ElementsAre(12, 9, 15, 9));
}
TEST(Conv2D, begins_before_the_image_with_half_of_the_padding) {
  const TensorRef first = floats({3, 3, 1, 1}, {1, 0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_THAT(values("Conv2D", {kSquare, first}, window(3, 1, "SAME")), ElementsAre(0, 0, 0, 0, 1, 2, 0, 4, 5));
}
TEST(Conv2D, has_a_filter_for_each_group_of_channels) {
  const TensorRef in = floats({1, 1, 1, 2}, {3, 5}), filter = floats({1, 1, 1, 2}, {10, 100});
  EXPECT_THAT(values("Conv2D", {in, filter}, window(1, 1, "VALID")), ElementsAre(30, 500));
}
TEST(DepthwiseConv2dNative, keeps_channels_apart) {
  const TensorRef in = floats({1, 1, 1, 2}, {3, 5}), filter = floats({1, 1, 2, 2}, {1, 10, 100, 1000});
  EXPECT_THAT(values("DepthwiseConv2dNative", {in, filter}, window(1, 1, "VALID")), ElementsAre(3, 30, 500, 5000));
}

// The gradient of a sum of products, by each of its factors, is what is multiplied with the other.
TEST(Conv2DBackprop, is_the_adjoint_of_the_convolution) {
  const TensorRef filter = floats({2, 2, 1, 2}, counted(8)), dy = floats({1, 2, 2, 2}, counted(8));
  const Asked asked = window(2, 2, "SAME");
  const auto inner = [](const Floats& a, const Floats& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F);
  };
  const float forward = inner(values("Conv2D", {kSquare, filter}, asked), counted(8));
  EXPECT_FLOAT_EQ(inner(values("Conv2DBackpropInput", {ints({1, 3, 3, 1}), filter, dy}, asked), counted(9)), forward);
  EXPECT_FLOAT_EQ(inner(values("Conv2DBackpropFilter", {kSquare, ints({2, 2, 1, 2}), dy}, asked), counted(8)), forward);
}
TEST(Conv2DBackprop, of_a_gradient_of_another_size_is_refused) {
  const TensorRef filter = floats({2, 2, 1, 1}, counted(4)), dy = floats({1, 3, 3, 1}, counted(9));
  EXPECT_THAT(refusal("Conv2DBackpropInput", {ints({1, 3, 3, 1}), filter, dy}, window(2, 1, "VALID")),
              HasSubstr("could not create a primitive descriptor for a convolution"));
}

TEST(MaxPool, takes_the_largest_that_is_not_padding) {
  const TensorRef negative = floats({1, 2, 2, 1}, {-1, -2, -3, -4});
  EXPECT_THAT(values("MaxPool", {kSquare}, window(2, 2, "SAME")), ElementsAre(5, 6, 8, 9));
  EXPECT_THAT(values("MaxPool", {negative}, window(2, 1, "SAME")), ElementsAre(-1, -2, -3, -4));
}
TEST(MaxPoolGrad, goes_to_the_first_of_the_largest) {
  const TensorRef in = floats({1, 2, 2, 1}, {7, 7, 1, 2}), out = floats({1, 1, 1, 1}, {7}),
                  dy = floats({1, 1, 1, 1}, {10});
  EXPECT_THAT(values("MaxPoolGrad", {in, out, dy}, window(2, 2, "VALID")), ElementsAre(10, 0, 0, 0));
}
TEST(MaxPoolWithArgmax, counts_places_in_an_entry_of_the_batch_or_in_all) {
  const TensorRef in = floats({2, 2, 2, 1}, {1, 2, 3, 9, 5, 4, 3, 2});
  Asked asked = window(2, 2, "VALID");
  asked.outputs = {DataType::kFloat, DataType::kInt64};
  EXPECT_THAT(integers_of(*(*compute("MaxPoolWithArgmax", {in}, asked))[1]), ElementsAre(3, 0));
  asked.attrs.set("include_batch_in_index", true);
  EXPECT_THAT(integers_of(*(*compute("MaxPoolWithArgmax", {in}, asked))[1]), ElementsAre(3, 4));
}
TEST(AvgPool, divides_by_what_is_not_padding) {
  EXPECT_THAT(values("AvgPool", {kSquare}, window(2, 2, "SAME")), ElementsAre(3, 4.5, 7.5, 9));
  const TensorRef dy = floats({1, 2, 2, 1}, {4, 2, 2, 1});
  EXPECT_THAT(values("AvgPoolGrad", {ints({1, 3, 3, 1}), dy}, window(2, 2, "SAME")),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(FusedBatchNorm, of_training_gives_the_variance_of_a_sample) {
  const TensorRef x = floats({1, 2, 1, 2}, {1, 10, 3, 30}), one_each = floats({2}, {1, 1}), none = floats({0}, {});
  const DataTypes outputs(5, DataType::kFloat);
  const auto r = *compute("FusedBatchNorm", {x, one_each, floats({2}, {0, 5}), none, none},
                          {.attrs = {{"is_training", true}, {"epsilon", 0.0F}}, .outputs = outputs});
  const auto numbers = [&](std::size_t i) { return Floats(r[i]->as<float>().begin(), r[i]->as<float>().end()); };
  EXPECT_THAT(numbers(0), ElementsAre(-1, 4, 1, 6));
  EXPECT_THAT(numbers(1), ElementsAre(2, 20));
  EXPECT_THAT(numbers(2), ElementsAre(2, 200));
  EXPECT_THAT(numbers(4), ElementsAre(1, 100));
}

TEST(ResizeBilinear, lies_between_the_pixels) {
  const TensorRef line = floats({1, 1, 2, 1}, {0, 10}), size = tensor<std::int32_t>({2}, {1, 4});
  EXPECT_THAT(values("ResizeBilinear", {line, size}), ElementsAre(0, 5, 10, 10));
  EXPECT_THAT(values("ResizeBilinear", {line, size}, {.attrs = {{"half_pixel_centers", true}}}),
              ElementsAre(0, 2.5, 7.5, 10));
  EXPECT_THAT(values("ResizeNearestNeighbor", {line, size}), ElementsAre(0, 0, 10, 10));
}

TEST(NonMaxSuppression, leaves_out_what_overlaps_a_better_box) {
  const TensorRef boxes = floats({3, 4}, {0, 0, 1, 1, 1, 1, 0, 0.1F, 5, 5, 6, 6}),
                  scores = floats({3}, {0.5, 0.9F, 0.1F}), most = make_scalar<std::int32_t>(3);
  const Asked asked{.outputs = {DataType::kInt32}};
  EXPECT_THAT(integers_of(*one("NonMaxSuppression", {boxes, scores, most}, asked)), ElementsAre(1, 2));
  EXPECT_THAT(
      integers_of(*one("NonMaxSuppressionV3", {boxes, scores, most, floats({}, {0.95F}), floats({}, {0.3F})}, asked)),
      ElementsAre(1, 0));
}

}  // namespace
}  // namespace tarry
