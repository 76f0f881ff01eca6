// Recurrent cells of floats, with gradients; halves, and blocks of many steps, have shapes only.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

// What is compared before a cell is computed: the rank of an input, and the size of a side of one.
struct Ranked {
  std::size_t input;
  std::int64_t rank;
  const char* text;  // {} stands for the rank that it has
};
enum class Extent { batch, cells, joined, two_cells, four_cells };  // joined: numbers of x and of the state
struct Side {
  std::size_t input, side;
  const char* text;
  Extent extent;
};

// Inputs of a cell: x [batch, numbers] and a state [batch, cells].
struct CellSizes {
  std::int64_t batch, inputs, cells;
  CellSizes(const Shape& x, const Shape& state) : batch(x.dims[0]), inputs(x.dims[1]), cells(state.dims[1]) {}
  [[nodiscard]] std::int64_t of(Extent e) const {
    if (e == Extent::batch) return batch;
    if (e == Extent::joined) return inputs + cells;
    return e == Extent::cells ? cells : e == Extent::two_cells ? 2 * cells : 4 * cells;
  }
};

Status check_ranks(const KernelContext& c, std::span<const Ranked> ranks) {
  for (const Ranked& r : ranks)
    if (c.shape(r.input).rank() != r.rank)
      return Status(Code::kInvalidArgument, fmt::format(fmt::runtime(r.text), c.shape(r.input).rank()));
  return {};
}
Status check_sides(const KernelContext& c, std::span<const Side> sides) {
  const CellSizes sizes(c.shape(0), c.shape(1));
  for (const Side& s : sides) {
    const Dims& own = c.shape(s.input).dims;
    if (s.side >= own.size()) return invalid("{}: rank {}", s.text, own.size());
    if (const std::int64_t wanted = sizes.of(s.extent); own[s.side] != wanted)
      return invalid("{}: {} vs. {}", s.text, own[s.side], wanted);
  }
  return {};
}

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// Rows of x and of a state side by side, multiplied by a matrix, and a vector added.
struct Joined {
  std::span<const float> x, state, matrix, added;
};
std::vector<float> product_of(const Joined& j, std::size_t batch) {
  const std::size_t width = j.added.size(), inputs = j.x.size() / batch, cells = j.state.size() / batch;
  std::vector<float> to(batch * width);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t row = i / width, column = i % width;
    to[i] = j.added[column];
    for (std::size_t k = 0; k < inputs; ++k) to[i] += j.x[row * inputs + k] * j.matrix[k * width + column];
    for (std::size_t k = 0; k < cells; ++k) to[i] += j.state[row * cells + k] * j.matrix[(inputs + k) * width + column];
  }
  return to;
}

// Rows multiplied by the transposed matrix.
std::vector<float> product_back(std::span<const float> rows, std::span<const float> matrix, std::size_t width) {
  const std::size_t height = matrix.size() / width;
  std::vector<float> to(rows.size() / width * height);
  for (std::size_t i = 0; i < to.size(); ++i)
    for (std::size_t k = 0; k < width; ++k) to[i] += rows[i / height * width + k] * matrix[i % height * width + k];
  return to;
}

// ---- LSTMBlockCell (x, cell, state, weights, three peepholes, biases): the input gate, the new cell, the forget gate,
// the output gate, what may come in, what may go out, and the new state ----

struct LstmRule {
  float forget_bias, clip;
  bool peeps;
  explicit LstmRule(const KernelSetup& s)
      : forget_bias(attr_or(s.attrs, "forget_bias", 1.0F)),
        clip(attr_or(s.attrs, "cell_clip", 3.0F)),
        peeps(attr_or(s.attrs, "use_peephole", false)) {}
};

constexpr Ranked kLstmRanks[] = {{0, 2, "x must be rank 2 but is rank {}."},
                                 {1, 2, "cs_prev_tensor must be rank 2 but is rank {}."},
                                 {2, 2, "h_prev_tensor must be rank 2 but is rank {}."},
                                 {3, 2, "w_tensor must be rank 2 but is rank {}."},
                                 {4, 1, "wci_tensor must be rank 1 but is rank {}."},
                                 {5, 1, "wcf_tensor must be rank 1 but is rank {}."},
                                 {6, 1, "wco_tensor must be rank 1 but is rank {}."}};
constexpr Side kLstmSides[] = {{1, 0, "cs_prev.dims(0) != batch_size", Extent::batch},
                               {2, 0, "h_prev.dims(0) != batch_size", Extent::batch},
                               {2, 1, "h_prev.dims(1) != cell_size", Extent::cells},
                               {3, 0, "w.dim_size(0) != input_size + cell_size", Extent::joined},
                               {3, 1, "w.dim_size(1) != cell_size * 4", Extent::four_cells},
                               {7, 0, "b.dim_size(0) != cell_size * 4", Extent::four_cells}};
