// Ops that do the same to every element, with broadcasting; random numbers; and ops that add up tensors.

#include <algorithm>

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

// One to three inputs, broadcast.
Work elementwise(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t two = broadcast_count(in.shape(0), in.shape(1)), n = std::max(two, in.elements(2));
  return {product({f.each, n}), total({in.all_bytes(), product({n, f.out_size})})};
}

// The input lends its shape only.
Work filled(const WorkFacts& f, const WorkInputs& in) { return {0, product({in.elements(0), f.out_size})}; }

// The shape is input 0.
Work generated(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.integers_multiplied(0, recorded_or(f, 0));
  return {product({f.each, n}), product({n, f.out_size})};
}

Work add_n(const WorkFacts& f, const WorkInputs& in) {
  const std::uint64_t n = in.elements(0), additions = in.size() - (in.size() > 0);
  return {product({additions, n}), total({in.all_bytes(), product({n, f.out_size})})};
}

// square and add; one number comes out
Work l2_loss(const WorkFacts& f, const WorkInputs& in) {
  return {product({2, in.elements(0)}), total({in.bytes(0), f.out_size})};
}

constexpr WorkRow each(std::string_view op, std::uint64_t operations) {
  return {op, Doing::counted, elementwise, operations};
}

constexpr WorkRow kElementwiseRows[] = {
    {"AddN", Doing::counted, add_n},
    {"AccumulateNV2", Doing::counted, add_n},
    {"L2Loss", Doing::counted, l2_loss},
    {"Fill", Doing::counted, generated, 0},
    {"RandomUniform", Doing::counted, generated},
    {"RandomUniformInt", Doing::counted, generated},
    {"RandomStandardNormal", Doing::counted, generated},
    {"TruncatedNormal", Doing::counted, generated},
    {"ZerosLike", Doing::counted, filled},
    {"OnesLike", Doing::counted, filled},
    each("Abs", 1),
    each("Add", 1),
    each("AddV2", 1),
    each("Cast", 1),
    each("Ceil", 1),
    each("Cos", 1),
    each("Div", 1),
    each("DivNoNan", 1),
    each("Equal", 1),
    each("Erf", 1),
    each("Exp", 1),
    each("Expm1", 1),
    each("Floor", 1),
    each("FloorDiv", 1),
    each("FloorMod", 1),
    each("Greater", 1),
    each("GreaterEqual", 1),
    each("Less", 1),
    each("LessEqual", 1),
    each("Log", 1),
    each("Log1p", 1),
    each("LogicalAnd", 1),
    each("LogicalNot", 1),
    each("LogicalOr", 1),
    each("Maximum", 1),
    each("Minimum", 1),
    each("Mod", 1),
    each("Mul", 1),
    each("Neg", 1),
    each("NotEqual", 1),
    each("Pow", 1),
    each("RealDiv", 1),
    each("Reciprocal", 1),
    each("Inv", 1),
    each("Relu", 1),
    each("ReluGrad", 1),
    each("Round", 1),
    each("Select", 1),
    each("SelectV2", 1),
    each("Sign", 1),
    each("Sin", 1),
    each("Sqrt", 1),
    each("Square", 1),
    each("Sub", 1),
    each("Tanh", 1),
    each("TruncateDiv", 1),
    each("LeakyRelu", 2),
    each("LeakyReluGrad", 2),
    each("Relu6", 2),
    each("Relu6Grad", 2),
    each("Rsqrt", 2),
    each("SqrtGrad", 2),
    each("SquaredDifference", 2),
    each("ReciprocalGrad", 3),
    each("InvGrad", 3),
    each("SigmoidGrad", 3),
    each("Softplus", 3),
    each("SoftplusGrad", 3),
    each("TanhGrad", 3),
    each("Elu", 3),
    each("EluGrad", 3),
    each("Sigmoid", 4),
    each("RsqrtGrad", 4),
};

}  // namespace

WorkFamily elementwise_work() { return kElementwiseRows; }

}  // namespace tarry
