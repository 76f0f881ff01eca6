// Elements that change their place by a rule: mirrored at the edges, reversed up to a length, rolled around.

#include "workers/kernels/elements.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// MirrorPad (input, paddings). `edge` is 1 where the edge itself is not repeated (REFLECT), and 0 where it is.
Status check_mirrored(const KernelContext& c, std::size_t d, std::int64_t edge) {
  const auto paddings = integers_of(c.in(1));
  const std::int64_t before = paddings[2 * d], after = paddings[2 * d + 1], size = c.shape(0).dims[d];
  if (before < 0 || after < 0) return invalid("paddings must be non-negative: {} {}", before, after);
  if (std::max(before, after) <= size - edge) return {};
  return edge == 0
             ? invalid("paddings must be no greater than the dimension size: {}, {} greater than {}", before, after,
                       size)
             : invalid("paddings must be less than the dimension size: {}, {} not less than {}", before, after, size);
}

Status mirror_shape(const KernelContext& c, std::span<Shape> out, std::int64_t edge) {
  const Shape &input = c.shape(0), &paddings = c.shape(1);
  if (input.rank() > 5) return error(Code::kUnimplemented, "inputs rank not in [0,5]: {}", input.rank());
  if (paddings.rank() != 2 || paddings.dims[1] != 2)
    return invalid("paddings must be a matrix with 2 columns: {}", to_string(paddings));
  if (input.rank() != paddings.dims[0])
    return invalid("The first dimension of paddings must be the rank of inputs{}, {}", to_string(paddings),
                   to_string(input));
  if (!known(c, 1)) return shape_not_known();
  out[0] = input;
  const auto sizes = integers_of(c.in(1));
  for (std::size_t d = 0; d < input.dims.size(); ++d) {
    TARRY_RETURN_IF_ERROR(check_mirrored(c, d, edge));
    out[0].dims[d] += sizes[2 * d] + sizes[2 * d + 1];
  }
  return {};
}

std::int64_t mirrored(std::int64_t at, std::int64_t size, std::int64_t edge) {
  if (at < 0) at = -at - 1 + edge;
  return at >= size ? 2 * size - at - 1 - edge : at;
}

Behaviour make_mirror_pad(const KernelSetup& s) {
  const std::int64_t edge = attr_or(s.attrs, "mode", std::string()) == "REFLECT" ? 1 : 0;
  return {[edge](KernelContext& c) {
            const auto paddings = integers_of(c.in(1));
            rearrange(c, c.in(0), [&](Dims& at) {
              for (std::size_t d = 0; d < at.size(); ++d) {
                const std::int64_t size = c.shape(0).dims[d];
                at[d] = mirrored(at[d] - paddings[2 * d], size, edge);
              }
              return true;
            });
            return Status();
          },
          [edge](const KernelContext& c, std::span<Shape> out) { return mirror_shape(c, out, edge); }};
}

// MirrorPadGrad (gradient of what was padded, paddings): the elements of the border go where they came from.
Status mirror_grad_shape(const KernelContext& c, std::span<Shape> out, std::int64_t edge) {
  const Shape &input = c.shape(0), &paddings = c.shape(1);
  if (paddings.rank() != 2 || paddings.dims[1] != 2)
    return invalid("paddings must be a matrix with 2 columns: {}", to_string(paddings));
  if (input.rank() != paddings.dims[0])
    return invalid("The first dimension of paddings must be the rank of inputs{} {}", to_string(paddings),
                   to_string(input));
  if (!known(c, 1)) return shape_not_known();
  out[0] = input;
  const auto sizes = integers_of(c.in(1));
  for (std::size_t d = 0; d < input.dims.size(); ++d) {
    const std::int64_t before = sizes[2 * d], after = sizes[2 * d + 1], size = input.dims[d] - before - after;
    if (before < 0 || after < 0) return invalid("Paddings must be non-negative: {}, {}", before, after);
    if (size <= 0)
      return invalid("Total paddings must be less than the input dimension size: {} was not less than {}",
                     before + after, input.dims[d]);
    if (std::max(before, after) > size - edge)
      return edge == 0 ? invalid("paddings must be no greater than the output dimension size: {}, {} greater than {}",
                                 before, after, size)
                       : invalid("paddings must be less than the output dimension size: {}, {} not less than {}",
                                 before, after, size);
    out[0].dims[d] = size;
  }
  return {};
}

// One dimension after the other: first the border before the tensor, then the one behind it.
template <class T>
Status mirror_grad(KernelContext& c, std::int64_t edge) {
  const auto paddings = integers_of(c.in(1));
  const Shape &from = c.shape(0), &to = out(c).shape();
  std::vector<T> sums(c.data<T>(0).begin(), c.data<T>(0).end());
  for (std::size_t d = 0; d < to.dims.size(); ++d)
    for (const bool is_behind : {false, true})
      for (std::int64_t i = 0; i < from.elements(); ++i) {
        Dims at = coordinates(from, i);
        const std::int64_t place = at[d] - paddings[2 * d];
        if (is_behind ? place < to.dims[d] : place >= 0) continue;
        at[d] = mirrored(place, to.dims[d], edge) + paddings[2 * d];
        T& sum = sums[static_cast<std::size_t>(flat_index(from, at))];
        sum = static_cast<T>(sum + sums[static_cast<std::size_t>(i)]);
      }
  for (std::size_t i = 0; i < c.out<T>(0).size(); ++i) {
    Dims at = coordinates(to, static_cast<std::int64_t>(i));
    for (std::size_t d = 0; d < at.size(); ++d) at[d] += paddings[2 * d];
    c.out<T>(0)[i] = sums[static_cast<std::size_t>(flat_index(from, at))];
  }
  return {};
}

