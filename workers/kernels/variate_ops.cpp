// Gamma and Poisson variates, as TensorFlow draws them: each sample has a part of the generator's counter of its own.
// Those of a double stand for all types, which are rounded.

#include <array>
#include <cmath>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/philox.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kBlocksOfSample = 256;

// Uniform and normal numbers come in pairs, of which the second is taken first.
class SampleDraws {
 public:
  explicit SampleDraws(const Philox& g) : words_(g) {}
  double uniform() {
    if (uniforms_left_ == 0) uniforms_ = {words_.next_double(), words_.next_double()}, uniforms_left_ = 2;
    return uniforms_[--uniforms_left_];
  }
  double normal() {
    if (normals_left_ == 0) normals_ = next_normals(words_), normals_left_ = 2;
    return normals_[--normals_left_];
  }

 private:
  WordStream words_;
  std::array<double, 2> uniforms_{}, normals_{};
  std::size_t uniforms_left_ = 0, normals_left_ = 0;
};

// After Marsaglia and Tsang; below 1 by a power of a uniform number.
double gamma(SampleDraws draws, double alpha) {
  if (alpha == 1) return -std::log1p(-draws.uniform());
  const double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / std::sqrt(d);
  for (;;) {
    const double x = draws.normal(), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root, u = draws.uniform();
    if (u >= 1 - 0.0331 * (x * x) * (x * x) && std::log(u) >= 0.5 * x * x + d * (1 - v + std::log(v))) continue;
    return alpha < 1 ? d * v * std::pow(draws.uniform(), 1 / alpha) : d * v;
  }
}

// After Knuth.
double small_poisson(SampleDraws& draws, double rate) {
  double product = 1;
  for (double x = 0;; ++x)
    if ((product *= draws.uniform()) <= std::exp(-rate)) return x;
}

// After Hoermann: a number between two uniform ones is transformed, and taken or not.
double large_poisson(SampleDraws& draws, double rate) {
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b, inverse = 1.1239 + 1.1328 / (b - 3.4);
  for (;;) {
    const double u = draws.uniform() - 0.5, v = draws.uniform(), from_end = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / from_end + b) * u + rate + 0.43);
    if (from_end >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (from_end < 0.013 && v > from_end)) continue;
    const double said = std::log(v * inverse / (a / (from_end * from_end) + b));
    if (said <= -rate + k * std::log(rate) - std::lgamma(k + 1)) return k;
  }
}
double poisson(SampleDraws draws, double rate) {
  if (!(rate >= 0)) return std::numeric_limits<double>::quiet_NaN();
  return rate < 10 ? small_poisson(draws, rate) : large_poisson(draws, rate);
}

std::vector<double> numbers_in(const TensorBody& t) {
  std::vector<double> numbers;
  (void)for_number(t.dtype(), [&]<class T>() {
    for (const T x : t.as<T>()) numbers.push_back(static_cast<double>(x));
    return Status();
  });
  return numbers;
}

// What a whole number cannot hold is its least one, as on the machines that record.
template <class T>
T rounded(double x) {
  if constexpr (std::is_integral_v<T>)
    if (!(x < static_cast<double>(std::numeric_limits<T>::max()))) return std::numeric_limits<T>::min();
  return static_cast<T>(x);
}

// One sample of each parameter in turn, until the output is full.
template <double (*law)(SampleDraws, double)>
Status fill(KernelContext& c, const Philox& generator, std::size_t parameters) {
  const std::vector<double> of = numbers_in(c.in(parameters));
  return for_number(c.outputs[0].tensor->dtype(), [&]<class T>() {
    const auto to = c.out<T>(0);
    const std::size_t each = of.empty() ? 0 : to.size() / of.size();
    for (std::size_t i = 0; i < each * of.size(); ++i) {
      Philox at = generator;
      at.advance(kBlocksOfSample * i);
      to[i % each * of.size() + i / each] = rounded<T>(law(SampleDraws(at), of[i / each]));
    }
    return Status();
  });
}

// The shape asked for, in front of that of the parameters.
Status samples_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(drawn_shape(c, out));
  out[0].dims.insert(out[0].dims.end(), c.shape(1).dims.begin(), c.shape(1).dims.end());
  return {};
}

template <double (*law)(SampleDraws, double)>
Behaviour make_variate(const KernelSetup& s) {
  auto generator = std::make_shared<OpGenerator>(s);
  return {[generator](KernelContext& c) {
            return fill<law>(c, generator->take(kBlocksOfSample * static_cast<std::uint64_t>(out(c).elements())), 1);
          },
          samples_shape, true};
}

Status ends_with_parameters(const Shape& asked, const Shape& parameters) {
  const Dims &all = asked.dims, &end = parameters.dims;
  if (end.size() <= all.size() && std::equal(end.rbegin(), end.rend(), all.rbegin())) return {};
  return invalid("Shape passed in must end with broadcasted shape.");
}

Status stateless_samples_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(stateless_shape(c, out));
  return ends_with_parameters(out[0], c.shape(2));
}

template <double (*law)(SampleDraws, double)>
Status stateless_variate(KernelContext& c) {
  return fill<law>(c, Philox::scrambled(integers_of(c.in(1))), 2);
}

// StatelessRandomGammaV3 (shape, a generator (philox.hpp), alpha).
Status keyed_gamma(KernelContext& c) { return fill<gamma>(c, keyed_generator(c), 4); }
Status keyed_gamma_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_generator(c));
  TARRY_RETURN_IF_ERROR(drawn_shape(c, out));
  return ends_with_parameters(out[0], c.shape(4));
}

constexpr KernelRow kVariateRows[] = {
    {"RandomGamma", make_variate<gamma>},
    {"RandomPoisson", make_variate<poisson>},
    {"RandomPoissonV2", make_variate<poisson>},
    {"StatelessRandomGammaV2", behaves<stateless_variate<gamma>, stateless_samples_shape>},
    {"StatelessRandomGammaV3", behaves<keyed_gamma, keyed_gamma_shape>},
    {"StatelessRandomPoisson", behaves<stateless_variate<poisson>, stateless_samples_shape>},
};

}  // namespace

KernelFamily variate_ops() { return kVariateRows; }

}  // namespace tarry
