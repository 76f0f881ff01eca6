#include "workers/kernels/compute_test.hpp"

namespace tarry {
namespace {

// --- arithmetic ----

TEST(Ops, matrices_multiply_transposed_or_not) {
  const Tensors ab{floats({2, 2}, {1, 2, 3, 4}), floats({2, 2}, {5, 6, 7, 8})};
  EXPECT_THAT(values("MatMul", ab), ElementsAre(19, 22, 43, 50));
  EXPECT_THAT(values("MatMul", ab, {.attrs = {{"transpose_a", true}}}), ElementsAre(26, 30, 38, 44));
  EXPECT_THAT(values("MatMul", ab, {.attrs = {{"transpose_b", true}}}), ElementsAre(17, 23, 39, 53));
  EXPECT_EQ(refusal("MatMul", {kTwoByThree, kTwoByThree}), "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
}
TEST(Ops, products_of_floats_are_refused_in_the_words_of_onednn) {
  const TensorRef vector = floats({3}, {1, 2, 3});
  EXPECT_EQ(refusal("MatMul", {kTwoByThree, vector}), "In[1] ndims must be >= 2");
  EXPECT_EQ(refusal("BatchMatMulV2", {kTwoByThree, kTwoByThree}, {.attrs = {{"adj_x", false}, {"adj_y", false}}}),
            "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3] 0 0");
  EXPECT_EQ(refusal("MatMul", {ints({1}), ints({1})}, {.outputs = {DataType::kInt64}}),
            "In[0] and In[1] ndims must be == 2: 1");
}
TEST(Ops, shapes_broadcast_as_numpy_does) {
  const TensorRef column = floats({2, 1}, {1, 2}), row = floats({3}, {10, 20, 30});
  EXPECT_EQ(dims("AddV2", {column, row}), (Dims{2, 3}));
  EXPECT_THAT(values("AddV2", {column, row}), ElementsAre(11, 21, 31, 12, 22, 32));
  EXPECT_THAT(values("Sub", {row, make_scalar(1.0F)}), ElementsAre(9, 19, 29));
  EXPECT_EQ(refusal("Mul", {floats({2}, {1, 2}), row}), "Incompatible shapes: [2] vs. [3]");
}
TEST(Ops, integers_divide_by_their_own_rules) {
  const auto with = [](const char* op, std::int64_t x, std::int64_t y) {
    return integers(op, {ints({x}), ints({y})})[0];
  };
  EXPECT_EQ(with("FloorDiv", -7, 2), -4);
  EXPECT_EQ(with("Div", -7, 2), -3);
  EXPECT_EQ(with("FloorMod", -7, 3), 2);
  EXPECT_EQ(with("Mod", -7, 3), -1);
  EXPECT_EQ(refusal("FloorDiv", {ints({1}), ints({0})}, {.outputs = {DataType::kInt64}}), "Integer division by zero");
}
TEST(Ops, integers_wrap_where_they_overflow) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  const auto with = [](const char* op, std::int64_t x, std::int64_t y) {
    return integers(op, {ints({x}), ints({y})})[0];
  };
  for (const char* op : {"FloorDiv", "Div", "RealDiv", "TruncateDiv"}) EXPECT_EQ(with(op, kLeast, -1), kLeast) << op;
  for (const char* op : {"FloorMod", "Mod", "TruncateMod"}) EXPECT_EQ(with(op, kLeast, -1), 0) << op;
  EXPECT_EQ(with("Sub", kLeast, 1), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(with("Mul", kLeast, kLeast), 0);
  EXPECT_EQ(integers("Square", {ints({std::int64_t{1} << 32})})[0], 0);
}
TEST(Ops, comparisons_and_logic_answer_with_truths) {
  const TensorRef x = floats({3}, {1, 2, 3}), two = make_scalar(2.0F);
  EXPECT_THAT(truths("Less", {x, two}), ElementsAre(true, false, false));
  EXPECT_THAT(truths("GreaterEqual", {x, two}), ElementsAre(false, true, true));
  EXPECT_THAT(truths("NotEqual", {x, two}), ElementsAre(true, false, true));
  EXPECT_THAT(truths("LogicalAnd", {bools({2}, {1, 1}), bools({2}, {1, 0})}), ElementsAre(true, false));
  EXPECT_THAT(truths("LogicalNot", {bools({2}, {1, 0})}), ElementsAre(false, true));
}
TEST(Ops, a_constant_of_another_type_than_its_node_says_is_refused) {
  auto value = std::make_shared<TensorSpec>();
  value->dtype = DataType::kFloat;
  const Attrs attrs = {{"value", std::shared_ptr<const TensorSpec>(value)}};
  EXPECT_EQ(refusal("Const", {}, {.attrs = attrs, .outputs = {DataType::kInt32}}),
            "Type mismatch between value (float) and dtype (int32)");
  EXPECT_EQ(refusal("Const", {}, {.attrs = attrs}), "ok");
}
TEST(Ops, functions_of_one_number) {
  const auto of = [](const char* op, float x) { return values(op, {make_scalar(x)})[0]; };
  EXPECT_EQ(of("Neg", 2), -2);
  EXPECT_EQ(of("Square", -3), 9);
  EXPECT_EQ(of("Sqrt", 9), 3);
  EXPECT_EQ(of("Rsqrt", 4), .5F);
  EXPECT_EQ(of("Relu", -1), 0);
  EXPECT_EQ(of("Relu", 2), 2);
  EXPECT_EQ(of("Floor", -1.5F), -2);
  EXPECT_EQ(of("Abs", -4), 4);
  EXPECT_EQ(of("Sigmoid", 0), .5F);
  EXPECT_EQ(of("Exp", 0), 1);
  EXPECT_EQ(of("Log", 1), 0);
}
TEST(Ops, a_relu_lets_a_gradient_through_where_it_was_positive) {
  EXPECT_THAT(values("ReluGrad", {floats({3}, {5, 6, 7}), floats({3}, {-1, 0, 1})}), ElementsAre(0, 0, 7));
}
TEST(Ops, many_tensors_add_up) {
  EXPECT_THAT(values("AddN", {floats({2}, {1, 2}), floats({2}, {3, 4}), floats({2}, {5, 6})}), ElementsAre(9, 12));
}
TEST(Ops, a_cast_cuts_off_towards_zero) {
  EXPECT_THAT(integers("Cast", {floats({2}, {1.9F, -1.9F})}), ElementsAre(1, -1));
  EXPECT_THAT(values("Cast", {bools({2}, {1, 0})}), ElementsAre(1, 0));
}

// --- reductions ----

TEST(Ops, sums_go_over_the_axes_that_are_named) {
  EXPECT_THAT(values("Sum", {kTwoByThree, ints({0})}), ElementsAre(5, 7, 9));
  EXPECT_THAT(values("Sum", {kTwoByThree, ints({-1})}), ElementsAre(6, 15));
  EXPECT_THAT(values("Sum", {kTwoByThree, ints({0, 1})}), ElementsAre(21));
  EXPECT_THAT(values("Sum", {kTwoByThree, ints({})}), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(dims("Sum", {kTwoByThree, ints({1})}, {.attrs = {{"keep_dims", true}}}), (Dims{2, 1}));
  EXPECT_EQ(refusal("Sum", {kTwoByThree, ints({2})}), "Invalid reduction dimension (2 for input with 2 dimension(s)");
}
TEST(Ops, other_reductions) {
  EXPECT_THAT(values("Mean", {kTwoByThree, ints({0})}), ElementsAre(2.5, 3.5, 4.5));
  EXPECT_THAT(values("Prod", {kTwoByThree, ints({1})}), ElementsAre(6, 120));
  EXPECT_THAT(values("Max", {kTwoByThree, ints({1})}), ElementsAre(3, 6));
  EXPECT_THAT(values("Min", {kTwoByThree, ints({0})}), ElementsAre(1, 2, 3));
  EXPECT_THAT(values("L2Loss", {floats({3}, {1, 2, 3})}), ElementsAre(7));
  EXPECT_THAT(truths("All", {bools({2, 2}, {1, 1, 1, 0}), ints({1})}), ElementsAre(true, false));
  EXPECT_THAT(truths("Any", {bools({2, 2}, {0, 0, 1, 0}), ints({1})}), ElementsAre(false, true));
}

// --- moving elements ----

struct Slice {
  Ints begin, end, stride;
  Attrs masks = {};
};
Asked masks(const Slice& s) { return {.attrs = s.masks}; }
Tensors sliced(const TensorRef& x, const Slice& s) { return {x, ints(s.begin), ints(s.end), ints(s.stride)}; }
Floats slice(const TensorRef& x, const Slice& s) { return values("StridedSlice", sliced(x, s), masks(s)); }
Dims slice_dims(const TensorRef& x, const Slice& s) { return dims("StridedSlice", sliced(x, s), masks(s)); }
Attrs bit(const char* mask, std::int64_t bits) { return {{mask, bits}}; }

TEST(Ops, slices_pick_what_python_picks) {
  const TensorRef& x = kTwoByThree;
  EXPECT_THAT(slice(x, {{0, 1}, {2, 3}, {1, 1}}), ElementsAre(2, 3, 5, 6));                  // x[0:2, 1:3]
  EXPECT_THAT(slice(x, {{1}, {2}, {1}, bit("shrink_axis_mask", 1)}), ElementsAre(4, 5, 6));  // x[1]
  EXPECT_EQ(slice_dims(x, {{1}, {2}, {1}, bit("shrink_axis_mask", 1)}), (Dims{3}));
  EXPECT_THAT(slice(x, {{-1}, {0}, {1}, bit("shrink_axis_mask", 1)}), ElementsAre(4, 5, 6));  // x[-1]
  EXPECT_THAT(slice(x, {{0, 0}, {0, 0}, {1, -1}, {{"begin_mask", std::int64_t{3}}, {"end_mask", std::int64_t{3}}}}),
              ElementsAre(3, 2, 1, 6, 5, 4));  // x[:, ::-1]
  EXPECT_THAT(
      slice(x, {{0, 1}, {0, 2}, {1, 1}, {{"ellipsis_mask", std::int64_t{1}}, {"shrink_axis_mask", std::int64_t{2}}}}),
      ElementsAre(2, 5));                                                               // x[..., 1]
  EXPECT_EQ(slice_dims(x, {{0}, {0}, {1}, bit("new_axis_mask", 1)}), (Dims{1, 2, 3}));  // x[newaxis]
  EXPECT_EQ(slice_dims(x, {{5}, {9}, {1}}), (Dims{0, 3}));                              // x[5:9]
}
TEST(Ops, slices_refuse_what_is_not_there) {
  const Slice third{{2}, {3}, {1}, bit("shrink_axis_mask", 1)};
  EXPECT_EQ(refusal("StridedSlice", sliced(kTwoByThree, third), masks(third)),
            "slice index 2 of dimension 0 out of bounds.");
  EXPECT_EQ(refusal("StridedSlice", sliced(kTwoByThree, {{0}, {1}, {0}})), "strides[0] must be non-zero");
}
TEST(Ops, where_tells_the_coordinates_of_the_true_ones) {
  const Asked asked{.outputs = {DataType::kInt64}};
  EXPECT_THAT(integers("Where", {bools({2, 2}, {1, 0, 0, 1})}), ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(dims("Where", {bools({3}, {0, 0, 0})}, asked), (Dims{0, 1}));
  EXPECT_EQ(refusal("Where", {make_scalar(true)}, asked), "WhereOp : Unhandled input dimensions: 0");
}
TEST(Ops, an_empty_vector_is_no_scalar) {
  EXPECT_EQ(refusal("UnsortedSegmentSum", {floats({2}, {1, 2}), ints({0, 1}), ints({})}),
            "num_segments should be a scalar, not shape [0]");
  EXPECT_EQ(refusal("Fill", {ints({2}), floats({0}, {})}), "value must represent a scalar, got shape [0]");
  EXPECT_EQ(refusal("ExpandDims", {kTwoByThree, ints({})}), "'dim' must be a tensor with a single value");
  EXPECT_EQ(refusal("GatherV2", {kTwoByThree, ints({1}), ints({})}), "axis must be scalar");
}
TEST(Ops, a_reverse_of_nothing_asks_no_axes) {
  EXPECT_EQ(dims("ReverseV2", {floats({0}, {}), tensor<std::int64_t>({1, 2}, {7, 7})}), (Dims{0}));
  EXPECT_EQ(refusal("ReverseV2", {floats({1}, {1}), tensor<std::int64_t>({1, 2}, {0, 0})}),
            "'dims' must be 1-dimension, not 2");
}
TEST(Ops, a_gather_picks_rows_or_columns) {
  EXPECT_THAT(values("GatherV2", {kTwoByThree, ints({1, 0}), make_scalar(std::int64_t{0})}),
              ElementsAre(4, 5, 6, 1, 2, 3));
  EXPECT_THAT(values("GatherV2", {kTwoByThree, ints({2, 2}), make_scalar(std::int64_t{1})}), ElementsAre(3, 3, 6, 6));
  EXPECT_EQ(refusal("GatherV2", {kTwoByThree, ints({0, 5}), make_scalar(std::int64_t{0})}),
            "indices[1] = 5 is not in [0, 2)");
  const TensorRef square = tensor<std::int64_t>({2, 2}, {0, 1, 1, 7});
  EXPECT_EQ(refusal("GatherV2", {kTwoByThree, square, make_scalar(std::int64_t{0})}),
            "indices[1,1] = 7 is not in [0, 2)");
}
TEST(Ops, tensors_join_along_an_axis) {
  const TensorRef a = floats({1, 2}, {1, 2}), b = floats({1, 2}, {3, 4});
  EXPECT_EQ(dims("ConcatV2", {a, b, make_scalar(0)}), (Dims{2, 2}));
  EXPECT_THAT(values("ConcatV2", {kTwoByThree, floats({2, 1}, {7, 8}), make_scalar(-1)}),
              ElementsAre(1, 2, 3, 7, 4, 5, 6, 8));
  EXPECT_EQ(refusal("ConcatV2", {a, kTwoByThree, make_scalar(0)}),
            "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [1,2] vs. shape[1] = [2,3]");
}
TEST(Ops, tensors_stack_along_a_new_axis) {
  const TensorRef a = floats({2}, {1, 2}), b = floats({2}, {3, 4});
  EXPECT_THAT(values("Pack", {a, b}, {.attrs = axis_attr(0)}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values("Pack", {a, b}, {.attrs = axis_attr(1)}), ElementsAre(1, 3, 2, 4));
}
TEST(Ops, elements_repeat_and_fill) {
  EXPECT_THAT(values("Tile", {floats({1, 2}, {1, 2}), ints({2, 2})}), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2));
  EXPECT_THAT(values("Fill", {ints({3}), make_scalar(4.0F)}), ElementsAre(4, 4, 4));
  EXPECT_THAT(values("OnesLike", {floats({2}, {5, 6})}), ElementsAre(1, 1));
}
TEST(Ops, shapes_change_and_elements_stay) {
  EXPECT_EQ(dims("Reshape", {kTwoByThree, ints({3, -1})}), (Dims{3, 2}));
  EXPECT_EQ(refusal("Reshape", {kTwoByThree, ints({4, -1})}),
            "Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 4");
  EXPECT_EQ(refusal("Reshape", {kTwoByThree, ints({5})}),
            "Input to reshape is a tensor with 6 values, but the requested shape has 5");
  EXPECT_EQ(dims("ExpandDims", {kTwoByThree, make_scalar(-1)}), (Dims{2, 3, 1}));
  EXPECT_EQ(dims("Squeeze", {floats({1, 2, 1}, {1, 2})}), (Dims{2}));
}
TEST(Ops, shapes_are_known_of_tensors_without_data_too) {
  EXPECT_THAT(integers("Shape", {shape_only({5, 7})}), ElementsAre(5, 7));
  EXPECT_THAT(integers("Size", {shape_only({5, 7})}), ElementsAre(35));
  EXPECT_THAT(integers("Rank", {shape_only({5, 7})}), ElementsAre(2));
}

// --- neural networks ----

TEST(Ops, cross_entropy_gives_loss_and_gradient) {
  const auto r = compute("SparseSoftmaxCrossEntropyWithLogits", {floats({2, 2}, {0, 0, 0, 0}), ints({0, 1})},
                         {.outputs = {DataType::kFloat, DataType::kFloat}});
  ASSERT_TRUE(r.ok());
  const auto loss = (*r)[0]->as<float>(), gradient = (*r)[1]->as<float>();
  EXPECT_THAT(Floats(loss.begin(), loss.end()), testing::Each(FloatNear(std::log(2.0F), 1e-6F)));
  EXPECT_THAT(Floats(gradient.begin(), gradient.end()), ElementsAre(-.5, .5, .5, -.5));
}
TEST(Ops, cross_entropy_refuses_a_label_that_is_no_class) {
  EXPECT_EQ(refusal("SparseSoftmaxCrossEntropyWithLogits", {floats({2, 2}, {0, 0, 0, 0}), ints({1, 2})},
                    {.outputs = {DataType::kFloat, DataType::kFloat}}),
            "Received a label value of 2 which is outside the valid range of [0, 2).  Label values: 1 2");
}
TEST(Ops, a_bias_goes_to_its_channel) {
  EXPECT_THAT(values("BiasAdd", {kTwoByThree, floats({3}, {10, 20, 30})}), ElementsAre(11, 22, 33, 14, 25, 36));
  EXPECT_THAT(
      values("BiasAdd", {floats({1, 2, 2}, {1, 2, 3, 4}), floats({2}, {10, 20})}, {.attrs = {{"data_format", "NCHW"}}}),
      ElementsAre(11, 12, 23, 24));
  EXPECT_THAT(values("BiasAddGrad", {kTwoByThree}), ElementsAre(5, 7, 9));
}

Attrs window(const char* padding, const std::vector<std::int64_t>& strides,
             const std::vector<std::int64_t>& size = {1, 2, 2, 1}, const char* format = "NHWC") {
  AttrList s, k;
  s.i = strides;
  k.i = size;
  return {{"padding", padding}, {"strides", s}, {"ksize", k}, {"data_format", format}};
}
TEST(Ops, convolutions_have_shapes) {
  const Tensors in{shape_only({1, 5, 5, 3}), shape_only({3, 3, 3, 8})};
  EXPECT_EQ(dims("Conv2D", in, {.attrs = window("SAME", {1, 2, 2, 1})}), (Dims{1, 3, 3, 8}));
  EXPECT_EQ(dims("Conv2D", in, {.attrs = window("VALID", {1, 2, 2, 1})}), (Dims{1, 2, 2, 8}));
  EXPECT_EQ(dims("Conv2D", in, {.attrs = window("VALID", {1, 1, 1, 1})}), (Dims{1, 3, 3, 8}));
  EXPECT_EQ(dims("Conv2D", {shape_only({1, 3, 5, 5}), in[1]}, {.attrs = window("SAME", {1, 1, 1, 1}, {}, "NCHW")}),
            (Dims{1, 8, 5, 5}));
}
TEST(Ops, pools_have_shapes) {
  const Tensors in{shape_only({1, 5, 5, 3})};
  EXPECT_EQ(dims("MaxPool", in, {.attrs = window("VALID", {1, 2, 2, 1})}), (Dims{1, 2, 2, 3}));
  EXPECT_EQ(dims("AvgPool", in, {.attrs = window("SAME", {1, 2, 2, 1})}), (Dims{1, 3, 3, 3}));
}

// --- values where small, shapes where large ----

TEST(Ops, without_data_the_shape_is_still_known) {
  const TensorRef sum = one("AddV2", {shape_only({4, 1}), floats({3}, {1, 2, 3})});
  EXPECT_FALSE(sum->has_data());
  EXPECT_EQ(sum->shape().dims, (Dims{4, 3}));
}
TEST(Ops, what_would_be_large_is_not_computed) {
  EXPECT_FALSE(one("AddV2", {kTwoByThree, kTwoByThree}, {.values_up_to = 5})->has_data());
  EXPECT_TRUE(one("AddV2", {kTwoByThree, kTwoByThree}, {.values_up_to = 6})->has_data());
}
TEST(Ops, a_predicate_without_a_value_says_how_it_gets_one) {
  EXPECT_THAT(refusal("Switch", {kTwoByThree, make_shape_only(DataType::kBool, Shape())}),
              HasSubstr("feed what it depends on under feeds.values (tarry_export.py writes them with --values)"));
}
TEST(Ops, an_op_that_nobody_wrote_takes_the_recorded_shape_or_says_its_name) {
  AttrList recorded;
  recorded.shape = {Shape({2, 2})};
  EXPECT_EQ(dims("MatrixSquareRoot", {kTwoByThree}, {.attrs = {{"_output_shapes", recorded}}}), (Dims{2, 2}));
  EXPECT_THAT(
      refusal("MatrixSquareRoot", {kTwoByThree}),
      HasSubstr("node 'n': tarry does not compute op MatrixSquareRoot and the graph has no full shape for it; give "
                "its output a shape in the script (set_shape)"));
}

// --- laws ----

RC_GTEST_PROP(OpsProperty, a_slice_of_a_vector_walks_from_begin_to_end, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(1, 9), begin = *rc::gen::inRange<std::int64_t>(0, 9),
             end = *rc::gen::inRange<std::int64_t>(0, 9);
  const auto stride = *rc::gen::element<std::int64_t>(-3, -2, -1, 1, 2, 3);
  Floats x(static_cast<std::size_t>(n)), expected;
  std::iota(x.begin(), x.end(), 0.0F);
  for (std::int64_t i = stride < 0 ? std::min(begin, n - 1) : begin; stride < 0 ? i > end : i < std::min(end, n);
       i += stride)
    expected.push_back(static_cast<float>(i));
  RC_ASSERT(slice(floats({n}, x), {{begin}, {end}, {stride}}) == expected);
}
RC_GTEST_PROP(OpsProperty, a_sum_over_both_axes_is_the_sum_over_one_and_then_the_other, ()) {
  const auto r = *rc::gen::inRange<std::int64_t>(1, 5), c = *rc::gen::inRange<std::int64_t>(1, 5);
  Floats x(static_cast<std::size_t>(r * c));
  for (float& v : x) v = static_cast<float>(*rc::gen::inRange(-100, 100));
  const TensorRef t = floats({r, c}, x);
  RC_ASSERT(values("Sum", {one("Sum", {t, ints({0})}), ints({0})}) == values("Sum", {t, ints({0, 1})}));
}
RC_GTEST_PROP(OpsProperty, a_product_transposed_is_the_product_of_transposes_in_reverse, ()) {
  const auto n = *rc::gen::inRange<std::int64_t>(1, 4);
  const auto some = [&] {
    Floats x(static_cast<std::size_t>(n * n));
    for (float& v : x) v = static_cast<float>(*rc::gen::inRange(-10, 10));
    return floats({n, n}, x);
  };
  const TensorRef a = some(), b = some(), ab = one("MatMul", {a, b});
  const TensorRef reversed = one("MatMul", {b, a}, {.attrs = {{"transpose_a", true}, {"transpose_b", true}}});
  for (std::int64_t i = 0; i < n * n; ++i)
    RC_ASSERT(ab->as<float>()[static_cast<std::size_t>(i)] ==
              reversed->as<float>()[static_cast<std::size_t>(i % n * n + i / n)]);
}

TEST(Calls, that_stayed_calls_are_refused_by_the_function_and_the_reason) {
  const auto refused = [](const char* op, Attrs attrs) {
    attrs.set("f", FuncRef{"lstm", nullptr});
    return refusal(op, {}, {.attrs = attrs});
  };
  EXPECT_EQ(refused("PartitionedCall", {}),
            "node 'n': tarry does not run PartitionedCall with the function 'lstm': the function does not fit the "
            "call, or calls are not inlined here");
  for (const char* mark : {"_tpu_replicate", "_xla_compile_id"})
    EXPECT_THAT(refused("StatelessWhile", {{mark, std::string("x")}}),
                HasSubstr("it belongs to a TPU or to a cluster of XLA"));
  EXPECT_THAT(refused("SymbolicGradient", {}), HasSubstr("symbolic gradients"));
  EXPECT_THAT(refused("OneShotIterator", {}), HasSubstr("it belongs to tf.data"));
  EXPECT_THAT(refusal("lstm", {}), HasSubstr("does not run lstm with the function 'lstm'"));
}

}  // namespace
}  // namespace tarry
