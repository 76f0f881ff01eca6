#include "workers/kernels/philox.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "workers/env.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// In [0, 1): the bits of a mantissa.
float uniform_float(WordStream& w) { return std::bit_cast<float>(0x3F800000U | (w.next() & 0x7FFFFFU)) - 1.0F; }

// Two independent normal values of two words of 32 or 64 bits: the transform of Box and Muller.
template <class T>
struct NormalPair {
  T first, second;
};
template <class T>
NormalPair<T> normal_pair(T u, T v) {
  constexpr double kTwoPi = 2.0 * 3.14159265358979323846;
  const auto angle = static_cast<T>(kTwoPi * static_cast<double>(v));
  const T radius = std::sqrt(T{-2} * std::log(std::max(u, static_cast<T>(1.0e-7))));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
template <class T>
NormalPair<T> next_normal_pair(WordStream& w) {
  const auto uniform = [&] {
    if constexpr (std::is_same_v<T, float>)
      return uniform_float(w);
    else
      return w.next_double();
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
    g.advance(kReserved);
  }
}

template <class T>
void fill_uniform(const Philox& g, std::span<T> to) {
  WordStream words(g);
  std::ranges::generate(to, [&] {
    if constexpr (std::is_same_v<T, float>)
      return uniform_float(words);
    else
      return words.next_double();
  });
}
// A half or bfloat16 takes the bits of its mantissa from a word of its own.
void fill_uniform(const Philox& g, std::span<float> to, int mantissa_bits) {
  WordStream words(g);
  const std::uint32_t values = 1U << mantissa_bits;
  std::ranges::generate(to, [&] { return static_cast<float>(words.next() % values) / static_cast<float>(values); });
}

std::uint64_t unsigned_at(const TensorBody& t, std::size_t i) {
  std::uint64_t value = 0;
  std::memcpy(&value, t.raw().data() + i * sizeof value, sizeof value);
  return value;
}

}  // namespace

Philox Philox::of(std::uint64_t seed, std::uint64_t seed2) {
  return {{0, 0, low_word(seed2), high_word(seed2)}, {low_word(seed), high_word(seed)}};
}

Philox Philox::scrambled(const Dims& seeds) {
  const auto a = static_cast<std::uint64_t>(seeds[0]), b = static_cast<std::uint64_t>(seeds[1]);
  const auto mixed = Philox{{low_word(a), high_word(a), low_word(b), high_word(b)}, {0x3EC8F720, 0x02461E29}}.words();
  return {{0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]}};
}

std::array<std::uint32_t, 4> Philox::words() const {
  constexpr std::uint64_t kFactors[] = {0xD2511F53, 0xCD9E8D57};
  constexpr std::uint32_t kSteps[] = {0x9E3779B9, 0xBB67AE85};
  auto w = counter;
  auto k = key;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = kFactors[0] * w[0], b = kFactors[1] * w[2];
    w = {high_word(b) ^ w[1] ^ k[0], low_word(b), high_word(a) ^ w[3] ^ k[1], low_word(a)};
    k[0] += kSteps[0], k[1] += kSteps[1];
  }
  return w;
}

void Philox::advance(std::uint64_t blocks) {
  for (std::uint32_t& word : counter) {
    const std::uint64_t sum = std::uint64_t{word} + low_word(blocks);
    word = low_word(sum);
    blocks = (blocks >> 32) + (sum >> 32);
  }
}

std::array<double, 2> next_normals(WordStream& words) {
  const auto [first, second] = next_normal_pair<double>(words);
  return {first, second};
}

double WordStream::next_double() {
  const std::uint64_t high = next(), low = next();
  return std::bit_cast<double>(0x3FF0000000000000U | (high & 0xFFFFFU) << 32 | low) - 1.0;
}

Status draw(KernelContext& c, const Philox& g, Draw what, DataType type) {
  const auto fill = [&]<class T>(std::span<T> to) {
    if (what == Draw::normal) return fill_normal<T>(g, to);
    return what == Draw::truncated ? fill_truncated<T>(g, to) : fill_uniform<T>(g, to);
  };
  const DataType computed = c.outputs[0].tensor->dtype();
  if (what == Draw::uniform && type == DataType::kHalf)
    fill_uniform(g, c.out<float>(0), 10);
  else if (what == Draw::uniform && type == DataType::kBfloat16)
    fill_uniform(g, c.out<float>(0), 7);
  else if (computed == DataType::kFloat)
    fill(c.out<float>(0));
  else if (computed == DataType::kDouble)
    fill(c.out<double>(0));
  else
    return error(Code::kUnimplemented, "tarry draws no random values of type {}", type_name(type));
  return {};
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

constexpr std::int64_t kChooses = 3;  // the device chooses the algorithm

Status check_generator(const KernelContext& c) {
  if (c.shape(3).rank() != 0) return invalid("input 3 (0-based) must have shape [], not {}", to_string(c.shape(3)));
  const std::int64_t algorithm = c.in(3).has_data() ? integers_of(c.in(3))[0] : kPhiloxAlgorithm,
                     least = algorithm == kChooses ? kPhiloxAlgorithm : algorithm;  // TensorFlow asks for as many words
  if (c.shape(1) != Shape({1}))
    return invalid("key must have shape [1], not {}. (Note that batched keys are not supported yet.)",
                   to_string(c.shape(1)));
  if (c.shape(2).rank() != 1 || c.shape(2).dims[0] < least)
    return invalid(
        "counter must be a vector with length at least {}; got shape: {}. (Note that batched counters are not "
        "supported yet.)",
        least, to_string(c.shape(2)));
  return least == kPhiloxAlgorithm ? Status() : invalid("Unsupported algorithm id: {}", algorithm);
}

Philox keyed_generator(const KernelContext& c) {
  const std::uint64_t key = unsigned_at(c.in(1), 0), first = unsigned_at(c.in(2), 0),
                      second = c.in(2).elements() > 1 ? unsigned_at(c.in(2), 1) : 0;
  return {{low_word(first), high_word(first), low_word(second), high_word(second)}, {low_word(key), high_word(key)}};
}

Status check_limits(const KernelContext& c, std::size_t at) {
  TARRY_RETURN_IF_ERROR(check_input(c, {at, "minval must be 0-D, got shape {}"}));
  TARRY_RETURN_IF_ERROR(check_input(c, {at + 1, "maxval must be 0-D, got shape {}"}));
  if (!c.in(at).has_data() || !c.in(at + 1).has_data()) return {};
  const std::int64_t from = integers_of(c.in(at))[0], to = integers_of(c.in(at + 1))[0];
  return from < to ? Status() : invalid("Need minval < maxval, got {} >= {}", from, to);
}

OpGenerator::OpGenerator(const KernelSetup& s) {
  const auto seed = [&](const char* name) {
    return static_cast<std::uint64_t>(attr_or(s.attrs, name, std::int64_t{0}));
  };
  generator_ = Philox::of(seed("seed"), seed("seed2"));
  if (seed("seed") != 0 || seed("seed2") != 0) return;
  Random random = s.host.env->random().fork(s.host.device + "/" + std::string(s.name));
  const std::uint64_t first = random.next();
  generator_ = Philox::of(first, random.next());
}

Philox OpGenerator::take(std::uint64_t blocks) {
  const Philox taken = generator_;
  generator_.advance(blocks);
  return taken;
}

}  // namespace tarry
