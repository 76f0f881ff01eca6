// Ops of a few lines that belong to no other family.

#include <algorithm>
#include <bit>
#include <cmath>

#include "workers/kernels/elements.hpp"
#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/every_number.hpp"
#include "workers/kernels/rearrange.hpp"

namespace tarry {
namespace {

// Cross (a, b): the cross product of vectors of three, which are the last dimension.
Status cross_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &a = c.shape(0), &b = c.shape(1);
  if (a != b) return invalid("Both inputs must be of same shape: {} vs. {}", to_string(a), to_string(b));
  if (a.rank() < 1) return invalid("Input must be at least 1D{}", to_string(a));
  return only(out, a);
}
Status cross(KernelContext& c) {  // here, since a shape function says that it knows no shape by the same code
  if (c.shape(0).dims.back() != 3)
    return error(Code::kFailedPrecondition, "Cross-products are only defined for 3-element vectors.");
  return for_number(c.in(0).dtype(), [&]<class T>() {
    const auto a = c.data<T>(0), b = c.data<T>(1);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::size_t at = i / 3 * 3, y = at + (i + 1) % 3, z = at + (i + 2) % 3;
      c.out<T>(0)[i] = static_cast<T>(a[y] * b[z] - a[z] * b[y]);
    }
    return Status();
  });
}

// ApproximateEqual (x, y): whether they differ by less than `tolerance`.
Behaviour make_approximate_equal(const KernelSetup& s) {
  return {[tolerance = attr_or(s.attrs, "tolerance", 1e-5F)](KernelContext& c) {
            return for_number(c.in(0).dtype(), [&]<class T>() {
              return apply_binary<T, bool>(c, [&](T x, T y) {
                const T difference = x > y ? static_cast<T>(x - y) : static_cast<T>(y - x);
                return difference < static_cast<T>(tolerance);
              });
            });
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            if (c.shape(0) != c.shape(1))
              return invalid("x and y must be of the same shape. x shape: {}. y shape: {}", to_string(c.shape(0)),
                             to_string(c.shape(1)));
            return same_shape(c, out);
          }};
}

// The modified Bessel functions, divided by the exponential of |x|.
template <int order>
double scaled_bessel(double x) {
  constexpr double kLarge = 30, kTwoPi = 6.283185307179586;
  double term = 1, sum = 0;
  if (x < kLarge) {  // its power series
    for (int k = 1; term > sum * 1e-17; ++k) {
      sum += term;
      term *= x * x / 4 / (k * (k + order));
    }
    return sum * std::exp(-x) * (order == 1 ? x / 2 : 1);
  }
  for (int k = 1; k < 12; ++k) {  // its series for large numbers
    sum += term;
    term *= -(4.0 * order * order - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * x);
  }
  return sum / std::sqrt(kTwoPi * x);
}
template <int order>
constexpr auto kScaledBessel = []<class T>(T x) {
  if (std::isnan(x)) return x;
  const T value = std::isinf(x) ? T{0} : static_cast<T>(scaled_bessel<order>(std::abs(static_cast<double>(x))));
  return order == 1 && x < T{0} ? -value : value;
};

// Reverse (tensor, for each dimension whether it is reversed).
Status reverse_marked_shape(const KernelContext& c, std::span<Shape> out) {
  const Shape &in = c.shape(0), &dims = c.shape(1);
  if (in.rank() > 0 && dims.rank() != 1) return invalid("'dims' must be 1-dimension, not {}", dims.rank());
  if (in.rank() > 0 && dims.dims[0] != in.rank())
    return invalid(
        "'dims' must have the same number of values as 'input' has dimensions. 'input' has {}'dims' has {} values",
        in.rank(), dims.dims[0]);
  if (in.rank() > 0 && in.dims[0] == 0) return invalid("Invalid input first dimension. Found 0.");
  if (in.rank() > 8) return error(Code::kUnimplemented, "reverse is not implemented for tensors of rank > 8.");
  return only(out, in);
}
Status reverse_marked(KernelContext& c) {
  rearrange(c, c.in(0), [&](Dims& at) {
    for (std::size_t d = 0; d < at.size(); ++d)
      if (c.data<bool>(1)[d]) at[d] = c.shape(0).dims[d] - 1 - at[d];
    return true;
  });
  return {};
}

