// Layers that are not products: biases, softmax and its loss, batch normalisation, pooling.

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

Work bias_add(const WorkFacts& f, const WorkInputs& in) {
  return {in.elements(0), total({in.all_bytes(), product({in.elements(0), f.out_size})})};
}

Work bias_add_grad(const WorkFacts& f, const WorkInputs& in) {
  return {in.elements(0), total({in.bytes(0), product({in.dim(0, f.channels_first ? 1 : -1), f.out_size})})};
}

// largest, subtract, exp, sum, divide (of LogSoftmax: subtract the logarithm)
Work softmax(const WorkFacts& f, const WorkInputs& in) {
  return {product({5, in.elements(0)}), total({in.bytes(0), product({in.elements(0), f.out_size})})};
}

// The softmax; label x log and its sum; minus the label. Gives a loss a row, and the gradient.
Work cross_entropy(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.elements(0), rows = in.dim(0, 0);
  return {product({8, n}), total({in.all_bytes(), product({total({n, rows}), f.out_size})})};
}

// One label a row: its logarithm, negated, and the gradient minus one.
Work sparse_cross_entropy(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.elements(0), rows = in.dim(0, 0);
  return {total({product({5, n}), product({3, rows})}),
          total({in.all_bytes(), product({total({n, rows}), f.out_size})})};
}

// Training: mean 1, variance 3 (subtract, square, add), normalised 3 (subtract, times scale / deviation, plus offset).
// Inference: those last 3. Outputs: y and, for each channel, as many vectors as are left (of 4 bytes).
Work batch_norm(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.elements(0), vectors = product({f.outputs - (f.outputs > 0), in.elements(1), 4});
  return {product({f.is_training ? 7u : 3u, n}), total({in.all_bytes(), product({n, f.out_size}), vectors})};
}

// (gradient, x, scale, ...): sum of the gradient 1, normalised x 2, its product with the gradient and the sum 2, and dx
// 4 (two products, two subtractions). Outputs: dx and the gradients of scale and offset.
Work batch_norm_grad(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.elements(1);
  return {product({9, n}), total({in.all_bytes(), product({n, f.out_size}), product({2, in.elements(2), 4})})};
}

std::uint64_t pooled(const WorkFacts& f, std::uint64_t in, std::size_t i) {
  const std::uint64_t stride = as_count(f.stride[i]), window = as_count(f.window[i]);
  // NOLINTBEGIN(clang-analyzer-core.DivideZero): a stride is at least 1 (WorkFacts)
  if (f.same_padding) return (in + stride - 1) / stride;
  return in < window ? 0 : (in - window) / stride + 1;
  // NOLINTEND(clang-analyzer-core.DivideZero)
}

std::uint64_t window_of(const WorkFacts& f) { return product({as_count(f.window[0]), as_count(f.window[1])}); }

// Every output looks at its window.
Work pool(const WorkFacts& f, const WorkInputs& in) {
  const int h = f.channels_first ? 2 : 1, c = f.channels_first ? 1 : 3;
  const std::uint64_t out =
      product({in.dim(0, 0), pooled(f, in.dim(0, h), 0), pooled(f, in.dim(0, h + 1), 1), in.dim(0, c)});
  return {product({out, window_of(f)}), total({in.bytes(0), product({out, f.out_size})})};
}

// (input, output, gradient): every gradient finds its window's largest.
Work max_pool_grad(const WorkFacts& f, const WorkInputs& in) {
  return {product({in.elements(2), window_of(f)}), total({in.all_bytes(), product({in.elements(0), f.out_size})})};
}

// (input sizes, gradient): every gradient is added to its whole window.
Work avg_pool_grad(const WorkFacts& f, const WorkInputs& in) {
  return {product({in.elements(1), window_of(f)}),
          total({in.bytes(1), product({in.integers_multiplied(0, recorded_or(f, 0)), f.out_size})})};
}

constexpr WorkRow kNeuralRows[] = {
    {"BiasAdd", Doing::counted, bias_add},
    {"BiasAddV1", Doing::counted, bias_add},
    {"BiasAddGrad", Doing::counted, bias_add_grad},
    {"Softmax", Doing::counted, softmax},
    {"LogSoftmax", Doing::counted, softmax},
    {"SoftmaxCrossEntropyWithLogits", Doing::counted, cross_entropy},
    {"SparseSoftmaxCrossEntropyWithLogits", Doing::counted, sparse_cross_entropy},
    {"FusedBatchNorm", Doing::counted, batch_norm},
    {"FusedBatchNormV2", Doing::counted, batch_norm},
    {"FusedBatchNormV3", Doing::counted, batch_norm},
    {"FusedBatchNormGrad", Doing::counted, batch_norm_grad},
    {"FusedBatchNormGradV2", Doing::counted, batch_norm_grad},
    {"FusedBatchNormGradV3", Doing::counted, batch_norm_grad},
    {"MaxPool", Doing::counted, pool},
    {"AvgPool", Doing::counted, pool},
    {"MaxPoolGrad", Doing::counted, max_pool_grad},
    {"AvgPoolGrad", Doing::counted, avg_pool_grad},
};

}  // namespace

WorkFamily neural_work() { return kNeuralRows; }

}  // namespace tarry
