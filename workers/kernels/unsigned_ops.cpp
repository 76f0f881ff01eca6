#include "workers/kernels/unsigned_ops.hpp"

#include <algorithm>
#include <functional>

#include "workers/kernels/elementwise.hpp"
#include "workers/kernels/every_number.hpp"

namespace tarry {
namespace {

using Number = std::uint64_t;

template <class F>
Status compared(KernelContext& c) {
  return apply_binary<Number, bool>(c, F{});
}
template <class F>
Status chosen(KernelContext& c) {
  return apply_binary<Number, Number>(c, F{});
}
template <bool is_remainder>
Status divided(KernelContext& c) {
  if (has_zero_divisor<Number>(c)) return invalid("Integer division by zero");
  return apply_binary<Number, Number>(c, [](Number x, Number y) { return is_remainder ? x % y : x / y; });
}
Status divided_truncating(KernelContext& c) {
  if (!has_zero_divisor<Number>(c)) return divided<false>(c);
  return error(Code::kInternal, "Unexpected error in binary operator (only integer div and mod should have errors)");
}
template <bool left>
Status shifted(KernelContext& c) {
  return apply_binary<Number, Number>(c, [](Number x, Number by) {
    const Number bits = std::min<Number>(by, 63);
    return left ? x << bits : x >> bits;
  });
}

Status cast_unsigned(KernelContext& c) {
  const DataType from = c.in(0).dtype(), to = c.outputs[0].tensor->dtype();
  if (from == DataType::kBool) return apply_unary<bool, Number>(c, std::identity());
  if (to == DataType::kBool) return apply_unary<Number, bool>(c, std::identity());
  if (to == DataType::kUint64)
    return for_every_number(from, [&]<class T>() { return apply_unary<T, Number>(c, std::identity()); });
  return for_every_number(to, [&]<class T>() { return apply_unary<Number, T>(c, std::identity()); });
}

struct Row {
  std::string_view op;
  Status (*value)(KernelContext&);
};
constexpr auto kLeast = [](Number x, Number y) { return std::min(x, y); };
constexpr auto kMost = [](Number x, Number y) { return std::max(x, y); };
constexpr Row kRows[] = {
    {"Less", compared<std::less<>>},
    {"LessEqual", compared<std::less_equal<>>},
    {"Greater", compared<std::greater<>>},
    {"GreaterEqual", compared<std::greater_equal<>>},
    {"Minimum", chosen<decltype(kLeast)>},
    {"Maximum", chosen<decltype(kMost)>},
    {"Div", divided<false>},
    {"FloorDiv", divided<false>},
    {"FloorMod", divided<true>},
    {"TruncateDiv", divided_truncating},
    {"LeftShift", shifted<true>},
    {"RightShift", shifted<false>},
    {"Cast", cast_unsigned},
};

// Ops of which the largest numbers would be negative ones.
constexpr std::string_view kSigned[] = {"ArgMax",
                                        "ArgMin",
                                        "AsString",
                                        "Bucketize",
                                        "Cast",
                                        "ClipByValue",
                                        "EuclideanNorm",
                                        "Max",
                                        "Mean",
                                        "Min",
                                        "Relu",
                                        "SegmentMax",
                                        "SegmentMean",
                                        "SegmentMin",
                                        "TopKV2",
                                        "UnsortedSegmentMax",
                                        "UnsortedSegmentMin"};

bool is_unsigned(DataType t) { return base_type(t) == DataType::kUint64; }

}  // namespace

ValueFunction unsigned_function(const KernelSetup& s) {
  if (std::ranges::none_of(s.inputs, is_unsigned) && std::ranges::none_of(s.outputs, is_unsigned)) return {};
  const Row* const row = std::ranges::find(kRows, s.op, &Row::op);
  const bool is_of_complex = std::ranges::any_of(s.inputs, is_complex) || std::ranges::any_of(s.outputs, is_complex);
  return row == std::end(kRows) || is_of_complex ? ValueFunction() : row->value;
}

Status check_unsigned(std::string_view op, const KernelContext& c) {
  if (std::ranges::find(kSigned, op) == std::end(kSigned)) return {};
  constexpr Number kNegative = Number{1} << 63;
  for (std::size_t i = 0; i < c.inputs.size(); ++i)
    if (is_unsigned(c.in(i).dtype()) && std::ranges::any_of(c.data<Number>(i), [](Number x) { return x >= kNegative; }))
      return error(Code::kUnimplemented, "tarry computes {} of no uint64 from 2^63 on", op);
  return {};
}

}  // namespace tarry