Behaviour make_mirror_pad_grad(const KernelSetup& s) {
  const std::int64_t edge = attr_or(s.attrs, "mode", std::string()) == "REFLECT" ? 1 : 0;
  Behaviour b{[edge](KernelContext& c) {
                return for_summed(c.in(0).dtype(), [&]<class T>() { return mirror_grad<T>(c, edge); });
              },
              [edge](const KernelContext& c, std::span<Shape> out) { return mirror_grad_shape(c, out, edge); }};
  b.own_types = rounds_each(s);
  return b;
}

// ReverseSequence (input, how long each sequence of the batch is).
struct Sequences {
  std::int64_t along = 0, batch = 0;  // dimensions
};

Status check_sequences(const KernelContext& c, const Sequences& s) {
  const Shape& input = c.shape(0);
  if (c.shape(1).rank() != 1) return invalid("seq_lengths must be 1-dim, not {}", c.shape(1).rank());
  if (s.along < 0) return invalid("Invalid seq_dim {}", s.along);
  if (s.batch < 0) return invalid("Invalid batch_dim {}", s.batch);
  if (s.batch == s.along) return invalid("batch_dim == seq_dim == {}", s.along);
  if (s.along >= input.rank()) return invalid("seq_dim must be < input rank ( {} vs. {})", s.along, input.rank());
  if (s.batch >= input.rank()) return invalid("batch_dim must be < input rank ( {} vs. {})", s.batch, input.rank());
  const std::int64_t sequences = input.dims[static_cast<std::size_t>(s.batch)];
  if (c.in(1).elements() != sequences)
    return invalid("Length of seq_lengths != input.dims({}), ({} vs. {})", s.batch, c.in(1).elements(), sequences);
  if (!known(c, 1)) return {};
  const auto lengths = integers_of(c.in(1));
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] < 0) return invalid("seq_lens({}) < 0", i);
    if (lengths[i] > input.dims[static_cast<std::size_t>(s.along)])
      return invalid("seq_lens({}) > input.dims({})", i, s.along);
  }
  return {};
}

Behaviour make_reverse_sequence(const KernelSetup& s) {
  const Sequences sequences{attr_or(s.attrs, "seq_dim", std::int64_t{0}),
                            attr_or(s.attrs, "batch_dim", std::int64_t{0})};
  return {[sequences](KernelContext& c) {
            const auto lengths = integers_of(c.in(1));
            rearrange(c, c.in(0), [&](Dims& at) {
              const auto length = lengths[static_cast<std::size_t>(at[static_cast<std::size_t>(sequences.batch)])];
              std::int64_t& place = at[static_cast<std::size_t>(sequences.along)];
              if (place < length) place = length - 1 - place;
              return true;
            });
            return Status();
          },
          [sequences](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_sequences(c, sequences));
            return same_shape(c, out);
          }};
}

// Roll (input, shifts, their axes). Of a shift, of an axis and of a sum of shifts, the low 32 bits count.
std::int32_t low_bits(std::int64_t x) { return static_cast<std::int32_t>(x); }

Status roll_shape(const KernelContext& c, std::span<Shape> out) {
  if (c.shape(0).rank() < 1) return invalid("input must be 1-D or higher");
  if (c.shape(1).rank() > 1) return invalid("shift must be a scalar or a 1-D vector. Found: {}", to_string(c.shape(1)));
  if (c.shape(2).rank() > 1) return invalid("axis must be a scalar or a 1-D vector. Found: {}", to_string(c.shape(2)));
  if (c.shape(1) != c.shape(2)) return invalid("shift and axis must have the same size");
  if (known(c, 2))
    for (const std::int64_t axis : integers_of(c.in(2)))
      if (low_bits(axis) < -c.shape(0).rank() || low_bits(axis) >= c.shape(0).rank())
        return invalid("axis {} is out of range",
                       low_bits(axis) < 0 ? low_bits(axis) + c.shape(0).rank() : low_bits(axis));
  return same_shape(c, out);
}

Status roll(KernelContext& c) {
  const auto shifts = integers_of(c.in(1)), axes = integers_of(c.in(2));
  Dims moved(c.shape(0).dims.size(), 0);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const std::int64_t axis = low_bits(axes[i]);
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + c.shape(0).rank() : axis);
    const std::int64_t size = std::max<std::int64_t>(c.shape(0).dims[d], 1);
    moved[d] = (low_bits(moved[d] + shifts[i]) % size + size) % size;
  }
  rearrange(c, c.in(0), [&](Dims& at) {
    for (std::size_t d = 0; d < at.size(); ++d)
      if ((at[d] -= moved[d]) < 0) at[d] += c.shape(0).dims[d];
    return true;
  });
  return {};
}

constexpr KernelRow kMirrorRows[] = {
    {"MirrorPad", make_mirror_pad},
    {"MirrorPadGrad", make_mirror_pad_grad},
    {"ReverseSequence", make_reverse_sequence},
    {"Roll", behaves<roll, roll_shape>},
};

}  // namespace

KernelFamily mirror_ops() { return kMirrorRows; }

}  // namespace tarry
