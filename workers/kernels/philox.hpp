// TensorFlow's random numbers: the counter-based generator Philox4x32-10 of Salmon and others, and what TensorFlow
// makes of its words. Values for given seeds are those of TensorFlow's CPU kernels.
#pragma once

#include <array>
#include <cstdint>

#include "workers/kernels/kernel.hpp"

namespace tarry {

struct Philox {
  std::array<std::uint32_t, 4> counter{};
  std::array<std::uint32_t, 2> key{};

  // Of two seeds that are not scrambled.
  [[nodiscard]] static Philox of(std::uint64_t seed, std::uint64_t seed2);

  // Of the two seeds of a stateless op, which are scrambled.
  [[nodiscard]] static Philox scrambled(const Dims& seeds);

  [[nodiscard]] std::array<std::uint32_t, 4> words() const;
  void advance(std::uint64_t blocks = 1);  // a block is four words
};

// Words one after the other.
class WordStream {
 public:
  explicit WordStream(const Philox& generator) : generator_(generator) {}
  std::uint32_t next() {
    if (at_ == words_.size()) words_ = generator_.words(), generator_.advance(), at_ = 0;
    return words_[at_++];
  }
  std::uint64_t next_two() {  // the first word is the low one
    const std::uint64_t low = next();
    return static_cast<std::uint64_t>(next()) << 32 | low;
  }
  double next_double();  // in [0, 1); of two words

 private:
  Philox generator_;
  std::array<std::uint32_t, 4> words_{};
  std::size_t at_ = words_.size();
};

// Two independent normal numbers of four words.
[[nodiscard]] std::array<double, 2> next_normals(WordStream& words);

enum class Draw { uniform, normal, truncated };

// Fills the first output, a float or double. `type` is what the op's values are rounded to, such as half.
// Fails: UNIMPLEMENTED for another type.
[[nodiscard]] Status draw(KernelContext& c, const Philox& g, Draw what, DataType type);

// Fills the first output with integers of [minval, maxval), which are inputs `limits` and the next. REQUIRES: they have
// data, and minval < maxval.
[[nodiscard]] Status draw_int(KernelContext& c, const Philox& g, std::size_t limits);

// The shape that input 0 asks for. Fails: INVALID_ARGUMENT where it is no vector, or has a negative size.
[[nodiscard]] Status drawn_shape(const KernelContext& c, std::span<Shape> out);

// The same of a stateless op, whose input 1 has its two seeds. Fails: INVALID_ARGUMENT.
[[nodiscard]] Status stateless_shape(const KernelContext& c, std::span<Shape> out);

// Ops of the second version have the generator itself in inputs 1 to 3: a key, a counter, the algorithm. Fails:
// INVALID_ARGUMENT where they say no generator of this kind.
inline constexpr std::int64_t kPhiloxAlgorithm = 1;
[[nodiscard]] Status check_generator(const KernelContext& c);
[[nodiscard]] Philox keyed_generator(const KernelContext& c);

// Are minval and maxval, inputs `at` and the next, scalars, and the first less? Fails: INVALID_ARGUMENT.
[[nodiscard]] Status check_limits(const KernelContext& c, std::size_t at);

// The generator of a stateful op. Its seeds are the op's; where both are 0 they come from the run's seed and the node.
class OpGenerator {
 public:
  explicit OpGenerator(const KernelSetup& s);

  // What an execution draws from; the next one begins so many blocks later, however many of them are used.
  [[nodiscard]] Philox take(std::uint64_t blocks);

 private:
  Philox generator_;
};

}  // namespace tarry
