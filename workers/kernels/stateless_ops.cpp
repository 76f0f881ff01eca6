// Random numbers that depend on their seeds alone: the counter-based generator Philox4x32-10 of Salmon and others.
// These values are TensorFlow's own.

#include <algorithm>
#include <array>
#include <bit>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

using Words = std::array<std::uint32_t, 4>;

struct Philox {
  Words counter{};
  std::array<std::uint32_t, 2> key{};

  [[nodiscard]] Words words() const {
    constexpr std::uint64_t kFactors[] = {0xD2511F53, 0xCD9E8D57};
    constexpr std::uint32_t kSteps[] = {0x9E3779B9, 0xBB67AE85};
    Words w = counter;
    auto k = key;
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = kFactors[0] * w[0], b = kFactors[1] * w[2];
      w = {static_cast<std::uint32_t>(b >> 32) ^ w[1] ^ k[0], static_cast<std::uint32_t>(b),
           static_cast<std::uint32_t>(a >> 32) ^ w[3] ^ k[1], static_cast<std::uint32_t>(a)};
      k[0] += kSteps[0], k[1] += kSteps[1];
    }
    return w;
  }
  void advance() {
    for (std::uint32_t& word : counter)
      if (++word != 0) return;
  }
};

// The generator that two seeds stand for: they are scrambled first.
Philox generator_of(const Dims& seeds) {
  const auto a = static_cast<std::uint64_t>(seeds[0]), b = static_cast<std::uint64_t>(seeds[1]);
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const Words mixed = Philox{{low(a), low(a >> 32), low(b), low(b >> 32)}, {0x3EC8F720, 0x02461E29}}.words();
  return {{0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]}};
}

// Words one after the other.
class WordStream {
 public:
  explicit WordStream(const Dims& seeds) : generator_(generator_of(seeds)) {}
  std::uint32_t next() {
    if (at_ == words_.size()) words_ = generator_.words(), generator_.advance(), at_ = 0;
    return words_[at_++];
  }
  std::uint64_t next_two() {
    const std::uint64_t low = next();
    return static_cast<std::uint64_t>(next()) << 32 | low;
  }

 private:
  Philox generator_;
  Words words_{};
  std::size_t at_ = words_.size();
};

// In [0, 1): the bits of a mantissa.
float uniform_float(WordStream& w) { return std::bit_cast<float>(0x3F800000U | (w.next() & 0x7FFFFFU)) - 1.0F; }
double uniform_double(WordStream& w) {
  const std::uint64_t high = w.next();
  const std::uint64_t low = w.next();
  return std::bit_cast<double>(0x3FF0000000000000U | (high & 0xFFFFFU) << 32 | low) - 1.0;
}

constexpr InputRule kShape{0, "shape must be a vector of {{int32,int64}}, got shape {}", Takes::vector};

Status stateless_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, kShape));
  if (!c.in(0).has_data()) return shape_not_known();
  for (const std::int64_t d : integers_of(c.in(0)))
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  if (c.shape(1) != Shape({2})) return invalid("seed must have shape [2], not {}", to_string(c.shape(1)));
  return only(out, Shape(integers_of(c.in(0))));
}

Status stateless_uniform(KernelContext& c) {
  WordStream words(integers_of(c.in(1)));
  if (c.outputs[0].tensor->dtype() == DataType::kFloat)
    std::ranges::generate(c.out<float>(0), [&] { return uniform_float(words); });
  else if (c.outputs[0].tensor->dtype() == DataType::kDouble)
    std::ranges::generate(c.out<double>(0), [&] { return uniform_double(words); });
  else
    return error(Code::kUnimplemented, "tarry draws no random values of type {}",
                 type_name(c.outputs[0].tensor->dtype()));
  return {};
}

constexpr InputRule kLimitsOfDraws[] = {{2, "minval must be 0-D, got shape {}"},
                                        {3, "maxval must be 0-D, got shape {}"}};

Status stateless_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kLimitsOfDraws));
  if (c.in(2).has_data() && c.in(3).has_data())
    if (const std::int64_t from = integers_of(c.in(2))[0], to = integers_of(c.in(3))[0]; from >= to)
      return invalid("Need minval < maxval, got {} >= {}", from, to);
  return stateless_shape(c, out);
}

// A remainder of the word: so small numbers are a little more frequent, as in TensorFlow.
Status stateless_int(KernelContext& c) {
  WordStream words(integers_of(c.in(1)));
  const std::int64_t from = integers_of(c.in(2))[0];
  const auto range = static_cast<std::uint64_t>(integers_of(c.in(3))[0]) - static_cast<std::uint64_t>(from);
  if (c.outputs[0].tensor->dtype() == DataType::kInt32)
    std::ranges::generate(c.out<std::int32_t>(0), [&] {
      return static_cast<std::int32_t>(from + static_cast<std::int64_t>(words.next() % range));
    });
  else
    std::ranges::generate(c.out<std::int64_t>(0), [&] {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + words.next_two() % range);
    });
  return {};
}

constexpr KernelRow kStatelessRows[] = {
    {"StatelessRandomUniform", behaves<stateless_uniform, stateless_shape>},
    {"StatelessRandomUniformInt", behaves<stateless_int, stateless_int_shape>},
};

}  // namespace

KernelFamily stateless_ops() { return kStatelessRows; }

}  // namespace tarry
