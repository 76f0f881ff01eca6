#include "workers/train/feed_values.hpp"

#include <fmt/format.h>

namespace tarry {
namespace {

constexpr std::int64_t kOne = 1'000'000;
constexpr double kTwo32 = 4294967296.0, kTwo53 = 9007199254740992.0;

double fraction(Random& random) { return static_cast<double>(random.next() >> 11) / kTwo53; }
double number(std::int64_t millionths) { return static_cast<double>(millionths) / kOne; }

template <class T>
T draw_one(const FedUniform& law, Random& random) {
  if constexpr (std::is_integral_v<T>) {
    const std::int64_t low = law.low / kOne, high = law.high / kOne;
    return static_cast<T>(low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low))));
  }
  return static_cast<T>(number(law.low) + fraction(random) * number(law.high - law.low));
}

template <class T>
T draw_one(const FedNormal& law, Random& random) {
  return static_cast<T>(number(law.mean) + number(law.sd) * (static_cast<double>(draw_normal_q32(random)) / kTwo32));
}

template <class T, class Law>
void fill(std::span<T> out, const Law& law, const Shape& /*shape*/, Random& random) {
  for (T& x : out) x = draw_one<T>(law, random);
}

template <class T>
void fill(std::span<T> out, const FedOneHot& /*law*/, const Shape& shape, Random& random) {
  const auto width = static_cast<std::size_t>(shape.dims.back());
  for (std::size_t row = 0; row < out.size(); row += width) out[row + random.below(width)] = T(1);
}

template <class Law>
void draw_into(TensorBody& t, const Law& law, Random random) {
  switch (t.dtype()) {
    case DataType::kFloat:
      return fill(t.mutable_as<float>(), law, t.shape(), random);
    case DataType::kDouble:
      return fill(t.mutable_as<double>(), law, t.shape(), random);
    case DataType::kInt32:
      return fill(t.mutable_as<std::int32_t>(), law, t.shape(), random);
    case DataType::kInt64:
      return fill(t.mutable_as<std::int64_t>(), law, t.shape(), random);
    default:
      return fill(t.mutable_as<bool>(), law, t.shape(), random);
  }
}

struct Draw {
  DataType dtype;
  const Shape& shape;
  std::uint64_t step;
  Random random;

  TensorRef operator()(const FedList& list) const { return list.steps[step % list.steps.size()]; }

  template <class Law>
  TensorRef operator()(const Law& law) const {
    MutableTensor t(new TensorBody(dtype, shape));
    t->fill_later([law, random = random](TensorBody& drawn) { draw_into(drawn, law, random); });
    return t;
  }
};

bool is_integer(DataType t) { return t == DataType::kInt32 || t == DataType::kInt64; }
bool is_real(DataType t) { return t == DataType::kFloat || t == DataType::kDouble; }

}  // namespace

bool can_draw(const FeedValues& values, DataType dtype) {
  if (std::holds_alternative<FedNormal>(values)) return is_real(dtype);
  if (std::holds_alternative<FedUniform>(values)) return is_real(dtype) || is_integer(dtype);
  return is_real(dtype) || is_integer(dtype) || dtype == DataType::kBool;
}

std::uint64_t feed_key(const Random& world, std::size_t task, std::string_view tensor) {
  return world.fork(fmt::format("feed {} {}", task, tensor)).next();
}

TensorRef fed_value(const FeedValues& values, DataType dtype, const Shape& shape, std::uint64_t key,
                    std::uint64_t step) {
  return std::visit(Draw{dtype, shape, step, Random(key + step)}, values);
}

}  // namespace tarry
