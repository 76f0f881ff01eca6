// What lists of tensors and optionals refuse, and how they are added. The texts are those of 2.15.1.

#include "workers/kernels/compute_test.hpp"
#include "workers/tensor/variant.hpp"

namespace tarry {
namespace {

const TensorRef kAny = make_scalar(std::int32_t{-1});
const Asked kVariants = {.outputs = {DataType::kVariant}};

TensorRef rows(const Dims& dims) {
  Floats values(static_cast<std::size_t>(Shape(dims).elements()));
  std::iota(values.begin(), values.end(), 1.0F);
  return floats(dims, values);
}
TensorRef list(const Dims& dims, const TensorRef& element = kAny) {
  return one("TensorListFromTensor", {rows(dims), element}, kVariants);
}
TensorRef unset(std::int32_t n, const TensorRef& element) {
  return one("TensorListReserve", {element, make_scalar(n)}, kVariants);
}
TensorRef whole_numbers() {
  return one("TensorListFromTensor", {ints({1, 2}), kAny},
             {.attrs = {{"element_dtype", DataType::kInt64}}, .outputs = {DataType::kVariant}});
}
TensorRef optional(const Tensors& parts) { return one("OptionalFromValue", parts, kVariants); }
std::string said_of_sum(const TensorRef& a, const TensorRef& b) { return refusal("AddN", {a, b}, kVariants); }
Ints element_shape(const TensorRef& list) {
  return integers_of(*one("TensorListElementShape", {list}, {.outputs = {DataType::kInt32}}));
}

TEST(SumsOfLists, are_of_lists_of_one_type_shape_and_length) {
  EXPECT_EQ(said_of_sum(list({2}), whole_numbers()),
            "Trying to add two lists of tensors of different dtypes. One is float and the other is int64");
  EXPECT_EQ(said_of_sum(list({2, 2}, ints({2})), list({3, 3}, ints({3}))),
            "Trying to add two lists of tensors with incompatible element shapes. One is [2] and the other is [3]");
  EXPECT_EQ(said_of_sum(list({2, 2}, ints({2})), list({2, 3, 1}, ints({3, 1}))),
            "Trying to add two lists of tensors with incompatible element shapes. One is [2] and the other is [3,1]");
  EXPECT_EQ(said_of_sum(list({2, 2}), list({3, 2})),
            "Trying to add two lists of tensors with different lengths. One is 2 and the other is 3");
  EXPECT_EQ(said_of_sum(list({2, 2}), list({2, 3})),
            "Trying to add two tensors with incompatible element shapes. One is [2] and the other is [3]");
}

TEST(SumsOfLists, know_of_their_elements_what_either_knows) {
  for (const auto& [a, b] :
       {std::pair(list({2, 2}, ints({-1})), list({2, 2}, ints({2}))), std::pair(list({2, 2}), list({2, 2}, ints({2}))),
        std::pair(list({2, 2}, ints({2})), list({2, 2}, ints({-1})))})
    EXPECT_THAT(element_shape(one("AddN", {a, b}, kVariants)), ElementsAre(2));
}

TEST(SumsOfLists, take_an_element_that_is_not_set_for_zeros) {
  const TensorRef set = list({2, 2}, ints({2})), none = unset(2, ints({2}));
  for (const Tensors& both : {Tensors{set, none}, Tensors{none, set}})
    EXPECT_THAT(values("TensorListStack", {one("AddN", both, kVariants), kAny}), ElementsAre(1, 2, 3, 4));
}

TEST(SumsOfOptionals, are_of_values_of_as_many_parts) {
  const TensorRef two = rows({2});
  EXPECT_EQ(said_of_sum(optional({two}), one("OptionalNone", {}, kVariants)),
            "Cannot add optionals because one has a value and the other doesn't.");
  EXPECT_EQ(said_of_sum(optional({two}), optional({two, two})),
            "Cannot add optionals because they have different numbers of components (1 vs. 2).");
  EXPECT_EQ(said_of_sum(optional({two}), optional({ints({1, 2})})),
            "Trying to add two tensors with incompatible element types. One is float and the other is int64");
  EXPECT_EQ(said_of_sum(optional({two}), optional({rows({3})})),
            "Trying to add two tensors with incompatible element shapes. One is [2] and the other is [3]");
  EXPECT_THAT(values("OptionalGetValue", {one("AddN", {optional({two}), optional({two})}, kVariants)}),
              ElementsAre(2, 4));
}

TEST(SumsOfVariants, are_of_one_kind) {
  const char* const no = "BinaryOpVariants: Variants a and b have different type ids.  Type names: ";
  EXPECT_EQ(said_of_sum(optional({rows({2})}), list({2})),
            no + std::string("'tensorflow::data::Optional' vs. 'tensorflow::TensorList'"));
  EXPECT_EQ(said_of_sum(list({2}), optional({rows({2})})),
            no + std::string("'tensorflow::TensorList' vs. 'tensorflow::data::Optional'"));
}

TEST(TensorListScatter, has_a_row_for_each_index_and_room_for_all) {
  const auto said = [](const Dims& of, const Ints& indices, std::int32_t count, const TensorRef& element = kAny) {
    return refusal("TensorListScatterV2", {rows(of), ints(indices), element, make_scalar(count)}, kVariants);
  };
  EXPECT_EQ(said({2, 2}, {5}, 2), "Invalid number of rows in input tensor. Expected: 1 Actual: 2");
  EXPECT_EQ(said({1, 2}, {-1}, 2), "Indices in TensorListScatter must all be non-negative.");
  EXPECT_EQ(said({1, 2}, {2}, 2), "TensorListScatter: Trying to scatter at index 2 in list with size 2");
  EXPECT_EQ(said({1, 2}, {1}, 0), "TensorListScatter: Trying to scatter at index 1 in list with size 0");
  EXPECT_EQ(said({1, 2}, {1}, 2), "ok");
  EXPECT_EQ(said({1, 2}, {0}, 2, ints({3})), "Specified a list with shape [3] from a tensor with shape [2]");
  EXPECT_EQ(said({1, 2}, {0}, -2, ints({3})), "TensorListScatter expects num_elements >= -1, found: -2");
  EXPECT_EQ(said({}, {-1}, 1), "Tensor must be at least a vector, but saw shape: []");
  const TensorRef grown =
      one("TensorListScatterV2", {rows({1, 2}), ints({1}), ints({2}), make_scalar(std::int32_t{-1})}, kVariants);
  EXPECT_THAT(values("TensorListStack", {grown, kAny}), ElementsAre(0, 0, 1, 2)) << "-1: as many as it needs";
}

TEST(TensorListScatter, into_a_list_makes_it_longer_and_looks_at_no_shape) {
  const auto said = [](const TensorRef& list, const Dims& of, const Ints& indices) {
    return refusal("TensorListScatterIntoExistingList", {list, rows(of), ints(indices)}, kVariants);
  };
  EXPECT_EQ(said(unset(1, ints({3})), {2, 2}, {-2}), "Expected len(indices) == tensor.shape[0], but saw: 1 vs. 2");
  EXPECT_EQ(said(unset(3, ints({3})), {1, 2}, {0}), "ok");
  EXPECT_EQ(said(whole_numbers(), {1}, {0}), "Invalid data types; input tensor type: float list element_type: int64");
  EXPECT_EQ(said(unset(1, ints({3})), {}, {0}), "Tensor must be at least a vector, but saw shape: []");
  const TensorRef longer =
      one("TensorListScatterIntoExistingList", {unset(1, ints({2})), rows({1, 2}), ints({2})}, kVariants);
  EXPECT_THAT(values("TensorListStack", {longer, kAny}), ElementsAre(0, 0, 0, 0, 1, 2));
}

// `lengths`: of the elements that are not set.
std::string said_of_joined(const TensorRef& list, const TensorRef& element, const Ints& lengths = {}) {
  return refusal("TensorListConcatV2", {list, element, ints(lengths)},
                 {.outputs = {DataType::kFloat, DataType::kInt64}});
}
TensorRef pair(const TensorRef& a, const TensorRef& b) {
  const TensorRef first = one("TensorListSetItem", {unset(2, kAny), make_scalar(std::int32_t{0}), a}, kVariants);
  return one("TensorListSetItem", {first, make_scalar(std::int32_t{1}), b}, kVariants);
}

TEST(TensorListConcat, wants_vectors_that_differ_in_their_first_dimension_alone) {
  EXPECT_EQ(said_of_joined(list({2}, ints({})), ints({})),
            "Concat requires elements to be at least vectors, found scalars instead.");
  EXPECT_EQ(said_of_joined(pair(rows({1, 2}), rows({})), kAny),
            "Concat saw a scalar shape at index 1 but requires at least vectors.");
  EXPECT_EQ(said_of_joined(pair(rows({1, 2}), rows({1, 3})), kAny),
            "PartialTensorShape: Incompatible shapes during merge: [2] vs. [3]");
  EXPECT_EQ(said_of_joined(pair(rows({1, 2}), rows({1, 3, 1})), kAny),
            "PartialTensorShape: Incompatible ranks during merge: 1 vs. 2");
  EXPECT_EQ(said_of_joined(pair(rows({1, 2}), rows({1, 2})), ints({2, 2})),
            "First entry of element_shape input does not match the first dim of list element at index: 0 Expected: 2 "
            "Actual: 1");
}

TEST(TensorListConcat, is_told_how_long_the_elements_are_that_are_not_set) {
  const TensorRef element = ints({-1, 2});
  EXPECT_EQ(said_of_joined(unset(2, element), element, {1}),
            "List contains uninitialized tensor at index 1 but leading_dims has only 1 elements.");
  EXPECT_EQ(said_of_joined(unset(2, element), element, {1, -3}), "leading_dims[1] = -3 is no length of an element");
  EXPECT_EQ(said_of_joined(unset(2, kAny), kAny),
            "Trying to concat list with only uninitialized tensors but element_shape_except_first_dim is not fully "
            "defined: <unknown>");
  const auto joined = [&](const TensorRef& list, const TensorRef& shape, const Ints& lengths) {
    return *compute("TensorListConcatV2", {list, shape, ints(lengths)},
                    {.outputs = {DataType::kFloat, DataType::kInt64}});
  };
  EXPECT_THAT(integers_of(*joined(unset(2, element), element, {1, 2})[1]), ElementsAre(1, 2));
  EXPECT_EQ(joined(unset(2, element), element, {1, 2})[0]->shape(), Shape({3, 2}));
  const TensorRef half =
      one("TensorListSetItem", {unset(2, kAny), make_scalar(std::int32_t{0}), rows({2, 2})}, kVariants);
  EXPECT_THAT(integers_of(*joined(half, kAny, {})[1]), ElementsAre(2, 2)) << "as long as the one that is set";
}

TEST(TensorLists, have_elements_of_the_type_of_the_op) {
  EXPECT_EQ(refusal("TensorListGetItem", {whole_numbers(), make_scalar(std::int32_t{0}), kAny},
                    {.attrs = {{"element_dtype", DataType::kFloat}}}),
            "Invalid data types; op elements float but list elements int64");
  EXPECT_EQ(refusal("TensorListPopBack", {unset(2, ints({-1})), ints({-1})},
                    {.outputs = {DataType::kVariant, DataType::kFloat}}),
            "Trying to read an uninitialized tensor but element_shape is not fully defined.[?]");
  EXPECT_EQ(refusal("TensorListReserve", {tensor<std::int32_t>({1, 1}, {1}), make_scalar(std::int32_t{1})}, kVariants),
            "Shape must be at most rank 1 but is rank 2");
  EXPECT_EQ(refusal("TensorListReserve", {make_scalar(std::int32_t{3}), make_scalar(std::int32_t{1})}, kVariants),
            "The only valid scalar shape tensor is the fully unknown shape specified as -1.");
}

}  // namespace
}  // namespace tarry
