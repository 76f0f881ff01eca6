// Matrix products and convolutions: a multiply-add for every pair that meets.

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

// [m, k] x [k, n]; the last two dimensions of each.
Work product_of(const WorkFacts& f, const WorkInputs& in, std::uint64_t batch) {
  const std::uint64_t m = in.dim(0, f.transpose_a ? -1 : -2), k = in.dim(0, f.transpose_a ? -2 : -1),
                      n = in.dim(1, f.transpose_b ? -2 : -1);
  return {product({2, batch, m, k, n}), total({in.bytes_of(0, 2), product({batch, m, n, f.out_size})})};
}

Work matmul(const WorkFacts& f, const WorkInputs& in) { return product_of(f, in, 1); }
Work batch_matmul(const WorkFacts& f, const WorkInputs& in) {
  return product_of(f, in, broadcast_count(in.shape(0), in.shape(1), 2));
}

int height_at(const WorkFacts& f) { return f.channels_first ? 2 : 1; }

// How many positions a filter takes along a dimension (TensorFlow's rules for SAME, VALID and EXPLICIT).
std::uint64_t positions(const WorkFacts& f, std::uint64_t in, std::uint64_t filter, std::size_t i) {
  const std::uint64_t stride = as_count(f.stride[i]), padded = in + as_count(f.padding[i]),
                      reach = (filter - (filter > 0)) * as_count(f.dilation[i]) + 1;
  // NOLINTBEGIN(clang-analyzer-core.DivideZero): a stride is at least 1 (WorkFacts)
  if (f.same_padding) return (in + stride - 1) / stride;
  return padded < reach ? 0 : (padded - reach) / stride + 1;
  // NOLINTEND(clang-analyzer-core.DivideZero)
}

// The filter is [height, width, in, out]; of input 1.
std::uint64_t output_pixels(const WorkFacts& f, const WorkInputs& in) {
  const int h = height_at(f);
  return product(
      {in.dim(0, 0), positions(f, in.dim(0, h), in.dim(1, 0), 0), positions(f, in.dim(0, h + 1), in.dim(1, 1), 1)});
}

// Every output element takes height x width x (channels of the filter's own input: fewer than the input's when it is
// grouped) multiply-adds.
Work conv2d(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t pixels = output_pixels(f, in);
  return {product({2, pixels, in.elements(1)}),
          total({in.bytes_of(0, 2), product({pixels, in.dim(1, 3), f.out_size})})};
}

// The filter is [height, width, in, multiplier]: each of its numbers meets each position once.
Work depthwise(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t pixels = output_pixels(f, in);
  return {product({2, pixels, in.elements(1)}),
          total({in.bytes_of(0, 2), product({pixels, in.dim(1, 2), in.dim(1, 3), f.out_size})})};
}

// Pixels of a gradient that came back: batch, height, width.
std::uint64_t gradient_pixels(const WorkFacts& f, const WorkInputs& in) {
  const int h = height_at(f);
  return product({in.dim(2, 0), in.dim(2, h), in.dim(2, h + 1)});
}

// (input sizes, filter, gradient): the same multiply-adds as forward.
Work backprop_input(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t out = in.integers_multiplied(0, recorded_or(f, 0));
  return {product({2, gradient_pixels(f, in), in.elements(1)}), total({in.bytes_of(1, 3), product({out, f.out_size})})};
}

// (input, filter sizes, gradient)
Work backprop_filter(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t filter = in.integers_multiplied(1, recorded_or(f, 0));
  return {product({2, gradient_pixels(f, in), filter}),
          total({in.bytes(0), in.bytes(2), product({filter, f.out_size})})};
}

constexpr WorkRow kMatrixRows[] = {
    {"MatMul", Doing::counted, matmul},
    {"BatchMatMul", Doing::counted, batch_matmul},
    {"BatchMatMulV2", Doing::counted, batch_matmul},
    {"BatchMatMulV3", Doing::counted, batch_matmul},
    {"Conv2D", Doing::counted, conv2d},
    {"Conv2DBackpropInput", Doing::counted, backprop_input},
    {"Conv2DBackpropFilter", Doing::counted, backprop_filter},
    {"DepthwiseConv2dNative", Doing::counted, depthwise},
    {"DepthwiseConv2dNativeBackpropInput", Doing::counted, backprop_input},
    {"DepthwiseConv2dNativeBackpropFilter", Doing::counted, backprop_filter},
};

}  // namespace

WorkFamily matrix_work() { return kMatrixRows; }

}  // namespace tarry
