// Hand counts: each test says in its numbers how the work comes about. A float has 4 bytes.

#include "workers/roofline/work.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "workers/fake_env.hpp"
#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

Value of(const std::vector<std::int64_t>& dims, DataType type = DataType::kFloat) {
  return {make_shape_only(type, Shape(dims)), nullptr};
}
Value ints(const std::vector<std::int32_t>& values) { return {make_vector(values), nullptr}; }
Value scalar() { return of({}); }
AttrValue list(std::vector<std::int64_t> numbers) {
  AttrList l;
  l.i = std::move(numbers);
  return l;
}
AttrValue recorded(const std::vector<std::int64_t>& dims) {
  AttrList l;
  l.shape.push_back(Shape(dims));
  return l;
}

Work work(std::string_view op, const std::vector<Value>& inputs, const Attrs& attrs = {},
          const DataTypes& outputs = {DataType::kFloat}) {
  const WorkRow* row = find_work(op);
  check(row != nullptr && row->doing == Doing::counted, "the op has no formula");
  FakeEnv env;
  KernelHost host{&env};
  return NodeWork(*row, KernelSetup{"n", op, attrs, {}, outputs, host})(inputs);
}

Attrs window(std::vector<std::int64_t> stride, const char* padding, std::vector<std::int64_t> size = {1, 1, 1, 1},
             const char* format = "NHWC") {
  return {{"strides", list(std::move(stride))},
          {"padding", padding},
          {"ksize", list(std::move(size))},
          {"data_format", format}};
}

// ---- products ----

constexpr std::uint64_t kMatMul = 2 * 3 * 4 * 5;

TEST(Work, of_MatMul) { EXPECT_EQ(work("MatMul", {of({3, 4}), of({4, 5})}), (Work{kMatMul, 4 * (12 + 20 + 15)})); }
TEST(Work, of_MatMul_with_transposed_inputs) {
  EXPECT_EQ(work("MatMul", {of({4, 3}), of({5, 4})}, {{"transpose_a", true}, {"transpose_b", true}}),
            (Work{kMatMul, 4 * (12 + 20 + 15)}));
}
TEST(Work, of_MatMul_of_halves_moves_half_the_bytes) {
  EXPECT_EQ(work("MatMul", {of({3, 4}, DataType::kHalf), of({4, 5}, DataType::kHalf)}, {}, {DataType::kHalf}),
            (Work{kMatMul, 2 * (12 + 20 + 15)}));
}
TEST(Work, of_BatchMatMul) {
  EXPECT_EQ(work("BatchMatMul", {of({7, 3, 4}), of({7, 4, 5})}), (Work{7 * kMatMul, 4 * 7 * (12 + 20 + 15)}));
}
TEST(Work, of_BatchMatMulV2_that_broadcasts_its_batches) {
  EXPECT_EQ(work("BatchMatMulV2", {of({2, 1, 3, 4}), of({7, 5, 4})}, {{"adj_y", true}}),
            (Work{14 * kMatMul, 4 * (2 * 12 + 7 * 20 + 14 * 15)}));
}
TEST(Work, of_BatchMatMulV3) {
  EXPECT_EQ(work("BatchMatMulV3", {of({3, 4}), of({4, 5})}), work("MatMul", {of({3, 4}), of({4, 5})}));
}

