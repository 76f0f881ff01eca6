// Numbers rounded to the steps that a whole number of some bits would have, and given back as they were: for the whole
// tensor, or for each position of one dimension.

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

struct Rounding {
  bool is_signed = true, has_range = true, is_narrow = false, half_up = false;
  std::int64_t bits = 8, axis = -1;
};

Rounding rounding_of(const KernelSetup& s) {
  return {.is_signed = attr_or(s.attrs, "signed_input", true),
          .has_range = attr_or(s.attrs, "range_given", false),
          .is_narrow = attr_or(s.attrs, "narrow_range", false),
          .half_up = attr_or(s.attrs, "round_mode", std::string()) == "HALF_UP",
          .bits = attr_or(s.attrs, "num_bits", std::int64_t{8}),
          .axis = attr_or(s.attrs, "axis", std::int64_t{-1})};
}

// The range and the steps within it, so that zero is a step and the wider side ends at one.
template <class T>
struct Steps {
  T least, most, per_one, step;

  Steps(const Rounding& how, T from, T to) : least(from), most(to) {
    const std::int64_t one = 1, narrow = how.is_narrow ? 1 : 0;
    const auto lowest = static_cast<T>(how.is_signed ? -(one << (how.bits - 1)) + narrow : 0);
    const auto highest = static_cast<T>(how.is_signed ? (one << (how.bits - 1)) - 1 : (one << how.bits) - 1);
    const T any = std::numeric_limits<T>::max();
    const T below = lowest * least > 0 ? lowest / least : any, above = highest * most > 0 ? highest / most : any;
    if (below < above) {
      per_one = below;
      step = least / lowest;
      most = highest * step;
    } else {
      per_one = above;
      step = most / highest;
      least = lowest * step;
    }
  }
  [[nodiscard]] T held(const Rounding& how, T x) const {
    const T scaled = (how.has_range ? std::max(std::min(x, most), least) : x) * per_one;
    return (how.half_up ? std::floor(scaled + T(0.5)) : std::rint(scaled)) * step;
  }
};

// A tensor as blocks of rows: the rows of one position of the axis have one range.
struct Layout {
  std::size_t outer = 1, positions = 1, inner = 1;

  Layout(const Shape& s, std::int64_t axis) {
    if (axis < 0) {
      inner = static_cast<std::size_t>(s.elements());
      return;
    }
    const auto at = static_cast<std::size_t>(axis);
    outer = static_cast<std::size_t>(product(s, 0, at));
    positions = static_cast<std::size_t>(s.dims[at]);
    inner = static_cast<std::size_t>(product(s, at + 1, s.dims.size()));
  }
  template <class F>
  void for_each(std::size_t position, F&& f) const {
    for (std::size_t o = 0; o < outer; ++o)
      for (std::size_t i = 0; i < inner; ++i) f((o * positions + position) * inner + i);
  }
};

// A range for each position of the axis, or one alone, which TensorFlow takes from a vector of one, too. With more its
// process ends.
Status check_range(const KernelContext& c, std::size_t input, const Rounding& how, const char* name) {
  const Shape& shape = c.shape(input);
  if (how.axis < 0)
    return shape.elements() == 1 ? Status() : invalid("{} must be a scalar, but has shape {}", name, to_string(shape));
  if (shape.rank() != 1) return invalid("Shape must be rank 1 for {} when the axis is specified", name);
  const std::int64_t wanted = c.shape(0).dims[static_cast<std::size_t>(how.axis)];
  if (shape.dims[0] == wanted) return {};
  return invalid("{} has incorrect size, was {} expected {} to match dim {} of the input {}", name, shape.dims[0],
                 wanted, how.axis, to_string(shape));
}

Status check_bits(const Rounding& how, const char* text) {
  if (how.bits > 0 && how.bits < (how.is_signed ? 62 : 63)) return {};
  return invalid("num_bits is out of range: {} with {} {}", how.bits, text, how.is_signed ? 1 : 0);
}

// With an input that says how many bits, the texts are others.
Status check_inputs_of_rounding(const KernelContext& c, Rounding how) {
  const auto rank = static_cast<std::int64_t>(c.shape(0).rank());
  if (c.inputs.size() > 3) {
    if (how.axis < 0 ? -how.axis > rank : how.axis >= rank)
      return invalid("Axis requested is larger than input dimensions. Axis: {} Input Dimensions: {}", how.axis, rank);
    if (c.shape(3).rank() != 0)
      return invalid("Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: {}", c.shape(3).rank());
    how.bits = integer_or(c.inputs[3].tensor, 8);
    TARRY_RETURN_IF_ERROR(check_bits(how, "`signed_input_`"));
  } else {
    TARRY_RETURN_IF_ERROR(check_bits(how, "signed_input_"));
    if (how.axis >= rank) return invalid("Shape must be at least rank {} but is rank {}", how.axis + 1, rank);
  }
  if (!how.has_range) return {};
  TARRY_RETURN_IF_ERROR(check_range(c, 1, how, "input_min_tensor"));
  return check_range(c, 2, how, "input_max_tensor");
}

