// Random numbers that depend on their seeds alone: the counter-based generator Philox4x32-10 of Salmon and others.
// These values are TensorFlow's own.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
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
  explicit WordStream(const Philox& generator) : generator_(generator) {}
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

// Two independent normal values of two words of 32 or 64 bits: the transform of Box and Muller.
template <class T>
struct NormalPair {
  T first, second;
};
template <class T>
NormalPair<T> normal_pair(T u, T v) {
  constexpr T kLeast = static_cast<T>(1.0e-7), kTwoPi = static_cast<T>(2.0 * 3.14159265358979323846);
  const T radius = std::sqrt(static_cast<T>(-2.0) * std::log(std::max(u, kLeast)));
  return {std::sin(kTwoPi * v) * radius, std::cos(kTwoPi * v) * radius};
}
template <class T>
NormalPair<T> next_normal_pair(WordStream& w) {
  const auto uniform = [&] {
    if constexpr (std::is_same_v<T, float>)
      return uniform_float(w);
    else
      return uniform_double(w);
  };
  const T u = uniform();
  return normal_pair<T>(u, uniform());
}

template <class T>
void fill_normal(const Philox& g, std::span<T> to) {
  WordStream words(g);
  for (std::size_t i = 0; i < to.size(); i += 2) {
    const NormalPair<T> pair = next_normal_pair<T>(words);
    to[i] = pair.first;
    if (i + 1 < to.size()) to[i + 1] = pair.second;
  }
}

// Values beyond two deviations are drawn again. So that groups of values do not depend on each other, each group has a
// part of the counter of its own.
template <class T>
void fill_truncated(Philox g, std::span<T> to) {
  constexpr std::size_t kGroup = std::is_same_v<T, float> ? 4 : 2, kReserved = 256 * kGroup / 4;
  for (std::size_t at = 0; at < to.size(); at += kGroup) {
    WordStream words(g);
    const auto group = to.subspan(at, std::min(kGroup, to.size() - at));
    for (std::size_t i = 0; i < group.size();) {
      const NormalPair<T> pair = next_normal_pair<T>(words);
      for (const T x : {pair.first, pair.second})
        if (std::abs(x) < T{2} && i < group.size()) group[i++] = x;
    }
    for (std::size_t i = 0; i < kReserved; ++i) g.advance();
  }
}

template <class T>
void fill_uniform(const Philox& g, std::span<T> to) {
  WordStream words(g);
  std::ranges::generate(to, [&] {
    if constexpr (std::is_same_v<T, float>)
      return uniform_float(words);
    else
      return uniform_double(words);
  });
}
// A half takes the ten bits of its mantissa from a word of its own.
void fill_uniform_half(const Philox& g, std::span<float> to) {
  WordStream words(g);
  std::ranges::generate(to, [&] { return static_cast<float>(words.next() & 0x3FFU) / 1024.0F; });
}

enum class Draw { uniform, normal, truncated };

Status draw(KernelContext& c, const Philox& g, Draw what, bool is_half) {
  const DataType type = c.outputs[0].tensor->dtype();
  const auto fill = [&]<class T>(std::span<T> to) {
    if (what == Draw::normal) return fill_normal<T>(g, to);
    return what == Draw::truncated ? fill_truncated<T>(g, to) : fill_uniform<T>(g, to);
  };
  if (is_half && what == Draw::uniform)
    fill_uniform_half(g, c.out<float>(0));
  else if (type == DataType::kFloat)
    fill(c.out<float>(0));
  else if (type == DataType::kDouble)
    fill(c.out<double>(0));
  else
    return error(Code::kUnimplemented, "tarry draws no random values of type {}", type_name(type));
  return {};
}

bool draws_half(const KernelSetup& s) { return attr_or(s.attrs, "dtype", DataType::kFloat) == DataType::kHalf; }

constexpr InputRule kShape{0, "shape must be a vector of {{int32,int64}}, got shape {}", Takes::vector};

Status drawn_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_input(c, kShape));
  if (!c.in(0).has_data()) return shape_not_known();
  for (const std::int64_t d : integers_of(c.in(0)))
    if (d < 0) return invalid("Dimension {} must be >= 0", d);
  return only(out, Shape(integers_of(c.in(0))));
}
Status stateless_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(drawn_shape(c, out));
  if (c.shape(1) != Shape({2})) return invalid("seed must have shape [2], not {}", to_string(c.shape(1)));
  return {};
}

template <Draw what>
Behaviour make_stateless(const KernelSetup& s) {
  return {[is_half = draws_half(s)](KernelContext& c) {
            return draw(c, generator_of(integers_of(c.in(1))), what, is_half);
          },
          stateless_shape};
}

// ---- whole numbers: in [minval, maxval), or of all bits ----

// The limits are inputs `at` and the next.
Status check_limits(const KernelContext& c, std::size_t at) {
  TARRY_RETURN_IF_ERROR(check_input(c, {at, "minval must be 0-D, got shape {}"}));
  TARRY_RETURN_IF_ERROR(check_input(c, {at + 1, "maxval must be 0-D, got shape {}"}));
  if (!c.in(at).has_data() || !c.in(at + 1).has_data()) return {};
  const std::int64_t from = integers_of(c.in(at))[0], to = integers_of(c.in(at + 1))[0];
  return from < to ? Status() : invalid("Need minval < maxval, got {} >= {}", from, to);
}

Status stateless_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(stateless_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 2);
}