constexpr Side kPeepholes[] = {{4, 0, "wci.dim_size(0) != cell_size", Extent::cells},
                               {5, 0, "wcf.dim_size(0) != cell_size", Extent::cells},
                               {6, 0, "wco.dim_size(0) != cell_size", Extent::cells}};

Status check_lstm(const LstmRule& rule, const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_ranks(c, kLstmRanks));
  if (c.shape(7).rank() < 1) return invalid("b_tensor must be rank 1 but is rank 0.");
  TARRY_RETURN_IF_ERROR(check_sides(c, kLstmSides));
  if (c.in(7).elements() != c.shape(7).dims[0])
    return invalid("b_tensor must be rank 1 but is rank {}.", c.shape(7).rank());
  return rule.peeps ? check_sides(c, kPeepholes) : Status();
}

void lstm_element(const LstmRule& rule, KernelContext& c, std::span<const float> gates, std::size_t at) {
  const auto cells = static_cast<std::size_t>(c.shape(1).dims[1]), k = at % cells, row = at / cells * 4 * cells;
  const float before = c.data<float>(1)[at];
  const auto peeped = [&](std::size_t input, float cell) { return rule.peeps ? cell * c.data<float>(input)[k] : 0; };
  const float in = sigmoid(gates[row + k] + peeped(4, before)), offered = std::tanh(gates[row + cells + k]),
              kept = sigmoid(gates[row + 2 * cells + k] + rule.forget_bias + peeped(5, before));
  float cell = in * offered + kept * before;
  if (rule.clip > 0) cell = std::clamp(cell, -rule.clip, rule.clip);
  const float out = sigmoid(gates[row + 3 * cells + k] + peeped(6, cell)), shown = std::tanh(cell);
  const float values[] = {in, cell, kept, out, offered, shown, out * shown};
  for (std::size_t i = 0; i < std::size(values); ++i) c.out<float>(i)[at] = values[i];
}

