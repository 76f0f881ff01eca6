// Images scaled and moved: each position of the output is a weighted sum of a span of positions of the image, by rows
// and then by columns.

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/input_rule.hpp"

namespace tarry {
namespace {

// The weight of what is `x` >= 0 away.
struct Weighing {
  std::string_view name;
  float radius;
  float (*weight)(float x, float radius);
};

float lanczos(float x, float radius) {
  constexpr auto kPi = static_cast<float>(M_PI);
  if (x > radius) return 0;
  if (x <= 1e-3F) return 1;
  return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
}
float gaussian(float x, float radius) {
  const float sigma = radius / 3;
  return x >= radius ? 0 : std::exp(-x * x / (2 * sigma * sigma));
}
float box(float x, float) { return x < 0.5F ? 1.0F : x == 0.5F ? 0.5F : 0.0F; }
float triangle(float x, float) { return x < 1 ? 1 - x : 0; }
float keys_cubic(float x, float) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5F * x + 2.5F) * x - 4) * x + 2 : ((1.5F * x - 2.5F) * x) * x + 1;
}
float mitchell_cubic(float x, float) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0F / 18) * x + 2) * x - 10.0F / 3) * x + 16.0F / 9;
  return (((7.0F / 6) * x - 2) * x) * x + 8.0F / 9;
}

constexpr Weighing kWeighings[] = {{"lanczos1", 1, lanczos},
                                   {"lanczos3", 3, lanczos},
                                   {"lanczos5", 5, lanczos},
                                   {"gaussian", 1.5F, gaussian},
                                   {"box", 1, box},
                                   {"triangle", 1, triangle},
                                   {"keyscubic", 2, keys_cubic},
                                   {"mitchellcubic", 2, mitchell_cubic}};

// The positions that one of the output takes, from `first` on.
struct Span {
  std::int64_t first = 0;
  std::vector<float> weights;  // empty = it lies outside
};

struct ScaledAxis {
  std::int64_t in = 0, out = 0;
  float scale = 1, move = 0;
};

Span span_at(std::int64_t x, const ScaledAxis& axis, const Weighing& w, bool antialias) {
  const float inverse = 1.0F / axis.scale, widened = antialias ? std::max(inverse, 1.0F) : 1.0F;
  const float at = (static_cast<float>(x) + 0.5F) * inverse - inverse * axis.move;
  if (axis.in == 0 || !(at >= 0 && at <= static_cast<float>(axis.in))) return {};
  const auto within = [&](float p) {
    return static_cast<std::int64_t>(std::clamp(p, 0.0F, static_cast<float>(axis.in - 1)));
  };
  const std::int64_t from = within(std::ceil(at - w.radius * widened - 0.5F)),
                     to = within(std::floor(at + w.radius * widened - 0.5F)) + 1;
  Span span{from, {}};
  float sum = 0;
  for (std::int64_t p = from; p < to; ++p) {
    const float distance = static_cast<float>(p) + 0.5F - at;
    span.weights.push_back(w.weight(std::abs(distance * (1.0F / widened)), w.radius));
    sum += span.weights.back();
  }
  if (std::abs(sum) < 1000.0F * std::numeric_limits<float>::min()) return {};
  for (float& weight : span.weights) weight *= 1.0F / sum;
  return span;
}

std::vector<Span> spans_of(const ScaledAxis& axis, const Weighing& w, bool antialias) {
  std::vector<Span> spans;
  for (std::int64_t x = 0; x < axis.out; ++x) spans.push_back(span_at(x, axis, w, antialias));
  return spans;
}

struct Scaled {
  const Weighing* weighing = nullptr;  // null = a kind that there is not
  bool antialias = true;
  std::string kind;

  explicit Scaled(const KernelSetup& s)
      : antialias(attr_or(s.attrs, "antialias", true)), kind(attr_or(s.attrs, "kernel_type", std::string("lanczos3"))) {
    for (const Weighing& w : kWeighings)
      if (w.name == kind) weighing = &w;
  }
};

Status check_pair(const KernelContext& c, std::size_t input, const char* name) {
  const Shape& shape = c.shape(input);
  if (shape.rank() != 1) return invalid("{} must be 1-dimensional{}", name, to_string(shape));
  return shape.dims[0] == 2 ? Status() : invalid("{} must have two elements{}", name, to_string(shape));
}

// Of the inputs `scale` and the one behind it, which says how far it moves.
Status check_scale(const KernelContext& c, std::size_t scale) {
  TARRY_RETURN_IF_ERROR(check_pair(c, scale, "t"));
  if (known(c, scale) && std::ranges::any_of(c.data<float>(scale), [](float s) { return !(s > 0); }))
    return invalid("Scale must be greater than zero.");
  return check_pair(c, scale + 1, "t");
}

Status check_image(const Shape& image) {
  if (image.dims[3] <= 0) return invalid("image must have at least one channel");
  return image.dims[1] > 0 && image.dims[2] > 0 ? Status() : invalid("input image must be of non-zero size");
}

struct Images {
  std::int64_t batch, channels;
  const std::vector<Span>&rows, &columns;
};

template <class F>
void for_each_pair(const Images& m, F&& f) {
  for (std::int64_t y = 0; y < std::ssize(m.rows); ++y)
    for (std::int64_t i = 0; i < std::ssize(m.rows[static_cast<std::size_t>(y)].weights); ++i)
      for (std::int64_t x = 0; x < std::ssize(m.columns); ++x)
        for (std::int64_t j = 0; j < std::ssize(m.columns[static_cast<std::size_t>(x)].weights); ++j) {
          const Span &row = m.rows[static_cast<std::size_t>(y)], &column = m.columns[static_cast<std::size_t>(x)];
          const double weight = static_cast<double>(row.weights[static_cast<std::size_t>(i)]) *
                                static_cast<double>(column.weights[static_cast<std::size_t>(j)]);
          f(y, x, row.first + i, column.first + j, weight);
        }
}