// PopulationCount: how many bits of each element are set. Narrow elements keep their own type.
class PopulationCountKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    if (!known(c, 0)) return c.give(0, make_shape_only(DataType::kUint8, c.shape(0)));
    MutableTensor to = make_tensor(DataType::kUint8, c.shape(0));
    const std::size_t size = type_size(c.in(0).dtype());
    for (std::size_t i = 0; i < c.in(0).raw().size(); ++i)
      to->mutable_as<std::uint8_t>()[i / size] = static_cast<std::uint8_t>(
          to->as<std::uint8_t>()[i / size] + std::popcount(static_cast<unsigned char>(c.in(0).raw()[i])));
    return c.give(0, to);
  }
};

// Bitcast: the same bytes as elements of another type. A larger type takes the last dimension's elements together.
class BitcastKernel : public Kernel {
 public:
  explicit BitcastKernel(const KernelSetup& s) : type_(s.outputs[0]) {}
  [[nodiscard]] bool is_of_node_alone() const override { return true; }
  Status compute(KernelContext& c) override {
    const auto from = static_cast<std::int64_t>(type_size(c.in(0).dtype())),
               to = static_cast<std::int64_t>(type_size(type_));
    Shape shape = c.shape(0);
    if (from > to) shape.dims.push_back(from / to);
    if (from < to && (shape.rank() < 1 || shape.dims.back() * from != to))
      return invalid("Cannot bitcast from {} to {}", static_cast<int>(c.in(0).dtype()), static_cast<int>(type_));
    if (from < to) shape.dims.pop_back();
    if (!known(c, 0)) return c.give(0, make_shape_only(type_, shape));
    MutableTensor cast = make_tensor(type_, shape);
    std::ranges::copy(c.in(0).raw(), cast->mutable_raw().begin());
    return c.give(0, cast);
  }

 private:
  DataType type_;
};

// Inputs of one row each, one below the other.
Status parallel_concat(KernelContext& c) {
  const auto width = static_cast<std::size_t>(c.shape(0).elements());
  for (std::size_t i = 0; i < c.inputs.size(); ++i) copy_elements(out(c), i * width, c.in(i), 0, width);
  return {};
}

Status parallel_concat_shape(const KernelContext& c, std::span<Shape> out) {
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    if (c.shape(i).rank() < 1 || c.shape(i).dims[0] != 1 || c.shape(i) != c.shape(0)) return shape_not_known();
  out[0] = c.shape(0);
  out[0].dims[0] = std::ssize(c.inputs);
  return {};
}

// ToBool: of one number whether it is not 0, of a string whether it has letters, of others whether there are elements.
Status to_bool(KernelContext& c) {
  bool& is_true = c.out<bool>(0)[0];
  if (c.shape(0).rank() > 0) return is_true = c.shape(0).elements() > 0, Status();
  if (c.in(0).dtype() == DataType::kString) return is_true = !c.in(0).strings()[0].empty(), Status();
  return for_number_or_bool(c.in(0).dtype(), [&]<class T>() { return is_true = c.data<T>(0)[0] != T(0), Status(); });
}
Status one_bool(const KernelContext&, std::span<Shape> out) { return only(out, Shape()); }

constexpr KernelRow kSmallRows[] = {
    {"ParallelConcat", behaves<parallel_concat, parallel_concat_shape>},
    {"Cross", behaves<cross, cross_shape>},
    {"ApproximateEqual", make_approximate_equal},
    {"NextAfter", arithmetic([]<class T>(T x, T y) {
       if constexpr (std::is_floating_point_v<T>)
         return std::nextafter(x, y);
       else
         return x;
     })},
    {"BesselI0e", real(kScaledBessel<0>)},
    {"BesselI1e", real(kScaledBessel<1>)},
    {"ToBool", behaves<to_bool, one_bool>},
    {"Reverse", behaves<reverse_marked, reverse_marked_shape>},
    {"PopulationCount", make_plain<PopulationCountKernel>},
    {"Bitcast", make_from_setup<BitcastKernel>},
};

}  // namespace

KernelFamily small_ops() { return kSmallRows; }

}  // namespace tarry