// A remainder of the word: so small numbers are a little more frequent, as in TensorFlow.
Status draw_int(KernelContext& c, const Philox& g, std::size_t limits) {
  WordStream words(g);
  const std::int64_t from = integers_of(c.in(limits))[0];
  const auto range = static_cast<std::uint64_t>(integers_of(c.in(limits + 1))[0]) - static_cast<std::uint64_t>(from);
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
Status stateless_int(KernelContext& c) {
  return out(c).elements() == 0 ? Status() : draw_int(c, generator_of(integers_of(c.in(1))), 2);
}

Status draw_bits(KernelContext& c, const Philox& g) {
  WordStream words(g);
  if (c.outputs[0].tensor->dtype() == DataType::kInt32)
    std::ranges::generate(c.out<std::int32_t>(0), [&] { return static_cast<std::int32_t>(words.next()); });
  else if (c.outputs[0].tensor->dtype() == DataType::kInt64)
    std::ranges::generate(c.out<std::int64_t>(0), [&] { return static_cast<std::int64_t>(words.next_two()); });
  else
    return error(Code::kUnimplemented, "tarry draws no random bits of type {}",
                 type_name(c.outputs[0].tensor->dtype()));
  return {};
}
Status stateless_bits(KernelContext& c) { return draw_bits(c, generator_of(integers_of(c.in(1)))); }

// ---- the second version: shape, key [1], counter [2], algorithm; and the ops that make these of two seeds ----

std::uint64_t unsigned_at(const TensorBody& t, std::size_t i) {
  std::uint64_t value = 0;
  std::memcpy(&value, t.raw().data() + i * sizeof value, sizeof value);
  return value;
}
TensorRef unsigned_vector(const std::vector<std::uint64_t>& values) {
  MutableTensor t = make_tensor(DataType::kUint64, Shape({std::ssize(values)}));
  std::memcpy(t->mutable_raw().data(), values.data(), values.size() * sizeof(std::uint64_t));
  return t;
}

constexpr std::int64_t kPhilox = 1, kChooses = 3;

Status check_generator(const KernelContext& c) {
  if (c.shape(3).rank() != 0) return invalid("input 3 (0-based) must have shape [], not {}", to_string(c.shape(3)));
  const std::int64_t algorithm = c.in(3).has_data() ? integers_of(c.in(3))[0] : kPhilox,
                     least = algorithm == kChooses ? kPhilox : algorithm;  // TensorFlow asks for as many words
  if (c.shape(1) != Shape({1}))
    return invalid("key must have shape [1], not {}. (Note that batched keys are not supported yet.)",
                   to_string(c.shape(1)));
  if (c.shape(2).rank() != 1 || c.shape(2).dims[0] < least)
    return invalid(
        "counter must be a vector with length at least {}; got shape: {}. (Note that batched counters are not "
        "supported yet.)",
        least, to_string(c.shape(2)));
  return least == kPhilox ? Status() : invalid("Unsupported algorithm id: {}", algorithm);
}

Status keyed_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_generator(c));
  return drawn_shape(c, out);
}
Status keyed_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(keyed_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 4);
}

Philox keyed_generator(const KernelContext& c) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const std::uint64_t key = unsigned_at(c.in(1), 0), first = unsigned_at(c.in(2), 0),
                      second = c.in(2).elements() > 1 ? unsigned_at(c.in(2), 1) : 0;
  return {{low(first), low(first >> 32), low(second), low(second >> 32)}, {low(key), low(key >> 32)}};
}

template <Draw what>
Behaviour make_keyed(const KernelSetup& s) {
  return {[is_half = draws_half(s)](KernelContext& c) { return draw(c, keyed_generator(c), what, is_half); },
          keyed_shape};
}
Status keyed_int(KernelContext& c) { return out(c).elements() == 0 ? Status() : draw_int(c, keyed_generator(c), 4); }
Status keyed_bits(KernelContext& c) { return draw_bits(c, keyed_generator(c)); }

// StatelessRandomGetKeyCounter (seeds): key, counter; its kin gives the algorithm, too.
Status key_of_seeds(KernelContext& c) {
  if (c.shape(0) != Shape({2})) return invalid("seed must have shape [2], not {}", to_string(c.shape(0)));
  const Philox g = generator_of(integers_of(c.in(0)));
  const auto joined = [](std::uint64_t low, std::uint64_t high) { return high << 32 | low; };
  c.set(0, unsigned_vector({joined(g.key[0], g.key[1])}));
  c.set(1, unsigned_vector({joined(g.counter[0], g.counter[1]), joined(g.counter[2], g.counter[3])}));
  if (c.outputs.size() > 2) c.set(2, make_scalar(static_cast<std::int32_t>(kPhilox)));
  return {};
}
Status algorithm(KernelContext& c) { return c.give(0, make_scalar(static_cast<std::int32_t>(kPhilox))); }

constexpr KernelRow kStatelessRows[] = {
    {"StatelessRandomUniform", make_stateless<Draw::uniform>},
    {"StatelessRandomNormal", make_stateless<Draw::normal>},
    {"StatelessTruncatedNormal", make_stateless<Draw::truncated>},
    {"StatelessRandomUniformInt", behaves<stateless_int, stateless_int_shape>},
    {"StatelessRandomUniformFullInt", behaves<stateless_bits, stateless_shape>},
    {"StatelessRandomUniformV2", make_keyed<Draw::uniform>},
    {"StatelessRandomNormalV2", make_keyed<Draw::normal>},
    {"StatelessTruncatedNormalV2", make_keyed<Draw::truncated>},
    {"StatelessRandomUniformIntV2", behaves<keyed_int, keyed_int_shape>},
    {"StatelessRandomUniformFullIntV2", behaves<keyed_bits, keyed_shape>},
    {"StatelessRandomGetKeyCounter", behaves<key_of_seeds>},
    {"StatelessRandomGetKeyCounterAlg", behaves<key_of_seeds>},
    {"StatelessRandomGetAlg", behaves<algorithm>},
};

}  // namespace

KernelFamily stateless_ops() { return kStatelessRows; }

}  // namespace tarry