// ResNet-50's first layer: 224 x 224 x 3 in, 112 x 112 x 64 out, a filter of 7 x 7 with stride 2.
TEST(Work, of_Conv2D) {
  const std::uint64_t multiply_adds = std::uint64_t{64} * 112 * 112 * 64 * 7 * 7 * 3;
  EXPECT_EQ(work("Conv2D", {of({64, 224, 224, 3}), of({7, 7, 3, 64})}, window({1, 2, 2, 1}, "SAME")),
            (Work{2 * multiply_adds, 4 * (64 * 224 * 224 * 3 + 7 * 7 * 3 * 64 + std::uint64_t{64} * 112 * 112 * 64)}));
}
TEST(Work, of_Conv2D_without_padding) {  // 10 -> (10 - 3) / 2 + 1 = 4
  EXPECT_EQ(work("Conv2D", {of({1, 10, 10, 2}), of({3, 3, 2, 5})}, window({1, 2, 2, 1}, "VALID")).flops,
            2u * 4 * 4 * 5 * 3 * 3 * 2);
}
TEST(Work, of_Conv2D_with_channels_first) {
  EXPECT_EQ(
      work("Conv2D", {of({1, 2, 10, 10}), of({3, 3, 2, 5})}, window({1, 1, 2, 2}, "VALID", {1, 1, 1, 1}, "NCHW")).flops,
      2u * 4 * 4 * 5 * 3 * 3 * 2);
}
TEST(Work, of_Conv2D_with_holes_in_its_filter) {  // 3 with holes of 1 reaches 5: 10 -> 6
  Attrs attrs = window({1, 1, 1, 1}, "VALID");
  attrs.set("dilations", list({1, 2, 2, 1}));
  EXPECT_EQ(work("Conv2D", {of({1, 10, 10, 1}), of({3, 3, 1, 1})}, attrs).flops, 2u * 6 * 6 * 9);
}
TEST(Work, of_Conv2D_with_explicit_padding) {  // 10 + 1 + 2 -> 11; 10 + 0 + 0 -> 8
  Attrs attrs = window({1, 1, 1, 1}, "EXPLICIT");
  attrs.set("explicit_paddings", list({0, 0, 1, 2, 0, 0, 0, 0}));
  EXPECT_EQ(work("Conv2D", {of({1, 10, 10, 1}), of({3, 3, 1, 1})}, attrs).flops, 2u * 11 * 8 * 9);
}
TEST(Work, of_Conv2D_in_groups) {  // two groups of 2 channels each: a filter sees 2 of 4
  EXPECT_EQ(work("Conv2D", {of({1, 8, 8, 4}), of({1, 1, 2, 6})}, window({1, 1, 1, 1}, "SAME")).flops, 2u * 64 * 6 * 2);
}
TEST(Work, of_Conv2DBackpropInput_is_the_multiply_adds_of_forward) {
  EXPECT_EQ(work("Conv2DBackpropInput", {ints({2, 8, 8, 3}), of({3, 3, 3, 5}), of({2, 4, 4, 5})},
                 window({1, 2, 2, 1}, "SAME")),
            (Work{2 * 2 * 16 * 5 * 27, 4 * (135 + 2 * 16 * 5 + 2 * 64 * 3)}));
}
TEST(Work, of_Conv2DBackpropFilter_is_the_multiply_adds_of_forward) {
  EXPECT_EQ(work("Conv2DBackpropFilter", {of({2, 8, 8, 3}), ints({3, 3, 3, 5}), of({2, 4, 4, 5})},
                 window({1, 2, 2, 1}, "SAME")),
            (Work{2 * 2 * 16 * 5 * 27, 4 * (2 * 64 * 3 + 2 * 16 * 5 + 135)}));
}
TEST(Work, of_a_gradient_whose_sizes_have_no_values_takes_the_recorded_shape) {
  Attrs attrs = window({1, 2, 2, 1}, "SAME");
  attrs.set("_output_shapes", recorded({3, 3, 3, 5}));
  EXPECT_EQ(work("Conv2DBackpropFilter", {of({2, 8, 8, 3}), of({4}, DataType::kInt32), of({2, 4, 4, 5})}, attrs).flops,
            2u * 2 * 16 * 5 * 27);
}
TEST(Work, of_DepthwiseConv2dNative) {  // each of 3 channels gives 2
  EXPECT_EQ(work("DepthwiseConv2dNative", {of({2, 8, 8, 3}), of({3, 3, 3, 2})}, window({1, 1, 1, 1}, "SAME")),
            (Work{2 * 2 * 64 * 6 * 9, 4 * (2 * 64 * 3 + 54 + 2 * 64 * 6)}));
}
TEST(Work, of_DepthwiseConv2dNativeBackpropInput) {
  EXPECT_EQ(work("DepthwiseConv2dNativeBackpropInput", {ints({2, 8, 8, 3}), of({3, 3, 3, 2}), of({2, 8, 8, 6})},
                 window({1, 1, 1, 1}, "SAME"))
                .flops,
            2u * 2 * 64 * 6 * 9);
}
TEST(Work, of_DepthwiseConv2dNativeBackpropFilter) {
  EXPECT_EQ(work("DepthwiseConv2dNativeBackpropFilter", {of({2, 8, 8, 3}), ints({3, 3, 3, 2}), of({2, 8, 8, 6})},
                 window({1, 1, 1, 1}, "SAME"))
                .flops,
            2u * 2 * 64 * 6 * 9);
}