std::size_t place(std::int64_t b, std::int64_t y, std::int64_t x, const Shape& s) {
  return static_cast<std::size_t>(((b * s.dims[1] + y) * s.dims[2] + x) * s.dims[3]);
}

template <class T>
std::vector<double> scaled(const Images& m, std::span<const T> in, const Shape& from, const Shape& to) {
  std::vector<double> sums(static_cast<std::size_t>(to.elements()));
  for (std::int64_t b = 0; b < m.batch; ++b)
    for_each_pair(m, [&](std::int64_t y, std::int64_t x, std::int64_t row, std::int64_t column, double weight) {
      for (std::size_t k = 0; k < static_cast<std::size_t>(m.channels); ++k)
        sums[place(b, y, x, to) + k] += weight * static_cast<double>(in[place(b, row, column, from) + k]);
    });
  return sums;
}

void put_sums(KernelContext& c, const std::vector<double>& sums) {
  std::ranges::transform(sums, c.out<float>(0).begin(), [](double x) { return static_cast<float>(x); });
}

// ---- ScaleAndTranslate (images, size, scale, translation) ----

Status scale_shape(const KernelContext& c, const Scaled& how, std::span<Shape> out) {
  if (how.weighing == nullptr) return invalid("Unrecognized kernel type: {}", how.kind);
  const Shape& images = c.shape(0);
  if (images.rank() != 4) return invalid("input must be 4-dimensional{}", to_string(images));
  TARRY_RETURN_IF_ERROR(check_pair(c, 1, "output_shape_t"));
  if (!known(c, 1)) return shape_not_known();
  const Dims size = integers_of(c.in(1));
  if (size[0] <= 0 || size[1] <= 0) return invalid("output dimensions must be positive");
  TARRY_RETURN_IF_ERROR(check_image(images));
  TARRY_RETURN_IF_ERROR(check_scale(c, 2));
  return only(out, Shape({images.dims[0], size[0], size[1], images.dims[3]}));
}

std::vector<Span> spans_in(const KernelContext& c, const Scaled& how, std::size_t scale, std::size_t axis,
                           const Shape& in, const Shape& out) {
  const ScaledAxis a{in.dims[axis + 1], out.dims[axis + 1], c.data<float>(scale)[axis], c.data<float>(scale + 1)[axis]};
  return spans_of(a, *how.weighing, how.antialias);
}

Behaviour make_scaled(const KernelSetup& s) {
  return {[how = Scaled(s)](KernelContext& c) {
            const Shape &in = c.shape(0), &out = c.outputs[0].tensor->shape();
            const auto rows = spans_in(c, how, 2, 0, in, out), columns = spans_in(c, how, 2, 1, in, out);
            return for_number(c.in(0).dtype(), [&]<class T>() {
              put_sums(c, scaled<T>({in.dims[0], in.dims[3], rows, columns}, c.data<T>(0), in, out));
              return Status();
            });
          },
          [how = Scaled(s)](const KernelContext& c, std::span<Shape> out) { return scale_shape(c, how, out); }};
}

// ---- ScaleAndTranslateGrad (gradient, the images, scale, translation) ----

Status scale_back_shape(const KernelContext& c, const Scaled& how, std::span<Shape> out) {
  if (how.weighing == nullptr) return invalid("Unrecognized kernel type: {}", how.kind);
  const Shape &gradient = c.shape(0), &images = c.shape(1);
  if (gradient.rank() != 4) return invalid("input_grad must be 4-dimensional{}", to_string(gradient));
  if (images.rank() != 4) return invalid("original_image must be 4-dimensional{}", to_string(images));
  TARRY_RETURN_IF_ERROR(check_scale(c, 2));
  return only(out, Shape({gradient.dims[0], images.dims[1], images.dims[2], gradient.dims[3]}));
}

Behaviour make_scaled_back(const KernelSetup& s) {
  return {[how = Scaled(s)](KernelContext& c) -> Status {
            const Shape &from = c.shape(0), &to = c.outputs[0].tensor->shape();
            const auto rows = spans_in(c, how, 2, 0, to, from), columns = spans_in(c, how, 2, 1, to, from);
            std::vector<double> sums(static_cast<std::size_t>(to.elements()));
            for (std::int64_t b = 0; b < from.dims[0]; ++b)
              for_each_pair({from.dims[0], from.dims[3], rows, columns},
                            [&](std::int64_t y, std::int64_t x, std::int64_t row, std::int64_t column, double weight) {
                              for (std::size_t k = 0; k < static_cast<std::size_t>(from.dims[3]); ++k)
                                sums[place(b, row, column, to) + k] +=
                                    weight * static_cast<double>(c.data<float>(0)[place(b, y, x, from) + k]);
                            });
            put_sums(c, sums);
            return {};
          },
          [how = Scaled(s)](const KernelContext& c, std::span<Shape> out) { return scale_back_shape(c, how, out); }};
}

constexpr KernelRow kScaleRows[] = {
    {"ScaleAndTranslate", make_scaled},
    {"ScaleAndTranslateGrad", make_scaled_back},
};

}  // namespace

KernelFamily scale_ops() { return kScaleRows; }

}  // namespace tarry
