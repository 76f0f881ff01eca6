// Functions of halves, each step of which is rounded. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

using Half = Eigen::half;

TensorRef halves(const Dims& dims, const Floats& values) {
  return tensor<Half>(dims, std::vector<Half>(values.begin(), values.end()));
}
Floats of_halves(std::string_view op, const Tensors& inputs, Attrs attrs = {}) {
  attrs.set("T", DataType::kHalf);
  const TensorRef t = one(op, inputs, {.attrs = attrs, .outputs = {DataType::kHalf}});
  return {t->as<Half>().begin(), t->as<Half>().end()};
}

// Nine of each: the first eight are computed together, the last alone.
const TensorRef kX = halves({9}, {-1.5F, 0.75F, 0.1F, -0.3F, 3, -2, 0.2F, 0.9F, 0.33F}),
                kY = halves({9}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F, 0.8F, 0.9F}),
                kDy = halves({9}, {0.5F, -0.25F, 0.7F, 1.1F, -2, 0.3F, 0.15F, -0.6F, 0.77F});

TEST(HalfValues, of_a_product_are_rounded_at_each_element_whatever_is_transposed) {
  const TensorRef a = halves({2, 3}, {1.5F, 2.25F, -0.3F, 0.1F, 0.7F, 2049}),
                  a_turned = halves({3, 2}, {1.5F, 0.1F, 2.25F, 0.7F, -0.3F, 2049}),
                  b = halves({3, 2}, {1, 2, 0.5F, 0.25F, 3, -1}), b_turned = halves({2, 3}, {1, 0.5F, 3, 2, 0.25F, -1});
  for (const bool ta : {false, true})
    for (const bool tb : {false, true})
      EXPECT_THAT(
          of_halves("MatMul", {ta ? a_turned : a, tb ? b_turned : b}, {{"transpose_a", ta}, {"transpose_b", tb}}),
          ElementsAre(1.724609375F, 3.86328125F, 6144, -2048))
          << ta << tb;
}

TEST(HalfValues, of_activations_bend_at_zero) {
  EXPECT_THAT(of_halves("Selu", {kX}),
              ElementsAre(-1.365234375F, 0.7880859375F, 0.10504150390625F, -0.455810546875F, 3.15234375F,
                          -1.5205078125F, 0.2100830078125F, 0.94580078125F, 0.346923828125F));
  EXPECT_THAT(of_halves("Softsign", {kX}),
              ElementsAre(-0.60009765625F, 0.428466796875F, 0.0909423828125F, -0.2308349609375F, 0.75F, -0.66650390625F,
                          0.1666259765625F, 0.4736328125F, 0.2481689453125F));
}

TEST(HalfValues, of_gradients_that_are_told_the_result) {
  EXPECT_THAT(of_halves("SqrtGrad", {kY, kDy}),
              ElementsAre(2.5F, -0.625F, 1.1669921875F, 1.375F, -2, 0.25F, 0.10711669921875F, -0.375F, 0.427734375F));
  EXPECT_THAT(of_halves("RsqrtGrad", {kY, kDy}),
              ElementsAre(-0.0002498626708984375F, 0.00099945068359375F, -0.00945281982421875F, -0.03515625F, 0.125F,
                          -0.03240966796875F, -0.0257415771484375F, 0.153564453125F, -0.280517578125F));
  EXPECT_THAT(of_halves("TanhGrad", {kY, kDy}),
              ElementsAre(0.4951171875F, -0.239990234375F, 0.63720703125F, 0.92333984375F, -1.5F, 0.19189453125F,
                          0.07647705078125F, -0.2161865234375F, 0.146240234375F));
  for (const char* const op : {"ReciprocalGrad", "InvGrad"})
    EXPECT_THAT(of_halves(op, {kY, kDy}),
                ElementsAre(-0.00499725341796875F, 0.0099945068359375F, -0.06304931640625F, -0.17578125F, 0.5F,
                            -0.1080322265625F, -0.07354736328125F, 0.3837890625F, -0.62353515625F))
        << op;
  EXPECT_THAT(of_halves("SigmoidGrad", {kY, kDy}),
              ElementsAre(0.04498291015625F, -0.03997802734375F, 0.1470947265625F, 0.263916015625F, -0.5F,
                          0.072021484375F, 0.031494140625F, -0.09613037109375F, 0.0693359375F));
}

TEST(HalfValues, of_gradients_that_are_told_the_input) {
  EXPECT_THAT(of_halves("SoftsignGrad", {kDy, kX}),
              ElementsAre(0.08001708984375F, -0.08160400390625F, 0.5791015625F, 0.65087890625F, -0.125F,
                          0.0333251953125F, 0.1041259765625F, -0.1661376953125F, 0.43505859375F));
  EXPECT_THAT(of_halves("SoftplusGrad", {kDy, kX}),
              ElementsAre(0.09124755859375F, -0.1697998046875F, 0.36767578125F, 0.468017578125F, -1.9052734375F,
                          0.0357666015625F, 0.08251953125F, -0.4267578125F, 0.447998046875F));
}

}  // namespace
}  // namespace tarry