// ---- layers ----

TEST(Work, of_BiasAdd) { EXPECT_EQ(work("BiasAdd", {of({6, 10}), of({10})}), (Work{60, 4 * (60 + 10 + 60)})); }
TEST(Work, of_BiasAddGrad) { EXPECT_EQ(work("BiasAddGrad", {of({6, 10})}), (Work{60, 4 * (60 + 10)})); }
TEST(Work, of_BiasAddGrad_with_channels_first) {
  EXPECT_EQ(work("BiasAddGrad", {of({6, 10, 2, 2})}, {{"data_format", "NCHW"}}), (Work{240, 4 * (240 + 10)}));
}
TEST(Work, of_Softmax) { EXPECT_EQ(work("Softmax", {of({6, 10})}), (Work{300, 480})); }
TEST(Work, of_LogSoftmax) { EXPECT_EQ(work("LogSoftmax", {of({6, 10})}), (Work{300, 480})); }
TEST(Work, of_SoftmaxCrossEntropyWithLogits) {
  EXPECT_EQ(work("SoftmaxCrossEntropyWithLogits", {of({6, 10}), of({6, 10})}), (Work{480, 4 * (60 + 60 + 6 + 60)}));
}
TEST(Work, of_SparseSoftmaxCrossEntropyWithLogits) {
  EXPECT_EQ(work("SparseSoftmaxCrossEntropyWithLogits", {of({6, 10}), of({6}, DataType::kInt64)}),
            (Work{300 + 18, 4 * 60 + 8 * 6 + 4 * (6 + 60)}));
}
const DataTypes kSix(6, DataType::kFloat);
std::vector<Value> normalised() { return {of({2, 4, 4, 8}), of({8}), of({8}), of({0}), of({0})}; }
TEST(Work, of_FusedBatchNormV3_in_training) {
  EXPECT_EQ(work("FusedBatchNormV3", normalised(), {}, kSix), (Work{7 * 256, 4 * (256 + 2 * 8 + 256 + 5 * 8)}));
}
TEST(Work, of_FusedBatchNormV3_in_inference) {
  EXPECT_EQ(work("FusedBatchNormV3", normalised(), {{"is_training", false}}, kSix).flops, 3u * 256);
}
TEST(Work, of_FusedBatchNormGradV3) {
  EXPECT_EQ(work("FusedBatchNormGradV3", {of({2, 4, 4, 8}), of({2, 4, 4, 8}), of({8}), of({8}), of({8}), of({8})}),
            (Work{9 * 256, 4 * (2 * 256 + 4 * 8 + 256 + 2 * 8)}));
}
TEST(Work, of_MaxPool) {  // 112 -> 56
  EXPECT_EQ(work("MaxPool", {of({1, 112, 112, 64})}, window({1, 2, 2, 1}, "SAME", {1, 3, 3, 1})),
            (Work{56 * 56 * 64 * 9, 4 * (112 * 112 * 64 + 56 * 56 * 64)}));
}
TEST(Work, of_AvgPool) {
  EXPECT_EQ(work("AvgPool", {of({2, 7, 7, 5})}, window({1, 1, 1, 1}, "VALID", {1, 7, 7, 1})),
            (Work{2 * 5 * 49, 4 * (2 * 49 * 5 + 2 * 5)}));
}
TEST(Work, of_MaxPoolGrad) {
  EXPECT_EQ(work("MaxPoolGrad", {of({1, 8, 8, 2}), of({1, 4, 4, 2}), of({1, 4, 4, 2})},
                 window({1, 2, 2, 1}, "SAME", {1, 3, 3, 1})),
            (Work{32 * 9, 4 * (128 + 32 + 32 + 128)}));
}
TEST(Work, of_AvgPoolGrad) {
  EXPECT_EQ(work("AvgPoolGrad", {ints({2, 7, 7, 5}), of({2, 1, 1, 5})}, window({1, 1, 1, 1}, "VALID", {1, 7, 7, 1})),
            (Work{10 * 49, 4 * (10 + 490)}));
}