template <class T>
Status round_all(const Rounding& how, KernelContext& c) {
  const Layout layout(c.shape(0), how.axis);
  const auto in = c.data<T>(0);
  const auto out = c.out<T>(0);
  for (std::size_t p = 0; p < layout.positions; ++p) {
    T from = std::numeric_limits<T>::infinity(), to = -from;
    if (how.has_range) {
      from = c.data<T>(1)[p], to = c.data<T>(2)[p];
      if (how.axis < 0 && from > to) return invalid("Invalid range: input_min {} > input_max {}", from, to);
    } else {
      layout.for_each(p, [&](std::size_t i) { from = std::min(from, in[i]), to = std::max(to, in[i]); });
    }
    const Steps<T> steps(how, from, to);
    layout.for_each(p, [&](std::size_t i) { out[i] = steps.held(how, in[i]); });
  }
  return {};
}

// Inputs: numbers, the least and the most of them, and, where no attribute says it, how many bits.
Behaviour make_rounding(const KernelSetup& s) {
  return {[how = rounding_of(s)](KernelContext& c) {
            Rounding own = how;
            if (c.inputs.size() > 3) own.bits = integers_of(c.in(3))[0];
            return c.in(0).dtype() == DataType::kDouble ? round_all<double>(own, c) : round_all<float>(own, c);
          },
          [how = rounding_of(s)](const KernelContext& c, std::span<Shape> out) {
            TARRY_RETURN_IF_ERROR(check_inputs_of_rounding(c, how));
            return same_shape(c, out);
          }};
}

// Inputs: gradient, numbers, the least and the most of them. Outside of the range there is no gradient; that of the
// range itself is zero.
template <class T>
Status pass_within(const Rounding& how, KernelContext& c) {
  const Layout layout(c.shape(1), how.axis);
  for (std::size_t p = 0; p < layout.positions; ++p) {
    const T from = c.data<T>(2)[p], to = c.data<T>(3)[p];
    layout.for_each(p, [&](std::size_t i) {
      const T x = c.data<T>(1)[i];
      c.out<T>(0)[i] = c.data<T>(0)[i] * (x < from || x > to ? T{0} : T{1});
    });
    c.out<T>(1)[p] = c.out<T>(2)[p] = T{0};
  }
  return {};
}

Status check_range_passed(const KernelContext& c, std::size_t input, const Rounding& how) {
  const std::string name = input == 2 ? "min" : "max";
  const Shape& shape = c.shape(input);
  if (how.axis < 0)
    return shape.rank() == 0 ? Status() : invalid("input_{} must be a scalar if axis is unspecified", name);
  if (shape.rank() != 1) return invalid("Shape must be rank 1 for input_{}_tensor when the axis is specified", name);
  const std::int64_t wanted = c.shape(1).dims[static_cast<std::size_t>(how.axis)];
  return shape.dims[0] == wanted ? Status()
                                 : invalid("{} has incorrect size, expected {} was {}", name, wanted, shape.dims[0]);
}

Status gradient_shapes(const KernelContext& c, const Rounding& how, std::span<Shape> out) {
  const auto rank = static_cast<std::int64_t>(c.shape(1).rank());
  if (how.axis < -1 || how.axis >= rank)
    return invalid("Axis should be -1 or 0 or a positive value less than {}but given axis value was {}", rank,
                   how.axis);
  if (c.shape(0) != c.shape(1)) return invalid("gradient and input must be the same size");
  TARRY_RETURN_IF_ERROR(check_range_passed(c, 2, how));
  TARRY_RETURN_IF_ERROR(check_range_passed(c, 3, how));
  out[0] = c.shape(1);
  out[1] = c.shape(2), out[2] = c.shape(3);
  return {};
}

Behaviour make_rounding_gradient(const KernelSetup& s) {
  return {
      [how = rounding_of(s)](KernelContext& c) {
        return c.in(1).dtype() == DataType::kDouble ? pass_within<double>(how, c) : pass_within<float>(how, c);
      },
      [how = rounding_of(s)](const KernelContext& c, std::span<Shape> out) { return gradient_shapes(c, how, out); }};
}

constexpr KernelRow kQuantizeRows[] = {
    {"QuantizeAndDequantizeV2", make_rounding},
    {"QuantizeAndDequantizeV3", make_rounding},
    {"QuantizeAndDequantizeV4", make_rounding},
    {"QuantizeAndDequantizeV4Grad", make_rounding_gradient},
};

}  // namespace

KernelFamily quantize_ops() { return kQuantizeRows; }

}  // namespace tarry
