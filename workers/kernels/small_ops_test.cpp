// Square matrices, ops of a few lines, half precision, numbers of narrow types in place.

#include "workers/kernels/compute_test.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

const TensorRef kMatrix = floats({2, 2}, {4, 2, 2, 3});

TEST(Matrices, are_inverted_solved_and_factored) {
  EXPECT_THAT(values("MatrixInverse", {kMatrix}), ElementsAre(FloatNear(0.375F, 1e-6F), FloatNear(-0.25F, 1e-6F),
                                                              FloatNear(-0.25F, 1e-6F), FloatNear(0.5F, 1e-6F)));
  EXPECT_THAT(values("MatrixDeterminant", {kMatrix}), ElementsAre(FloatNear(8, 1e-5F)));
  EXPECT_THAT(values("MatrixSolve", {kMatrix, floats({2, 1}, {8, 7})}),
              ElementsAre(FloatNear(1.25F, 1e-6F), FloatNear(1.5F, 1e-6F)));
  EXPECT_THAT(values("Cholesky", {kMatrix}), ElementsAre(2, 0, 1, FloatNear(std::sqrt(2.0F), 1e-6F)));
}
TEST(Matrices, that_are_not_square_or_have_no_inverse_are_refused) {
  EXPECT_EQ(refusal("MatrixInverse", {floats({1, 2}, {1, 2})}), "Input matrix must be square.");
  EXPECT_EQ(refusal("MatrixInverse", {floats({2}, {1, 2})}), "Input tensor 0 must have rank >= 2, got 1");
  EXPECT_EQ(refusal("MatrixInverse", {floats({2, 2}, {1, 2, 2, 4})}), "Input is not invertible.");
  EXPECT_EQ(refusal("MatrixSolve", {kMatrix, floats({1, 2}, {1, 2})}), "Input matrix and rhs are incompatible.");
}
TEST(Cholesky, of_what_has_no_factor_is_not_a_number) {
  EXPECT_TRUE(std::isnan(values("Cholesky", {floats({2, 2}, {1, 2, 2, 1})})[0]));
}
TEST(LogMatrixDeterminant, gives_the_sign_apart) {
  const auto r = *compute("LogMatrixDeterminant", {floats({2, 2}, {0, 2, 2, 0})},
                          {.outputs = {DataType::kFloat, DataType::kFloat}});
  EXPECT_FLOAT_EQ(r[0]->as<float>()[0], -1);
  EXPECT_FLOAT_EQ(r[1]->as<float>()[0], std::log(4.0F));
}