// ---- element by element ----

TEST(Work, of_an_elementwise_op_is_one_operation_an_element) {
  for (const char* op : {"Abs", "Exp", "Log", "Neg", "Relu", "Sqrt", "Square", "Tanh", "Reciprocal"})
    EXPECT_EQ(work(op, {of({6, 10})}), (Work{60, 480})) << op;
  for (const char* op : {"Add", "AddV2", "Mul", "Sub", "RealDiv", "Maximum", "ReluGrad", "Pow"})
    EXPECT_EQ(work(op, {of({6, 10}), of({6, 10})}), (Work{60, 720})) << op;
}
TEST(Work, of_composed_elementwise_ops_is_what_their_formulas_take) {
  const std::pair<const char*, std::uint64_t> each[] = {{"Rsqrt", 2},    {"SquaredDifference", 2}, {"SigmoidGrad", 3},
                                                        {"TanhGrad", 3}, {"Softplus", 3},          {"Sigmoid", 4},
                                                        {"RsqrtGrad", 4}};
  for (const auto& [op, operations] : each) EXPECT_EQ(work(op, {of({100})}).flops, operations * 100) << op;
}
TEST(Work, of_a_broadcast_counts_what_comes_out) {
  EXPECT_EQ(work("AddV2", {of({6, 1}), of({10})}), (Work{60, 4 * (6 + 10 + 60)}));
}
TEST(Work, of_a_comparison_writes_single_bytes) {
  EXPECT_EQ(work("Less", {of({100}), scalar()}, {}, {DataType::kBool}), (Work{100, 400 + 4 + 100}));
}
TEST(Work, of_Cast) { EXPECT_EQ(work("Cast", {of({100})}, {}, {DataType::kDouble}), (Work{100, 400 + 800})); }
TEST(Work, of_SelectV2) {
  EXPECT_EQ(work("SelectV2", {of({100}, DataType::kBool), of({100}), of({100})}), (Work{100, 100 + 400 + 400 + 400}));
}
TEST(Work, of_AddN) { EXPECT_EQ(work("AddN", {of({100}), of({100}), of({100})}), (Work{200, 1600})); }
TEST(Work, of_L2Loss) { EXPECT_EQ(work("L2Loss", {of({100})}), (Work{200, 404})); }
TEST(Work, of_Fill_and_ZerosLike_writes_only) {
  EXPECT_EQ(work("Fill", {ints({6, 10}), scalar()}), (Work{0, 240}));
  EXPECT_EQ(work("ZerosLike", {of({6, 10})}), (Work{0, 240}));
}
TEST(Work, of_random_numbers_is_one_operation_each) {
  EXPECT_EQ(work("TruncatedNormal", {ints({6, 10})}), (Work{60, 240}));
}

// ---- reductions ----

TEST(Work, of_Sum) { EXPECT_EQ(work("Sum", {of({6, 10}), ints({1})}), (Work{60, 4 * (60 + 6)})); }
TEST(Work, of_Sum_over_everything) { EXPECT_EQ(work("Sum", {of({6, 10}), ints({0, -1})}), (Work{60, 4 * (60 + 1)})); }
TEST(Work, of_Sum_whose_axes_have_no_values_takes_the_recorded_shape) {
  EXPECT_EQ(work("Sum", {of({6, 10}), of({1}, DataType::kInt32)}, {{"_output_shapes", recorded({10})}}),
            (Work{60, 4 * (60 + 10)}));
}
TEST(Work, of_Mean_divides_at_the_end) { EXPECT_EQ(work("Mean", {of({6, 10}), ints({0})}), (Work{70, 4 * (60 + 10)})); }
TEST(Work, of_UnsortedSegmentSum) {
  EXPECT_EQ(work("UnsortedSegmentSum", {of({8, 10}), of({8}, DataType::kInt64), ints({3})}),
            (Work{80, 320 + 64 + 120}));
}
TEST(Work, of_SparseSegmentSum) {  // 4 rows of 10 into segments 0 and 1
  EXPECT_EQ(work("SparseSegmentSum", {of({100, 10}), of({4}, DataType::kInt64), ints({0, 0, 1, 1})}),
            (Work{40, 32 + 16 + 4 * (40 + 20)}));
}
TEST(Work, of_SparseSegmentMeanGrad) {
  EXPECT_EQ(work("SparseSegmentMeanGrad", {of({2, 10}), of({4}, DataType::kInt64), ints({0, 0, 1, 1}), ints({7})}),
            (Work{40, 32 + 16 + 4 * (40 + 70)}));
}
TEST(Work, of_SparseSegmentMeanGradV2_writes_named_rows_only) {
  EXPECT_EQ(work("SparseSegmentMeanGradV2", {of({2, 10}), of({4}, DataType::kInt64), ints({0, 0, 1, 1}), ints({700})}),
            (Work{40, 32 + 16 + 32 + 4 * (40 + 40)}));
}
TEST(Work, of_ScatterSub_reads_and_writes_the_rows) {
  EXPECT_EQ(work("ScatterSub", {of({1000, 10}), of({5}, DataType::kInt64), of({5, 10})}), (Work{50, 40 + 3 * 200}));
}
TEST(Work, of_ScatterUpdate_only_writes_them) {
  EXPECT_EQ(work("ScatterUpdate", {of({1000, 10}), of({5}, DataType::kInt64), of({5, 10})}), (Work{0, 40 + 2 * 200}));
}

