// TensorLists, optionals and the switch of Case; the texts are those of 2.15.1.
#include "workers/kernels/compute_test.hpp"
#include "workers/tensor/variant.hpp"

namespace tarry {
namespace {

const TensorRef kUnknown = make_scalar(std::int32_t{-1});
const Asked kVariants = {.outputs = {DataType::kVariant}};

TensorRef table(const Dims& dims, const Floats& values) { return tensor<float>(dims, values); }
TensorRef number(std::int32_t n) { return make_scalar(n); }
TensorRef list_of(const TensorRef& rows) { return one("TensorListFromTensor", {rows, kUnknown}, kVariants); }
TensorRef reserved(std::int32_t n, const TensorRef& shape) {
  return one("TensorListReserve", {shape, number(n)}, kVariants);
}
TensorRef empty(std::int32_t most = -1) { return one("EmptyTensorList", {kUnknown, number(most)}, kVariants); }
TensorRef pushed(const TensorRef& list, const TensorRef& t) { return one("TensorListPushBack", {list, t}, kVariants); }
TensorRef with_item(const TensorRef& list, std::int32_t i, const TensorRef& t, const Attrs& attrs = {}) {
  return one("TensorListSetItem", {list, number(i), t}, {.attrs = attrs, .outputs = {DataType::kVariant}});
}
std::int64_t length(const TensorRef& list) { return integers("TensorListLength", {list})[0]; }

TEST(TensorLists, what_is_pushed_last_is_popped_first) {
  const TensorRef list = pushed(pushed(empty(), make_scalar(1.0F)), make_scalar(2.0F));
  const auto popped =
      *compute("TensorListPopBack", {list, kUnknown}, {.outputs = {DataType::kVariant, DataType::kFloat}});
  EXPECT_EQ(popped[1]->as<float>()[0], 2);
  EXPECT_EQ(length(popped[0]), 1);
  EXPECT_EQ(length(list), 2);  // the list itself does not change
}
TEST(TensorLists, refuse_what_does_not_fit) {
  EXPECT_EQ(refusal("TensorListPushBack", {pushed(empty(1), make_scalar(1.0F)), make_scalar(2.0F)}, kVariants),
            "Tried to push item into a full list list size: 1 max_num_elements: 1");
  EXPECT_EQ(refusal("TensorListPushBack", {reserved(0, ints({2})), table({3}, {1, 2, 3})}, kVariants),
            "Tried to append a tensor with incompatible shape to a list. Op element shape: [3] list shape: [2]");
  EXPECT_EQ(refusal("TensorListSetItem", {reserved(2, ints({3})), number(1), table({2}, {1, 2})}, kVariants),
            "Tried to set a tensor with incompatible shape at a list index. Item element shape: [2] list shape: [3]");
  EXPECT_EQ(refusal("TensorListFromTensor", {make_scalar(1.0F), kUnknown}, kVariants),
            "Tensor must be at least a vector, but saw shape: []");
  EXPECT_EQ(refusal("TensorListFromTensor", {table({1, 2}, {1, 2}), ints({3})}, kVariants),
            "Specified a list with shape [3] from a tensor with shape [2]");
  EXPECT_EQ(refusal("TensorListReserve", {kUnknown, number(-1)}, kVariants),
            "The num_elements to reserve must be a non negative number, but got -1");
  EXPECT_EQ(
      refusal("TensorListLength", {one("OptionalNone", {}, kVariants)}, {.outputs = {DataType::kInt32}}),
      "Input handle is not a list. Saw: 'Variant<type: tensorflow::data::Optional value: OptionalVariant<None>>'");
}
TEST(TensorLists, refuse_an_index_beyond_their_end) {
  const TensorRef two = reserved(2, ints({2}));
  EXPECT_EQ(refusal("TensorListGetItem", {two, number(2), ints({2})}),
            "Trying to access element 2 in a list with 2 elements.");
  EXPECT_EQ(refusal("TensorListGetItem", {two, number(-1), ints({2})}),
            "Trying to access element -1 in a list with 2 elements.");
  EXPECT_EQ(refusal("TensorListSetItem", {two, number(2), table({2}, {1, 2})}, kVariants),
            "Trying to modify element 2 in a list with 2 elements.");
  EXPECT_EQ(refusal("TensorListGather", {two, ints({2}), kUnknown}), "Index 2 out o range; list only has 2 elements.");
  EXPECT_EQ(refusal("TensorListPopBack", {empty(), kUnknown}, {.outputs = {DataType::kVariant, DataType::kFloat}}),
            "Trying to pop from an empty list.");
}
TEST(TensorLists, grow_to_an_index_where_the_node_says_so) {
  EXPECT_EQ(length(with_item(reserved(2, kUnknown), 4, make_scalar(1.0F), {{"resize_if_index_out_of_bounds", true}})),
            5);
}
TEST(TensorLists, have_zeros_where_nothing_is_set_if_the_shape_is_known_from_somewhere) {
  EXPECT_THAT(values("TensorListGetItem", {reserved(2, ints({2})), number(1), kUnknown}), ElementsAre(0, 0));
  const TensorRef half = with_item(reserved(2, kUnknown), 1, table({2}, {1, 2}));
  EXPECT_THAT(values("TensorListGetItem", {half, number(0), kUnknown}), ElementsAre(0, 0));
  EXPECT_THAT(values("TensorListStack", {half, kUnknown}), ElementsAre(0, 0, 1, 2));
  EXPECT_EQ(refusal("TensorListGetItem", {reserved(2, kUnknown), number(1), ints({-1})}),
            "Trying to read an uninitialized tensor but element_shape is not fully defined: [?] and no list element is "
            "set.");
  EXPECT_EQ(refusal("TensorListStack", {reserved(2, kUnknown), ints({-1})}),
            "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined element_shape: "
            "[?]");
}
TEST(TensorLists, are_stacked_only_when_their_elements_have_one_shape) {
  const TensorRef uneven = pushed(pushed(empty(), table({1}, {1})), table({2}, {1, 2}));
  EXPECT_EQ(refusal("TensorListStack", {uneven, ints({-1})}),
            "PartialTensorShape: Incompatible shapes during merge: [1] vs. [2]");
  EXPECT_EQ(refusal("TensorListStack", {empty(), kUnknown}),
            "Tried to stack elements of an empty list with non-fully-defined element_shape: <unknown>");
  EXPECT_EQ(dims("TensorListStack", {empty(), ints({2})}), (Dims{0, 2}));
  EXPECT_EQ(
      refusal("TensorListStack", {reserved(2, ints({2})), kUnknown}, {.attrs = {{"num_elements", std::int64_t{3}}}}),
      "Operation expected a list with 3 elements but got a list with 2 elements.");
}
TEST(TensorLists, are_gathered_scattered_and_resized) {
  const TensorRef list = list_of(table({2, 2}, {1, 2, 3, 4}));
  EXPECT_THAT(values("TensorListGather", {list, ints({1, 0}), kUnknown}), ElementsAre(3, 4, 1, 2));
  const TensorRef changed =
      one("TensorListScatterIntoExistingList", {list, table({1, 2}, {7, 8}), ints({1})}, kVariants);
  EXPECT_THAT(values("TensorListStack", {changed, kUnknown}), ElementsAre(1, 2, 7, 8));
  const TensorRef made =
      one("TensorListScatterV2", {table({1, 2}, {7, 8}), ints({1}), ints({2}), number(3)}, kVariants);
  EXPECT_THAT(values("TensorListStack", {made, kUnknown}), ElementsAre(0, 0, 7, 8, 0, 0));
  EXPECT_EQ(length(one("TensorListResize", {list, number(5)}, kVariants)), 5);
}
TEST(TensorLists, say_what_they_know_of_their_elements) {
  EXPECT_THAT(
      integers_of(*one("TensorListElementShape", {reserved(1, ints({3, -1}))}, {.outputs = {DataType::kInt32}})),
      ElementsAre(3, -1));
  EXPECT_THAT(integers_of(*one("TensorListElementShape", {empty()}, {.outputs = {DataType::kInt32}})), ElementsAre(-1));
}
TEST(TensorLists, are_added_element_by_element) {
  const TensorRef list = list_of(table({2}, {1, 2}));
  EXPECT_THAT(values("TensorListStack", {one("AddN", {list, list}, kVariants), kUnknown}), ElementsAre(2, 4));
  EXPECT_THAT(values("TensorListStack", {one("AddN", {list, reserved(2, kUnknown)}, kVariants), kUnknown}),
              ElementsAre(1, 2));
  EXPECT_EQ(refusal("AddN", {list, empty()}, kVariants),
            "Trying to add two lists of tensors with different lengths. One is 2 and the other is 0");
  EXPECT_THAT(values("TensorListStack", {one("ZerosLike", {list}, kVariants), kUnknown}), ElementsAre(0, 0));
}
TEST(TensorLists, keep_elements_that_have_a_shape_only) {
  const TensorRef list = pushed(empty(), shape_only({100, 100}));
  const TensorRef stacked = one("TensorListStack", {list, kUnknown});
  EXPECT_FALSE(stacked->has_data());
  EXPECT_EQ(stacked->shape().dims, (Dims{1, 100, 100}));
  EXPECT_EQ(list->bytes(), 40'000U);
}

TensorRef split(const TensorRef& t, const TensorRef& element, const TensorRef& lengths) {
  return one("TensorListSplit", {t, element, lengths}, kVariants);
}
TEST(TensorLists, are_split_by_the_lengths_of_their_elements) {
  const TensorRef five = table({5}, {1, 2, 3, 4, 5}), rows = table({3, 2}, {1, 2, 3, 4, 5, 6});
  const TensorRef list = split(five, kUnknown, ints({2, 0, 3}));
  EXPECT_EQ(length(list), 3);
  EXPECT_THAT(values("TensorListGetItem", {list, number(0), kUnknown}), ElementsAre(1, 2));
  EXPECT_THAT(values("TensorListGetItem", {list, number(2), kUnknown}), ElementsAre(3, 4, 5));
  const TensorRef of_rows = split(rows, ints({1, 2}), ints({1, 2}));  // the first dimension is any
  EXPECT_THAT(values("TensorListGetItem", {of_rows, number(1), kUnknown}), ElementsAre(3, 4, 5, 6));
  const TensorRef by_shape = split(shape_only({100, 7}), kUnknown, ints({60, 40}));
  EXPECT_EQ(one("TensorListGetItem", {by_shape, number(1), kUnknown})->shape().dims, (Dims{40, 7}));
}
TEST(TensorLists, refuse_to_be_split_where_the_lengths_or_shapes_do_not_fit) {
  const auto refused = [](const TensorRef& t, const TensorRef& element, const TensorRef& lengths) {
    return refusal("TensorListSplit", {t, element, lengths}, kVariants);
  };
  const TensorRef five = table({5}, {1, 2, 3, 4, 5}), rows = table({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(refused(five, kUnknown, ints({2, 2})), "Unused values in tensor. Length of tensor: 5 Values used: 4");
  EXPECT_EQ(refused(five, kUnknown, ints({2, 4})), "Attempting to slice [2, 6] from tensor with length 5");
  EXPECT_EQ(refused(five, kUnknown, ints({-1, 6})), "Invalid value in lengths: -1");
  EXPECT_EQ(refused(five, ints({}), ints({2, 3})),
            "TensorListSplit requires element_shape to be at least of rank 1, but saw: []");
  EXPECT_EQ(refused(rows, ints({-1, 3}), ints({1, 2})),
            "tensor shape [3,2] is not compatible with element_shape [?,3]");
  EXPECT_EQ(refused(rows, ints({2}), ints({1, 2})), "tensor shape [3,2] is not compatible with element_shape [2]");
  EXPECT_EQ(refused(rows, ints({-1, 3}), number(3)), "tensor shape [3,2] is not compatible with element_shape [?,3]");
  EXPECT_EQ(refused(rows, kUnknown, number(3)), "Expected lengths to be a vector, received shape: []");
  EXPECT_EQ(refused(make_scalar(1.0F), kUnknown, number(1)), "Tensor must be at least a vector, but saw shape: []");
}

RC_GTEST_PROP(TensorLists, a_tensor_comes_back_from_the_list_of_its_rows, (const Floats& values)) {
  RC_PRE(!values.empty());
  const TensorRef t = table({static_cast<std::int64_t>(values.size())}, values);
  RC_ASSERT(tarry::values("TensorListStack", {list_of(t), kUnknown}) == values);
}

// The output of a switch of three that is alive.
int alive(std::int32_t index) {
  const auto out = *compute("_SwitchN", {make_scalar(1.0F), number(index)},
                            {.outputs = {DataType::kFloat, DataType::kFloat, DataType::kFloat}});
  EXPECT_EQ(std::ranges::count_if(out, [](const TensorRef& t) { return t != nullptr; }), 1);
  return static_cast<int>(std::ranges::find_if(out, [](const TensorRef& t) { return t != nullptr; }) - out.begin());
}
TEST(SwitchN, an_index_that_names_no_output_means_the_last) {
  EXPECT_EQ(alive(1), 1);
  EXPECT_EQ(alive(3), 2);
  EXPECT_EQ(alive(-1), 2);
}

TEST(Optionals, give_back_what_they_were_made_from) {
  const TensorRef optional = one("OptionalFromValue", {make_scalar(1.0F)}, kVariants);
  EXPECT_THAT(values("OptionalGetValue", {optional}), ElementsAre(1));
  EXPECT_THAT(truths("OptionalHasValue", {optional}), ElementsAre(true));
  EXPECT_THAT(truths("OptionalHasValue", {one("OptionalNone", {}, kVariants)}), ElementsAre(false));
}
TEST(Optionals, refuse_what_they_do_not_hold) {
  const TensorRef optional = one("OptionalFromValue", {make_scalar(1.0F)}, kVariants);
  EXPECT_EQ(refusal("OptionalGetValue", {one("OptionalNone", {}, kVariants)}),
            "The given optional does not have a value.");
  EXPECT_EQ(refusal("OptionalGetValue", {optional}, {.outputs = {DataType::kInt32}}),
            "The given optional does not match the expected type for component 0. Expected: int32. Actual: float.");
  EXPECT_EQ(refusal("OptionalGetValue", {optional}, {.outputs = {DataType::kFloat, DataType::kFloat}}),
            "The given optional has 1 components, expected 2");
  EXPECT_EQ(refusal("OptionalGetValue", {empty()}), "Input to OptionalGetValue must be an OptionalVariant object.");
  AttrList shapes;
  shapes.shape = {Shape({2})};
  EXPECT_EQ(refusal("OptionalGetValue", {optional}, {.attrs = {{"output_shapes", shapes}}}),
            "The given optional does not match the expected shape for component 0. Expected: [2]. Actual: [].");
}

}  // namespace
}  // namespace tarry
