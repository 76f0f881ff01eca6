#include "workers/kernels/narrow.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>

namespace tarry {
namespace {

template <class Narrow, class Wide>
TensorRef converted(const TensorBody& from, DataType type) {
  MutableTensor to = make_tensor(type, from.shape());
  const auto* source = reinterpret_cast<const Narrow*>(from.raw().data());
  std::transform(source, source + from.elements(), reinterpret_cast<Wide*>(to->mutable_raw().data()),
                 [](Narrow x) { return static_cast<Wide>(x); });
  return to;
}

using Convert = TensorRef (*)(const TensorBody& from, DataType type);
struct Narrow {
  DataType type, wide;
  Convert widen, narrow;
};
template <class T, class Wide>
constexpr Narrow row(DataType type) {
  return {type, TypeOf<Wide>::value, converted<T, Wide>, converted<Wide, T>};
}
constexpr std::array kNarrow = {
    row<std::uint8_t, std::int32_t>(DataType::kUint8),
    row<std::int8_t, std::int32_t>(DataType::kInt8),
    row<std::uint16_t, std::int32_t>(DataType::kUint16),
    row<std::int16_t, std::int32_t>(DataType::kInt16),
    row<Eigen::half, float>(DataType::kHalf),
    row<Eigen::bfloat16, float>(DataType::kBfloat16),
    row<std::uint32_t, std::int64_t>(DataType::kUint32),
    row<std::uint64_t, std::int64_t>(DataType::kUint64),
};

const Narrow* find_narrow(DataType type) {
  const auto* const it = std::ranges::find(kNarrow, base_type(type), &Narrow::type);
  return it == kNarrow.end() ? nullptr : it;
}

}  // namespace

DataType computed_as(DataType type) {
  const Narrow* narrow = find_narrow(type);
  return narrow == nullptr ? type : narrow->wide;
}

DataTypes computed_as(const DataTypes& types) {
  DataTypes wide = types;
  std::ranges::transform(wide, wide.begin(), [](DataType t) { return computed_as(t); });
  return wide;
}

TensorRef widened(const TensorRef& t) {
  const Narrow* narrow = t && t->has_data() ? find_narrow(t->dtype()) : nullptr;
  return narrow == nullptr ? t : narrow->widen(*t, narrow->wide);
}

TensorRef narrowed(const TensorRef& t, DataType type) {
  const Narrow* narrow = find_narrow(type);
  if (!t || narrow == nullptr || t->dtype() != narrow->wide) return t;
  return t->has_data() ? narrow->narrow(*t, narrow->type) : make_shape_only(narrow->type, t->shape());
}

}  // namespace tarry