// ---- moving ----

TEST(Work, of_a_copy_reads_and_writes) {
  EXPECT_EQ(work("Transpose", {of({6, 10}), ints({1, 0})}), (Work{0, 480}));
  EXPECT_EQ(work("Split", {scalar(), of({6, 10})}), (Work{0, 480}));
  EXPECT_EQ(work("Pack", {of({10}), of({10})}), (Work{0, 160}));
  EXPECT_EQ(work("ConcatV2", {of({10}), of({20}), ints({0})}), (Work{0, 2 * (120 + 4)}));
  EXPECT_EQ(work("Assign", {of({10}), of({10})}), (Work{0, 80}));
}
TEST(Work, of_Gather_reads_a_row_for_each_index) {
  EXPECT_EQ(work("Gather", {of({1000, 10}), of({5}, DataType::kInt64)}), (Work{0, 40 + 2 * 200}));
}
TEST(Work, of_GatherV2_along_another_axis) {
  EXPECT_EQ(work("GatherV2", {of({7, 1000}), of({5}, DataType::kInt64), ints({1})}), (Work{0, 40 + 2 * 4 * 35}));
}
TEST(Work, of_ResourceGather_knows_the_variables_shape) {
  Variable v;
  v.value = make_shape_only(DataType::kFloat, Shape({1000, 10}));
  EXPECT_EQ(work("ResourceGather", {{make_tensor(DataType::kResource, Shape()), &v}, of({5}, DataType::kInt64)}),
            (Work{0, 40 + 2 * 200}));
}
TEST(Work, of_Slice_is_of_what_comes_out) {
  EXPECT_EQ(work("Slice", {of({6, 10}), ints({1, 2}), ints({2, -1})}), (Work{0, 2 * 4 * 16}));
}
TEST(Work, of_StridedSlice_takes_the_recorded_shape) {
  EXPECT_EQ(work("StridedSlice", {of({6, 10})}, {{"_output_shapes", recorded({3})}}), (Work{0, 24}));
}
TEST(Work, of_Pad_writes_more_than_it_reads) {
  EXPECT_EQ(work("Pad", {of({6, 10}), ints({1, 1, 0, 2})}), (Work{0, 240 + 4 * 8 * 12}));
}
TEST(Work, of_Tile_and_BroadcastTo) {
  EXPECT_EQ(work("Tile", {of({6, 10}), ints({2, 3})}), (Work{0, 240 + 1440}));
  EXPECT_EQ(work("BroadcastTo", {of({10}), ints({6, 10})}), (Work{0, 40 + 240}));
}
TEST(Work, of_a_transfer_is_its_bytes) { EXPECT_EQ(work("_Send", {of({10})}), (Work{0, 40})); }

// ---- updates ----

