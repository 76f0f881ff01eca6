// Odd ranks, empty tensors and numbers out of range. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TEST(ScatterNd, wants_a_row_of_updates_for_each_number_of_a_vector_of_indices) {
  const auto said = [](const Ints& rows, const Dims& updates, const Ints& shape) {
    return refusal("ScatterNd", {ints(rows), make_tensor(DataType::kFloat, Shape(updates)), ints(shape)});
  };
  EXPECT_EQ(said({0}, {3}, {4, 3}),
            "Dimensions [0,1) of indices[shape=[1]] = 1 must match dimensions [0,1) of updates[shape=[3]] = 3");
  EXPECT_EQ(said({1}, {1}, {4, 1}),
            "Dimensions [1,2) of input[shape=[4,1]] must match dimensions [1,1) of updates[shape=[1]]");
}
TEST(ScatterNd, reaches_seven_dimensions_deep) {
  const auto said = [](std::int64_t depth) {
    const Dims all(static_cast<std::size_t>(depth), 1);
    return refusal("ScatterNd", {tensor<std::int64_t>({1, depth}, std::vector<std::int64_t>(all.size(), 0)),
                                 floats({1}, {5}), ints(all)});
  };
  EXPECT_EQ(said(7), "ok");
  EXPECT_EQ(said(8), "Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank: 8");
}

}  // namespace
}  // namespace tarry