TEST(Cross, is_normal_to_both) {
  EXPECT_THAT(values("Cross", {floats({3}, {1, 0, 0}), floats({3}, {0, 1, 0})}), ElementsAre(0, 0, 1));
  EXPECT_EQ(refusal("Cross", {floats({2}, {1, 0}), floats({2}, {0, 1})}),
            "Cross-products are only defined for 3-element vectors.");
}
TEST(ApproximateEqual, is_less_than_the_tolerance_apart) {
  const TensorRef x = floats({3}, {1, 1, 1}), y = floats({3}, {1, 1.25F, 0.5F});
  const TensorRef r = one("ApproximateEqual", {x, y}, {.attrs = {{"tolerance", 0.5F}}, .outputs = {DataType::kBool}});
  EXPECT_THAT(std::vector<bool>(r->as<bool>().begin(), r->as<bool>().end()), ElementsAre(true, true, false));
}
TEST(BesselFunctions, are_those_of_tables) {
  EXPECT_THAT(values("BesselI0e", {floats({3}, {0, 1, 40})}),
              ElementsAre(1, FloatNear(0.46575961F, 1e-6F), FloatNear(0.06327772F, 1e-6F)));
  EXPECT_THAT(values("BesselI1e", {floats({2}, {1, -1})}),
              ElementsAre(FloatNear(0.20791042F, 1e-6F), FloatNear(-0.20791042F, 1e-6F)));
}
TEST(Reverse, turns_the_dimensions_that_are_marked) {
  EXPECT_THAT(values("Reverse", {kTwoByThree, bools({2}, {1, 0})}), ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_EQ(refusal("Reverse", {kTwoByThree, bools({1}, {1})}),
            "'dims' must have the same number of values as 'input' has dimensions. 'input' has 2'dims' has 1 values");
}
TEST(PopulationCount, counts_the_bits_of_each_element) {
  const TensorRef r = one("PopulationCount", {tensor<std::int8_t>({3}, {-1, 0, 5})}, {.outputs = {DataType::kUint8}});
  EXPECT_THAT(std::vector<int>(r->as<std::uint8_t>().begin(), r->as<std::uint8_t>().end()), ElementsAre(8, 0, 2));
}
TEST(Bitcast, takes_the_last_dimension_together_or_makes_one) {
  const TensorRef narrow = one("Bitcast", {floats({2}, {1, 2})}, {.outputs = {DataType::kUint8}});
  EXPECT_EQ(narrow->shape(), Shape({2, 4}));
  const TensorRef back = one("Bitcast", {narrow}, {.outputs = {DataType::kFloat}});
  EXPECT_THAT(Floats(back->as<float>().begin(), back->as<float>().end()), ElementsAre(1, 2));
}
TEST(EuclideanNorm, is_the_root_of_the_sum_of_squares) {
  EXPECT_THAT(values("EuclideanNorm", {floats({2, 2}, {3, 4, 6, 8}), ints({1})}), ElementsAre(5, 10));
}
TEST(CumulativeLogsumexp, adds_exponentials_up) {
  EXPECT_THAT(values("CumulativeLogsumexp", {floats({2}, {0, 0}), make_scalar<std::int64_t>(0)}),
              ElementsAre(0, FloatNear(std::log(2.0F), 1e-6F)));
}
TEST(UniqueV2, finds_slices_along_an_axis) {
  const auto r = *compute("UniqueV2", {floats({3, 2}, {1, 2, 3, 4, 1, 2}), ints({0})},
                          {.outputs = {DataType::kFloat, DataType::kInt64}});
  EXPECT_THAT(Floats(r[0]->as<float>().begin(), r[0]->as<float>().end()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(integers_of(*r[1]), ElementsAre(0, 1, 0));
}
TEST(CountedSegments, are_as_many_as_asked_for) {
  const TensorRef data = floats({3}, {1, 2, 3}), first = ints({0, 1});
  const auto sum = [&](std::int64_t count) -> Tensors {
    return {data, first, ints({0, 2}), make_scalar<std::int64_t>(count)};
  };
  EXPECT_THAT(values("SparseSegmentSumWithNumSegments", sum(4)), ElementsAre(1, 0, 2, 0));
  EXPECT_EQ(refusal("SparseSegmentSumWithNumSegments", sum(2)), "segment ids must be < num_segments");
}

// One step of half precision after the other: 0.36792 - 1, where the exponential itself is 0.36788.
TEST(Halves, round_after_each_step) {
  const auto half = [](float x) { return tensor<Eigen::half>({1}, {Eigen::half(x)}); };
  const auto value = [&](std::string_view op, const Tensors& in) {
    return static_cast<float>(one(op, in, {.outputs = {DataType::kHalf}})->as<Eigen::half>()[0]);
  };
  EXPECT_EQ(value("Elu", {half(-1)}), -0.6318359375F);
  EXPECT_EQ(value("Sigmoid", {half(-4)}), 0.017974853515625F);
  EXPECT_EQ(value("SeluGrad", {half(0.2080078125F), half(-1)}), 0.1575927734375F);
}

TEST(ToBool, asks_for_a_number_letters_or_elements) {
  for (const auto& [t, is] : {std::pair{make_scalar(0.5F), true},
                              {make_scalar(0.0F), false},
                              {make_scalar(std::int32_t{-1}), true},
                              {make_scalar(true), true},
                              {make_scalar(false), false},
                              {make_string("a"), true},
                              {make_string(""), false},
                              {tensor<float>({1}, {0}), true},
                              {tensor<float>({0}, {}), false}})
    EXPECT_EQ(truths("ToBool", {t}), std::vector<bool>{is});
}

}  // namespace
}  // namespace tarry