TEST(Work, of_ApplyGradientDescent) {
  EXPECT_EQ(work("ApplyGradientDescent", {of({100}), scalar(), of({100})}), (Work{200, 3 * 400}));
}
TEST(Work, of_ApplyMomentum) {
  EXPECT_EQ(work("ApplyMomentum", {of({100}), of({100}), scalar(), of({100}), scalar()}), (Work{400, 5 * 400}));
}
TEST(Work, of_ApplyMomentum_with_nesterov) {
  EXPECT_EQ(
      work("ApplyMomentum", {of({100}), of({100}), scalar(), of({100}), scalar()}, {{"use_nesterov", true}}).flops,
      700u);
}
TEST(Work, of_ApplyAdagrad) {
  EXPECT_EQ(work("ApplyAdagrad", {of({100}), of({100}), scalar(), of({100})}), (Work{600, 5 * 400}));
}
TEST(Work, of_ApplyAdam) {
  std::vector<Value> in(10, scalar());
  in[0] = in[1] = in[2] = in[9] = of({100});
  EXPECT_EQ(work("ApplyAdam", in), (Work{1200, 7 * 400}));
}
TEST(Work, of_ApplyRMSProp) {
  std::vector<Value> in(8, scalar());
  in[0] = in[1] = in[2] = in[7] = of({100});
  EXPECT_EQ(work("ApplyRMSProp", in), (Work{1100, 7 * 400}));
}
TEST(Work, of_ApplyFtrl) {
  std::vector<Value> in(8, scalar());
  in[0] = in[1] = in[2] = in[3] = of({100});
  EXPECT_EQ(work("ApplyFtrl", in), (Work{1600, 7 * 400}));
}
TEST(Work, of_SparseApplyAdagrad_is_of_the_rows_alone) {
  EXPECT_EQ(
      work("SparseApplyAdagrad", {of({1000, 10}), of({1000, 10}), scalar(), of({5, 10}), of({5}, DataType::kInt64)}),
      (Work{300, 5 * 200 + 40}));
}
TEST(Work, of_AssignSub) { EXPECT_EQ(work("AssignSub", {of({100}), of({100})}), (Work{100, 1200})); }
TEST(Work, of_a_gradient_into_an_accumulator) {
  EXPECT_EQ(work("AccumulatorApplyGradient", {scalar(), scalar(), of({100})}), (Work{100, 1200}));
}

// ---- all of them ----

TEST(Work, of_ops_that_hand_on_is_none) {
  for (const char* op :
       {"Identity", "Const", "Reshape", "Shape", "Switch", "Merge", "VariableV2", "NoOp", "ReadVariableOp"})
    EXPECT_EQ(doing_of(find_work(op)), Doing::nothing) << op;
}
TEST(Work, of_other_ops_is_not_known) { EXPECT_EQ(doing_of(find_work("SaveV2")), Doing::unknown); }

TEST(Work, has_one_row_an_op) {
  std::vector<std::string_view> ops;
  for (const WorkFamily family : {elementwise_work(), matrix_work(), movement_work(), neural_work(), optimizer_work(),
                                  reduction_work(), no_work()})
    for (const WorkRow& row : family) ops.push_back(row.op);
  std::ranges::sort(ops);
  EXPECT_EQ(std::ranges::adjacent_find(ops), ops.end()) << *std::ranges::adjacent_find(ops);
}

TEST(Work, of_what_is_not_there_is_nothing) {
  for (const WorkFamily family :
       {elementwise_work(), matrix_work(), movement_work(), neural_work(), optimizer_work(), reduction_work()})
    for (const WorkRow& row : family) EXPECT_NO_THROW((void)work(row.op, {})) << row.op;
}

RC_GTEST_PROP(WorkProperty, never_wraps_around, (std::uint16_t a, std::uint16_t b)) {
  const std::int64_t huge = std::int64_t{1} << 40;
  const Work small = work("MatMul", {of({a, 8}), of({8, b})}),
             large = work("MatMul", {of({huge, huge}), of({huge, huge})});
  RC_ASSERT(large.flops == std::numeric_limits<std::uint64_t>::max());
  RC_ASSERT(small.flops == 16ull * a * b);
}

RC_GTEST_PROP(WorkProperty, of_a_broadcast_does_not_depend_on_the_order,
              (std::uint8_t a, std::uint8_t b, bool one_side)) {
  const Shape x({one_side ? 1 : a, b}), y({a, 1});
  RC_ASSERT(broadcast_count(x, y) == broadcast_count(y, x));
}

}  // namespace
}  // namespace tarry
