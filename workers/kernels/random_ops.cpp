// Random ops draw from the run's seed: a stream per node, independent of what others draw. Equality with TensorFlow's random values is not
// claimed; distributions are.

#include <algorithm>

#include "workers/kernels/dispatch.hpp"

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
              return error(Code::kUnimplemented, "tarry draws no random values of type {}", type_name(c.outputs[0].tensor->dtype()));
            return {};
          },
          [](const KernelContext& c, std::span<Shape> out) -> Status {
            if (!c.in(0).has_data()) return shape_not_known();
            return only(out, Shape(integers_of(c.in(0))));
          }};
}

constexpr KernelRow kRows[] = {
    {"TruncatedNormal", make_random<truncated_normal>},
    {"RandomStandardNormal", make_random<normal>},
    {"RandomUniform", make_random<uniform>},
};

}  // namespace

KernelFamily random_ops() { return kRows; }

}  // namespace tarry