Behaviour make_lstm(const KernelSetup& s) {
  const LstmRule rule(s);
  Behaviour b{[rule](KernelContext& c) {
                if (c.shape(0).dims[0] == 0) return Status();
                const auto gates = product_of({c.data<float>(0), c.data<float>(2), c.data<float>(3), c.data<float>(7)},
                                              static_cast<std::size_t>(c.shape(0).dims[0]));
                for (std::size_t i = 0; i < c.data<float>(1).size(); ++i) lstm_element(rule, c, gates, i);
                return Status();
              },
              [rule](const KernelContext& c, std::span<Shape> out) -> Status {
                TARRY_RETURN_IF_ERROR(check_lstm(rule, c));
                return std::ranges::fill(out, c.shape(1)), Status();
              }};
  if (attr_or(s.attrs, "T", DataType::kFloat) != DataType::kFloat) b.value = {};
  return b;
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

// LSTMBlockCellGrad (the cell's inputs, its outputs but for the state, the gradients of the new cell and of the state):
// gradients of the old cell, of the four gates, and of the peepholes.
constexpr Side kLstmGradSides[] = {{8, 0, "i.dim_size(0) != batch_size", Extent::batch},
                                   {8, 1, "i.dim_size(1) != cell_size", Extent::cells},
                                   {9, 0, "cs.dim_size(0) != batch_size", Extent::batch},
                                   {9, 1, "cs.dim_size(1) != cell_size", Extent::cells},
                                   {10, 0, "f.dim_size(0) != batch_size", Extent::batch},
                                   {10, 1, "f.dim_size(1) != cell_size", Extent::cells},
                                   {11, 0, "o.dim_size(0) != batch_size", Extent::batch},
                                   {11, 1, "o.dim_size(1) != cell_size", Extent::cells},
                                   {12, 0, "ci.dim_size(0) != batch_size", Extent::batch},
                                   {12, 1, "ci.dim_size(1) != cell_size", Extent::cells},
                                   {13, 0, "co.dim_size(0) != batch_size", Extent::batch},
                                   {13, 1, "co.dim_size(1) != cell_size", Extent::cells},
                                   {14, 0, "cs_grad_tensor.dims(0) != batch_size", Extent::batch},
                                   {14, 1, "cs_grad_tensor.dims(1) != cell_size", Extent::cells},
                                   {15, 0, "h_grad_tensor.dims(0) != batch_size", Extent::batch},
                                   {15, 1, "h_grad_tensor.dims(1) != cell_size", Extent::cells}};

Status check_lstm_grad(const LstmRule& rule, const KernelContext& c) {
  TARRY_RETURN_IF_ERROR(check_lstm(rule, c));
  TARRY_RETURN_IF_ERROR(check_sides(c, kLstmGradSides));
  for (std::size_t i = 8; i < 16; ++i)
    if (c.shape(i).rank() != 2) return invalid("input {} must be rank 2 but is rank {}.", i, c.shape(i).rank());
  return {};
}

void lstm_grad_element(const LstmRule& rule, KernelContext& c, std::size_t at) {
  const auto cells = static_cast<std::size_t>(c.shape(1).dims[1]), k = at % cells, row = at / cells * 4 * cells;
  const auto in = [&](std::size_t input) { return c.data<float>(input)[at]; };
  const auto peep = [&](std::size_t input) { return rule.peeps ? c.data<float>(input)[k] : 0; };
  const float before = in(1), gate = in(8), kept = in(10), out = in(11), offered = in(12), shown = in(13);
  const float d_out = out * (1 - out) * in(15) * shown;
  const float d_cell = (1 - shown * shown) * in(15) * out + in(14) + d_out * peep(6);
  const float d_offered = (1 - offered * offered) * d_cell * gate, d_kept = kept * (1 - kept) * d_cell * before,
              d_gate = gate * (1 - gate) * d_cell * offered;
  c.out<float>(0)[at] = d_cell * kept + d_gate * peep(4) + d_kept * peep(5);
  const float gates[] = {d_gate, d_offered, d_kept, d_out};
  for (std::size_t i = 0; i < 4; ++i) c.out<float>(1)[row + i * cells + k] = gates[i];
  if (!rule.peeps) return;
  c.out<float>(2)[k] += d_gate * before;
  c.out<float>(3)[k] += d_kept * before;
  c.out<float>(4)[k] += d_out * in(9);
}

Behaviour make_lstm_grad(const KernelSetup& s) {
  const LstmRule rule(s);
  Behaviour b{[rule](KernelContext& c) {
                for (std::size_t i = 0; i < c.data<float>(1).size(); ++i) lstm_grad_element(rule, c, i);
                return Status();
              },
              [rule](const KernelContext& c, std::span<Shape> out) -> Status {
                TARRY_RETURN_IF_ERROR(check_lstm_grad(rule, c));
                const Shape& cell = c.shape(1);
                out[0] = cell;
                out[1] = Shape({cell.dims[0], 4 * cell.dims[1]});
                for (std::size_t i = 2; i < 5; ++i) out[i] = c.shape(i + 2);
                return {};
              }};
  if (attr_or(s.attrs, "T", DataType::kFloat) != DataType::kFloat) b.value = {};
  return b;
}

// ---- GRUBlockCell (x, state, weights of both gates and of the candidate, their biases): the gates that reset and
// update, the candidate, and the new state ----

constexpr Ranked kGruRanks[] = {{0, 2, "Rank of x must be 2, got {}"},     {1, 2, "Rank of h_prev must be 2, got {}"},
                                {2, 2, "Rank of w_ru_ must be 2, got {}"}, {3, 2, "Rank of w_c must be 2, got {}"},
                                {4, 1, "Rank of b_ru must be 1, got {}"},  {5, 1, "Rank of b_c must be 1, got {}"},
                                {6, 2, "Rank of r must be 2, got {}"},     {7, 2, "Rank of u must be 2, got {}"},
                                {8, 2, "Rank of c must be 2, got {}"},     {9, 2, "Rank of d_h must be 2, got {}"}};
constexpr Side kGruSides[] = {{1, 0, "h_prev.dims(0) != batch_size", Extent::batch},
                              {2, 0, "w_ru.dim_size(0) != input_size + cell_size", Extent::joined},
                              {2, 1, "w_ru.dim_size(1) != cell_size * 2", Extent::two_cells},
                              {3, 0, "w_c.dim_size(0) != input_size + cell_size", Extent::joined},
                              {3, 1, "w_c.dim_size(1) != cell_size", Extent::cells},
                              {4, 0, "b_ru.dim_size(0) != cell_size * 2", Extent::two_cells},
                              {5, 0, "b_c.dim_size(0) != cell_size", Extent::cells},
                              {6, 0, "r.dims(0) != batch_size", Extent::batch},
                              {6, 1, "r.dims(1) != cell_size", Extent::cells},
                              {7, 0, "u.dims(0) != batch_size", Extent::batch},
                              {7, 1, "u.dims(1) != cell_size", Extent::cells},
                              {8, 0, "c.dims(0) != batch_size", Extent::batch},
                              {8, 1, "c.dims(1) != cell_size", Extent::cells},
                              {9, 0, "d_h.dims(0) != batch_size", Extent::batch},
                              {9, 1, "d_h.dims(1) != cell_size", Extent::cells}};
constexpr std::size_t kSidesOfCell = 7;  // the others are the gradient's

Status gru_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_ranks(c, std::span(kGruRanks).first(6)));
  TARRY_RETURN_IF_ERROR(check_sides(c, std::span(kGruSides).first(kSidesOfCell)));
  return std::ranges::fill(out, c.shape(1)), Status();
}

