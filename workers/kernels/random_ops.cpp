// Random ops draw from the run's seed: a stream per node, independent of what others draw. Equality with TensorFlow's
// random values is not claimed; distributions are.

#include <algorithm>

#include "workers/env.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

constexpr double kOneQ32 = 4294967296.0;

double normal(Random& r) { return static_cast<double>(draw_normal_q32(r)) / kOneQ32; }
double uniform(Random& r) { return static_cast<double>(r.next() >> 11) / 9007199254740992.0; }
double truncated_normal(Random& r) {
  for (;;)
    if (const double x = normal(r); x > -2 && x < 2) return x;
}

template <double (*draw)(Random&)>
Behaviour make_random(const KernelSetup& s) {
  auto stream = std::make_shared<Random>(s.host.env->random().fork(s.host.device + "/" + std::string(s.name)));
  return {[stream](KernelContext& c) -> Status {
            if (c.outputs[0].tensor->dtype() == DataType::kFloat)
              std::ranges::generate(c.out<float>(0), [&] { return static_cast<float>(draw(*stream)); });
            else if (c.outputs[0].tensor->dtype() == DataType::kDouble)
              std::ranges::generate(c.out<double>(0), [&] { return draw(*stream); });
            else
              return error(Code::kUnimplemented, "tarry draws no random values of type {}",
                           type_name(c.outputs[0].tensor->dtype()));
            return {};
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(
                check_input(c, {0, "shape must be a vector of {{int32,int64}}, got shape {}", Takes::vector}));
            if (!c.in(0).has_data()) return shape_not_known();
            return only(out, Shape(integers_of(c.in(0))));
          },
          true};
}

constexpr InputRule kBounds[] = {{1, "minval must be 0-D, got shape {}"}, {2, "maxval must be 0-D, got shape {}"}};

// Whole numbers in [minval, maxval).
Behaviour make_random_int(const KernelSetup& s) {
  Behaviour b = make_random<uniform>(s);
  auto stream = std::make_shared<Random>(s.host.env->random().fork(s.host.device + "/" + std::string(s.name)));
  b.shape = [shape = std::move(b.shape)](const KernelContext& c, std::span<Shape> out) -> Status {
    TARRY_RETURN_IF_ERROR(check_inputs(c, kBounds));
    return shape(c, out);
  };
  b.value = [stream](KernelContext& c) -> Status {
    TARRY_ASSIGN(const std::int64_t from, integer_in(c, kBounds[0]));
    TARRY_ASSIGN(const std::int64_t to, integer_in(c, kBounds[1]));
    if (from >= to) return invalid("Need minval < maxval, got {} >= {}", from, to);
    const auto draw = [&] {
      return from + static_cast<std::int64_t>(stream->below(static_cast<std::uint64_t>(to - from)));
    };
    if (c.outputs[0].tensor->dtype() == DataType::kInt32)
      std::ranges::generate(c.out<std::int32_t>(0), [&] { return static_cast<std::int32_t>(draw()); });
    else
      std::ranges::generate(c.out<std::int64_t>(0), draw);
    return {};
  };
  return b;
}

constexpr KernelRow kRandomRows[] = {
    {"TruncatedNormal", make_random<truncated_normal>},
    {"RandomStandardNormal", make_random<normal>},
    {"RandomUniform", make_random<uniform>},
    {"RandomUniformInt", make_random_int},
};

}  // namespace

KernelFamily random_ops() { return kRandomRows; }

}  // namespace tarry
