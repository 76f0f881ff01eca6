// Random ops that keep a generator between executions. Where a seed is given the values are TensorFlow's own.

#include <memory>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/philox.hpp"

namespace tarry {
namespace {

// An execution takes so many blocks for a value, since one that draws truncated values may need several.
constexpr std::uint64_t kBlocksOfValue = 256;

Philox take_for(OpGenerator& generator, const TensorBody& out) {
  return generator.take(kBlocksOfValue * static_cast<std::uint64_t>(out.elements()));
}

template <Draw what>
Behaviour make_random(const KernelSetup& s) {
  auto generator = std::make_shared<OpGenerator>(s);
  return {[generator, type = attr_or(s.attrs, "dtype", DataType::kFloat)](KernelContext& c) {
            return draw(c, take_for(*generator, out(c)), what, type);
          },
          drawn_shape, true};
}

constexpr InputRule kBounds[] = {{1, "minval must be 0-D, got shape {}"}, {2, "maxval must be 0-D, got shape {}"}};

Status int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_inputs(c, kBounds));
  TARRY_RETURN_IF_ERROR(drawn_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 1);
}

// Whole numbers in [minval, maxval).
Behaviour make_random_int(const KernelSetup& s) {
  auto generator = std::make_shared<OpGenerator>(s);
  return {[generator](KernelContext& c) {
            return out(c).elements() == 0 ? Status() : draw_int(c, take_for(*generator, out(c)), 1);
          },
          int_shape, true};
}

constexpr KernelRow kRandomRows[] = {
    {"TruncatedNormal", make_random<Draw::truncated>},
    {"RandomStandardNormal", make_random<Draw::normal>},
    {"RandomUniform", make_random<Draw::uniform>},
    {"RandomUniformInt", make_random_int},
};

}  // namespace

KernelFamily random_ops() { return kRandomRows; }

}  // namespace tarry