Status gru(KernelContext& c) {
  const auto batch = static_cast<std::size_t>(c.shape(0).dims[0]), cells = static_cast<std::size_t>(c.shape(1).dims[1]);
  if (batch == 0 || cells == 0) return {};
  const auto x = c.data<float>(0), state = c.data<float>(1);
  const auto gates = product_of({x, state, c.data<float>(2), c.data<float>(4)}, batch);
  std::vector<float> reset(state.size());
  for (std::size_t i = 0; i < state.size(); ++i) {
    c.out<float>(0)[i] = sigmoid(gates[i / cells * 2 * cells + i % cells]);
    c.out<float>(1)[i] = sigmoid(gates[i / cells * 2 * cells + cells + i % cells]);
    reset[i] = state[i] * c.out<float>(0)[i];
  }
  const auto candidate = product_of({x, reset, c.data<float>(3), c.data<float>(5)}, batch);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const float update = c.out<float>(1)[i], made = c.out<float>(2)[i] = std::tanh(candidate[i]);
    c.out<float>(3)[i] = update * state[i] + (1 - update) * made;
  }
  return {};
}

// GRUBlockCellGrad (the cell's inputs, its outputs but for the state, the state's gradient): gradients of x, of the
// old state, of the candidate, and of both gates.
Status gru_grad_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_ranks(c, kGruRanks));
  TARRY_RETURN_IF_ERROR(check_sides(c, kGruSides));
  out[0] = c.shape(0);
  out[1] = out[2] = c.shape(1);
  out[3] = Shape({c.shape(1).dims[0], 2 * c.shape(1).dims[1]});
  return {};
}

// The gradients of the candidate and of both gates; gives that of [x, reset state].
std::vector<float> gates_back(KernelContext& c, std::size_t cells) {
  const auto state = c.data<float>(1), reset = c.data<float>(6), update = c.data<float>(7), made = c.data<float>(8),
             gradient = c.data<float>(9);
  for (std::size_t i = 0; i < state.size(); ++i)
    c.out<float>(2)[i] = gradient[i] * (1 - update[i]) * (1 - made[i] * made[i]);
  auto joined = product_back(c.out<float>(2), c.data<float>(3), cells);
  const auto inputs = static_cast<std::size_t>(c.shape(0).dims[1]);
  for (std::size_t i = 0; i < state.size(); ++i) {
    const float of_reset = joined[i / cells * (inputs + cells) + inputs + i % cells];
    const auto to = c.out<float>(3).subspan(i / cells * 2 * cells + i % cells);
    to[0] = of_reset * state[i] * reset[i] * (1 - reset[i]);
    to[cells] = gradient[i] * (state[i] - made[i]) * update[i] * (1 - update[i]);
  }
  return joined;
}

Status gru_grad(KernelContext& c) {
  const auto inputs = static_cast<std::size_t>(c.shape(0).dims[1]),
             cells = static_cast<std::size_t>(c.shape(1).dims[1]);
  if (cells == 0) return {};
  const auto by_candidate = gates_back(c, cells);
  const auto by_gates = product_back(c.out<float>(3), c.data<float>(2), 2 * cells);
  const std::size_t width = inputs + cells;
  for (std::size_t i = 0; i < by_gates.size(); ++i) {
    const std::size_t row = i / width, at = i % width;
    if (at < inputs) {
      c.out<float>(0)[row * inputs + at] = by_candidate[i] + by_gates[i];
      continue;
    }
    const std::size_t cell = row * cells + at - inputs;
    c.out<float>(1)[cell] =
        by_gates[i] + by_candidate[i] * c.data<float>(6)[cell] + c.data<float>(9)[cell] * c.data<float>(7)[cell];
  }
  return {};
}

constexpr KernelRow kRecurrentRows[] = {
    {"LSTMBlockCell", make_lstm},
    {"LSTMBlockCellGrad", make_lstm_grad},
    {"BlockLSTM", behaves<nullptr, block_shape>},
    {"BlockLSTMV2", behaves<nullptr, block_shape>},
    {"BlockLSTMGrad", behaves<nullptr, like_inputs_shape<1>>},
    {"BlockLSTMGradV2", behaves<nullptr, like_inputs_shape<1>>},
    {"GRUBlockCell", behaves<gru, gru_shape>},
    {"GRUBlockCellGrad", behaves<gru_grad, gru_grad_shape>},
};

}  // namespace

KernelFamily recurrent_ops() { return kRecurrentRows; }

}  // namespace tarry
