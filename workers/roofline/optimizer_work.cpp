// Updates of variables by gradients. A row says where the gradient is, how many operations each of its elements takes,
// and how often an element's bytes move: the gradient read, the variable and each slot read and written.

#include "workers/roofline/inputs.hpp"

namespace tarry {
namespace {

// `at`: the gradient's input, and 16 times how many variables and slots are updated.
constexpr std::size_t at(std::size_t gradient, std::size_t updated) { return gradient + 16 * updated; }

Work update(const WorkFacts& f, const WorkInputs& in) {
  const std::size_t gradient = f.at % 16, updated = f.at / 16;
  return {product({f.each, in.elements(gradient)}), product({1 + 2 * updated, in.bytes(gradient)})};
}

// The same for the rows that indices (the next input) name.
Work sparse_update(const WorkFacts& f, const WorkInputs& in) {
  const Work rows = update(f, in);
  return {rows.flops, total({rows.bytes, in.bytes(f.at % 16 + 1)})};
}

// Plain: accumulate (2), step (2). Nesterov looks ahead: accumulate (2), and the step has both terms (5).
Work momentum(const WorkFacts& f, const WorkInputs& in) {
  const Work plain = update(f, in);
  return {f.nesterov ? product({7, in.elements(f.at % 16)}) : plain.flops, plain.bytes};
}

// A variable plus or minus a value.
Work add_to(const WorkFacts&, const WorkInputs& in) { return {in.elements(1), product({3, in.bytes(1)})}; }
// A gradient into an accumulator's sum: (handle, local step, gradient).
Work accumulate(const WorkFacts&, const WorkInputs& in) { return {in.elements(2), product({3, in.bytes(2)})}; }

constexpr WorkRow dense(std::string_view op, std::uint64_t each, std::size_t where) {
  return {op, Doing::counted, update, each, where};
}
constexpr WorkRow sparse(std::string_view op, std::uint64_t each, std::size_t where) {
  return {op, Doing::counted, sparse_update, each, where};
}

// Operations: gradient descent: rate x gradient, subtract. Adagrad: square, add; rate x gradient, root, divide,
// subtract. Adam: both moments 3 and 4, the step 5. RMSProp: mean square 4, momentum 6, subtract. Ftrl: square sum 2,
// sigma 4, linear 3, quadratic 3, and the variable 4.
constexpr WorkRow kOptimizerRows[] = {
    dense("ApplyGradientDescent", 2, at(2, 1)),
    dense("ResourceApplyGradientDescent", 2, at(2, 1)),
    dense("ApplyAdagrad", 6, at(3, 2)),
    dense("ResourceApplyAdagrad", 6, at(3, 2)),
    dense("ApplyAdagradV2", 6, at(4, 2)),
    dense("ResourceApplyAdagradV2", 6, at(4, 2)),
    dense("ApplyAdam", 12, at(9, 3)),
    dense("ResourceApplyAdam", 12, at(9, 3)),
    dense("ApplyRMSProp", 11, at(7, 3)),
    dense("ResourceApplyRMSProp", 11, at(7, 3)),
    dense("ApplyFtrl", 16, at(3, 3)),
    dense("ResourceApplyFtrl", 16, at(3, 3)),
    sparse("SparseApplyAdagrad", 6, at(3, 2)),
    sparse("ResourceSparseApplyAdagrad", 6, at(3, 2)),
    sparse("SparseApplyMomentum", 4, at(3, 2)),
    sparse("ResourceSparseApplyMomentum", 4, at(3, 2)),
    sparse("SparseApplyFtrl", 16, at(3, 3)),
    sparse("ResourceSparseApplyFtrl", 16, at(3, 3)),
    {"ApplyMomentum", Doing::counted, momentum, 4, at(3, 2)},
    {"ResourceApplyMomentum", Doing::counted, momentum, 4, at(3, 2)},
    {"AssignAdd", Doing::counted, add_to},
    {"AssignSub", Doing::counted, add_to},
    {"AssignAddVariableOp", Doing::counted, add_to},
    {"AssignSubVariableOp", Doing::counted, add_to},
    {"AccumulatorApplyGradient", Doing::counted, accumulate},
    {"ResourceAccumulatorApplyGradient", Doing::counted, accumulate},
};

}  // namespace

WorkFamily optimizer_work() { return kOptimizerRows; }

}  // namespace tarry
