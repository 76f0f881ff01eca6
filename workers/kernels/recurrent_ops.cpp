// Blocks of recurrent cells. They have shapes only.

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

// All outputs are like the state, input `state`.
template <std::size_t state>
Status states_shape(const KernelContext& c, std::span<Shape> out) {
  std::ranges::fill(out, c.shape(state));
  return {};
}

// BlockLSTM (steps, x [time, batch, inputs], cell [batch, cells], ...): all outputs are the cells of all steps.
Status block_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &x = c.shape(1), &cell = c.shape(2);
  if (x.rank() != 3) return invalid("x must be 3D");
  if (cell.rank() != 2) return invalid("cs_prev must be 2D");
  std::ranges::fill(out, Shape({x.dims[0], x.dims[1], cell.dims[1]}));
  return {};
}

// The outputs are like inputs, from `first` on.
template <std::size_t first>
Status like_inputs_shape(const KernelContext& c, std::span<Shape> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = c.shape(first + i);
  return {};
}

// LSTMBlockCellGrad (x, cell, state, weights, three peepholes, ...): gradients of the cell, of the four gates, and of
// the peepholes.
Status cell_grad_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& cell = c.shape(1);
  if (cell.rank() != 2) return invalid("cs_prev_tensor must be rank 2 but is rank {}.", cell.rank());
  out[0] = cell;
  out[1] = Shape({cell.dims[0], 4 * cell.dims[1]});
  for (std::size_t i = 2; i < 5; ++i) out[i] = c.shape(i + 2);
  return {};
}

// GRUBlockCellGrad (x, state, ...): gradients of x, of the state, of the new state, and of both gates.
Status gated_grad_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape& state = c.shape(1);
  if (state.rank() != 2) return invalid("Rank of h_prev must be 2, got {}", state.rank());
  out[0] = c.shape(0);
  out[1] = out[2] = state;
  out[3] = Shape({state.dims[0], 2 * state.dims[1]});
  return {};
}

constexpr KernelRow kRecurrentRows[] = {
    {"LSTMBlockCell", behaves<nullptr, states_shape<1>>},
    {"LSTMBlockCellGrad", behaves<nullptr, cell_grad_shape>},
    {"BlockLSTM", behaves<nullptr, block_shape>},
    {"BlockLSTMV2", behaves<nullptr, block_shape>},
    {"BlockLSTMGrad", behaves<nullptr, like_inputs_shape<1>>},
    {"BlockLSTMGradV2", behaves<nullptr, like_inputs_shape<1>>},
    {"GRUBlockCell", behaves<nullptr, states_shape<1>>},
    {"GRUBlockCellGrad", behaves<nullptr, gated_grad_shape>},
};

}  // namespace

KernelFamily recurrent_ops() { return kRecurrentRows; }

}  // namespace tarry
