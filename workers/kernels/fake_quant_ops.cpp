// Numbers as they would be if few bits held them, and the gradients of that.

#include <algorithm>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

struct Levels {
  float least = 0, most = 255;  // whole numbers that can be held
};

Levels levels_of(const KernelSetup& s) {
  return {
      attr_or(s.attrs, "narrow_range", false) ? 1.0F : 0.0F,
      static_cast<float>((1 << std::clamp<std::int64_t>(attr_or(s.attrs, "num_bits", std::int64_t{8}), 2, 16)) - 1)};
}

// A range of which zero is a level.
struct NudgedRange {
  float from = 0, to = 0, step = 0;
  bool is_empty = false;

  NudgedRange(float least, float most, const Levels& levels) : is_empty(least == 0 && most == 0) {
    if (is_empty) return;
    step = (most - least) / (levels.most - levels.least);
    const float zero = std::round(std::clamp(levels.least - least / step, levels.least, levels.most));
    from = (levels.least - zero) * step;
    to = (levels.most - zero) * step;
  }
  [[nodiscard]] float held(float x) const {
    if (is_empty) return 0;
    const float per_step = 1.0F / step, zero = std::floor(-from * per_step + 0.5F);
    return std::floor((std::max(std::min(x, to), from) - from) * per_step - zero + 0.5F) * step;
  }
  // -1 = below, 1 = above
  [[nodiscard]] int side(float x) const { return is_empty ? 0 : x < from ? -1 : x > to ? 1 : 0; }
};

// ---- FakeQuantWithMinMaxArgs (numbers), its gradient (gradient, numbers) ----

NudgedRange range_in_attributes(const KernelSetup& s) {
  return {attr_or(s.attrs, "min", -6.0F), attr_or(s.attrs, "max", 6.0F), levels_of(s)};
}

Behaviour make_by_attributes(const KernelSetup& s) {
  return {[range = range_in_attributes(s)](KernelContext& c) {
            std::ranges::transform(c.data<float>(0), c.out<float>(0).begin(), [&](float x) { return range.held(x); });
            return Status();
          },
          same_shape};
}

Status check_gradient(const KernelContext& c) {
  return c.shape(0) == c.shape(1) ? Status() : invalid("gradient and input must be the same size");
}

Behaviour make_by_attributes_back(const KernelSetup& s) {
  return {[range = range_in_attributes(s)](KernelContext& c) {
            const auto gradient = c.data<float>(0), x = c.data<float>(1);
            for (std::size_t i = 0; i < x.size(); ++i) c.out<float>(0)[i] = range.side(x[i]) == 0 ? gradient[i] : 0;
            return Status();
          },
          equal_shapes(s)};
}

// ---- ...Vars (numbers, least, most), ...VarsPerChannel: the two are vectors; gradients: a gradient in front ----

Status check_ends(const KernelContext& c, std::size_t numbers, bool per_channel) {
  const Shape& x = c.shape(numbers);
  if (per_channel && x.rank() < 1) return invalid("`inputs` must be at least rank 1 but is rank 0");
  for (std::size_t i = 1; i < 3; ++i) {
    const Shape& end = c.shape(numbers + i);
    const char* name = i == 1 ? "min" : "max";
    const std::int64_t rank = per_channel ? 1 : 0;
    if (end.rank() != rank) return invalid("`{}` must be rank {} but is rank {}", name, rank, end.rank());
    if (per_channel && end.dims[0] != x.dims.back())
      return invalid("{} has incorrect size, expected {} was {}", name, x.dims.back(), end.dims[0]);
  }
  return {};
}

std::vector<NudgedRange> ranges_in(const KernelContext& c, std::size_t numbers, const Levels& levels) {
  std::vector<NudgedRange> to;
  const auto least = c.data<float>(numbers + 1), most = c.data<float>(numbers + 2);
  for (std::size_t i = 0; i < least.size(); ++i) to.emplace_back(least[i], most[i], levels);
  return to;
}

template <bool per_channel>
Behaviour make_by_inputs(const KernelSetup& s) {
  return {[levels = levels_of(s)](KernelContext& c) {
            const auto ranges = ranges_in(c, 0, levels);
            const auto x = c.data<float>(0);
            for (std::size_t i = 0; i < x.size(); ++i) c.out<float>(0)[i] = ranges[i % ranges.size()].held(x[i]);
            return Status();
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_ends(c, 0, per_channel));
            return same_shape(c, out);
          }};
}

// Outputs: the gradients of the numbers, of the least, of the most.
template <bool per_channel>
Behaviour make_by_inputs_back(const KernelSetup& s) {
  return {[levels = levels_of(s)](KernelContext& c) {
            const auto ranges = ranges_in(c, 1, levels);
            const auto gradient = c.data<float>(0), x = c.data<float>(1);
            for (std::size_t o = 0; o < 3; ++o) std::ranges::fill(c.out<float>(o), 0.0F);
            for (std::size_t i = 0; i < x.size(); ++i) {
              const std::size_t of = i % ranges.size();
              const int side = ranges[of].side(x[i]);
              c.out<float>(side == 0 ? 0 : side < 0 ? 1 : 2)[side == 0 ? i : of] += gradient[i];
            }
            return Status();
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_gradient(c));
            TARRY_RETURN_IF_ERROR(check_ends(c, 1, per_channel));
            out[0] = c.shape(1);
            out[1] = c.shape(2);
            out[2] = c.shape(3);
            return {};
          }};
}

constexpr KernelRow kFakeQuantRows[] = {
    {"FakeQuantWithMinMaxArgs", make_by_attributes},
    {"FakeQuantWithMinMaxArgsGradient", make_by_attributes_back},
    {"FakeQuantWithMinMaxVars", make_by_inputs<false>},
    {"FakeQuantWithMinMaxVarsGradient", make_by_inputs_back<false>},
    {"FakeQuantWithMinMaxVarsPerChannel", make_by_inputs<true>},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", make_by_inputs_back<true>},
};

}  // namespace

KernelFamily fake_quant_ops() { return kFakeQuantRows; }

}  // namespace tarry
