// Integers as rows of bits.

#include <algorithm>

#include "workers/kernels/elementwise.hpp"

namespace tarry {
namespace {

template <class F>
Status integers_value(KernelContext& c) {
  if (c.in(0).dtype() == DataType::kInt32) return apply_binary<std::int32_t, std::int32_t>(c, F{});
  if (c.in(0).dtype() == DataType::kInt64) return apply_binary<std::int64_t, std::int64_t>(c, F{});
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
}
template <class F>
constexpr MakeBehaviour bitwise(F) {
  return behaves<integers_value<F>, broadcast_shape>;
}

// A shift by less than nothing is by nothing, one by more than there are bits is by all but one. A narrow integer has
// its own bits, whatever it is computed in.
template <class T>
int bits_to_shift(T by, int most) {
  return static_cast<int>(std::clamp<T>(by, 0, static_cast<T>(most)));
}
template <class T>
T shifted(T x, T by, int most, bool to_left) {
  const int bits = bits_to_shift(by, most);
  return to_left ? static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << bits) : static_cast<T>(x >> bits);
}

template <class T>
Status shift_values(KernelContext& c, int most, bool to_left) {
  const Shape& to = c.outputs[0].tensor->shape();
  const auto of_x = broadcast_indices(c.shape(0), to), of_y = broadcast_indices(c.shape(1), to);
  for (std::size_t i = 0; i < of_x.size(); ++i)
    c.out<T>(0)[i] = shifted<T>(c.data<T>(0)[of_x[i]], c.data<T>(1)[of_y[i]], most, to_left);
  return {};
}

template <bool to_left>
Behaviour make_shift(const KernelSetup& s) {
  const auto bits = static_cast<int>(8 * type_size(attr_or(s.attrs, "T", s.outputs.at(0))));
  return {[most = bits - 1](KernelContext& c) -> Status {
            if (c.in(0).dtype() == DataType::kInt32) return shift_values<std::int32_t>(c, most, to_left);
            if (c.in(0).dtype() == DataType::kInt64) return shift_values<std::int64_t>(c, most, to_left);
            return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
          },
          broadcast_shape};
}

Status inverted(KernelContext& c) {
  constexpr auto kInvert = [](auto x) { return ~x; };
  if (c.in(0).dtype() == DataType::kInt32) return apply_unary<std::int32_t, std::int32_t>(c, kInvert);
  if (c.in(0).dtype() == DataType::kInt64) return apply_unary<std::int64_t, std::int64_t>(c, kInvert);
  return error(Code::kUnimplemented, "tarry computes no values of type {} here", type_name(c.in(0).dtype()));
}

constexpr KernelRow kBitwiseRows[] = {
    {"BitwiseAnd", bitwise([](auto x, auto y) { return x & y; })},
    {"BitwiseOr", bitwise([](auto x, auto y) { return x | y; })},
    {"BitwiseXor", bitwise([](auto x, auto y) { return x ^ y; })},
    {"LeftShift", make_shift<true>},
    {"RightShift", make_shift<false>},
    {"Invert", behaves<inverted, same_shape>},
};

}  // namespace

KernelFamily bitwise_ops() { return kBitwiseRows; }

}  // namespace tarry
