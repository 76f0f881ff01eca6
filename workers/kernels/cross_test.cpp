// Crosses of features. What is expected was computed by TensorFlow 2.15.1.

#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

TensorRef texts(const Dims& dims, const std::vector<std::string>& values) {
  MutableTensor t = make_tensor(DataType::kString, Shape(dims));
  t->mutable_strings() = values;
  return t;
}
TensorRef scalar_text(const std::string& s) { return texts({}, {s}); }
TensorRef places(const Ints& rows_and_columns) {
  return tensor<std::int64_t>({std::ssize(rows_and_columns) / 2, 2},
                              {rows_and_columns.begin(), rows_and_columns.end()});
}

const TensorRef kPlaces = places({0, 0, 0, 1, 1, 0}), kValues = texts({3}, {"a", "b", "c"}), kShape = ints({2, 2}),
                kDense = texts({2, 1}, {"x", "y"});
const Asked kCrossed{.attrs = {{"N", std::int64_t{1}}},
                     .outputs = {DataType::kInt64, DataType::kString, DataType::kInt64}};

std::string said(Tensors inputs, std::int64_t n = 1) {
  inputs.push_back(scalar_text("-"));
  Asked asked = kCrossed;
  asked.attrs.set("N", n);
  return refusal("SparseCrossV2", inputs, asked);
}

TEST(SparseCross, joins_one_feature_of_each_column) {
  const auto r = *compute("SparseCrossV2", {kPlaces, kValues, kShape, kDense, scalar_text("-")}, kCrossed);
  EXPECT_THAT(integers_of(*r[0]), ElementsAre(0, 0, 0, 1, 1, 0));
  EXPECT_THAT(r[1]->strings(), ElementsAre("a-x", "b-x", "c-y"));
  EXPECT_THAT(integers_of(*r[2]), ElementsAre(2, 2));
}

TEST(SparseCross, wants_sparse_matrices) {
  EXPECT_EQ(said({ints({1}), kValues, kShape}),
            "Input indices should be a matrix but received shape [1] at position 0");
  EXPECT_EQ(said({tensor<std::int64_t>({1, 3}, {0, 0, 0}), texts({1}, {"a"}), kShape}),
            "Expected D2 of index to be 2 got 3 at position 0");
  EXPECT_EQ(said({kPlaces, texts({1, 1}, {"a"}), kShape}),
            "Input values should be a vector but received shape [1,1] at position 0");
  EXPECT_EQ(said({kPlaces, texts({1}, {"a"}), kShape}), "Expected size of values to be 3 got 1 at position 0");
  EXPECT_EQ(said({kPlaces, kValues, tensor<std::int64_t>({1, 2}, {2, 2})}),
            "Input shapes should be a vector but received shape [1,2] at position 0");
  EXPECT_EQ(said({kPlaces, kValues, ints({2, 2, 2})}), "shape should imply a 2D tensor, but got [3] at position 0");
}

TEST(SparseCross, wants_columns_of_as_many_rows) {
  EXPECT_EQ(said({kPlaces, kValues, kShape, texts({2}, {"x", "y"})}),
            "Dense inputs should be a matrix but received shape [2] at position 0");
  EXPECT_EQ(said({kPlaces, kValues, kShape, texts({1, 1}, {"x"})}), "Expected batch size 2 got 1 at dense tensor 0");
  EXPECT_EQ(said({kPlaces, kPlaces, kValues, kValues, kShape, ints({3, 2})}, 2),
            "Expected batch size 2 got 3 at position 1");
}

TEST(SparseCross, has_one_separator) {
  EXPECT_EQ(refusal("SparseCrossV2", {kPlaces, kValues, kShape, texts({2}, {"a", "b"})}, kCrossed),
            "Input separator should be a scalar. Received: Tensor<type: string shape: [2] values: a b>");
}

Asked hashed() {
  Asked asked = kCrossed;
  asked.outputs[1] = DataType::kInt64;
  return asked;
}
TensorRef flag(int value) { return bools({}, {value}); }

TEST(SparseCross, that_is_hashed_has_a_bucket_for_each_cross) {
  const auto hashes = [](Tensors columns, std::int64_t buckets) {
    for (const TensorRef& t : {make_scalar(buckets), flag(0), ints({1, 2})}) columns.push_back(t);
    return integers_of(*(*compute("SparseCrossHashed", columns, hashed()))[1]);
  };
  EXPECT_THAT(hashes({kPlaces, kValues, kShape}, 100), ElementsAre(39, 22, 72));
  EXPECT_THAT(hashes({kPlaces, kValues, kShape, kDense}, 100), ElementsAre(38, 20, 96));
  EXPECT_THAT(hashes({kPlaces, kValues, kShape, tensor<std::int64_t>({2, 1}, {7, 8})}, 0),
              ElementsAre(7898541337076861501, 5325346835232820265, 3784499430349358356))
      << "no buckets: the hash itself";
}

TEST(SparseCross, that_is_hashed_wants_a_salt_of_two_and_no_strong_hash) {
  const auto refused = [](const TensorRef& buckets, const TensorRef& strong, const TensorRef& salt,
                          const TensorRef& values = kValues) {
    return refusal("SparseCrossHashed", {kPlaces, values, kShape, buckets, strong, salt}, hashed());
  };
  const TensorRef one = make_scalar(std::int64_t{1}), salt = ints({1, 2});
  EXPECT_EQ(refused(one, flag(0), ints({1, 2, 3})), "Input \"salt\" must have length 2 but has length 3");
  EXPECT_EQ(refused(ints({1, 2}), flag(0), salt), "num_buckets and strong_hash should be scalars");
  EXPECT_EQ(refused(one, bools({2}, {0, 0}), salt), "num_buckets and strong_hash should be scalars");
  EXPECT_EQ(refused(one, flag(1), salt), "tarry computes no strong hashes of crosses");
  EXPECT_THAT(refused(one, flag(0), salt, ints({1, 2, 3})), HasSubstr("hashes whole numbers of a sparse column"));
  EXPECT_EQ(refused(one, flag(0), salt), "ok");
}

}  // namespace
}  // namespace tarry
