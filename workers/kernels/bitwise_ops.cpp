// Integers as rows of bits.

#include <limits>

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

// A shift by less than nothing is by nothing, one by more than there are bits is by all but one.
template <class T>
int bits_to_shift(T by) {
  return static_cast<int>(std::clamp<T>(by, 0, std::numeric_limits<std::make_unsigned_t<T>>::digits - 1));
}
constexpr auto kLeft = []<class T>(T x, T by) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(x) << bits_to_shift(by));
};
constexpr auto kRight = []<class T>(T x, T by) { return static_cast<T>(x >> bits_to_shift(by)); };

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
    {"LeftShift", bitwise(kLeft)},
    {"RightShift", bitwise(kRight)},
    {"Invert", behaves<inverted, same_shape>},
};

}  // namespace

KernelFamily bitwise_ops() { return kBitwiseRows; }

}  // namespace tarry
