// Candidate sampling for large softmaxes: classes, and how often each is expected among them. Where a seed is given
// the values are TensorFlow's own.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/philox.hpp"

namespace tarry {
namespace {

// The law that a sampler draws classes by.
class ClassLaw {
 public:
  ClassLaw() = default;
  ClassLaw(const ClassLaw&) = delete;
  ClassLaw& operator=(const ClassLaw&) = delete;
  virtual ~ClassLaw() = default;
  virtual std::int64_t draw(WordStream& words) const = 0;
  [[nodiscard]] virtual float probability(std::int64_t id) const = 0;
};

template <class Draw>
std::uint64_t draw_below(std::uint64_t bound, std::uint64_t most, const Draw& draw) {
  if ((bound & (bound - 1)) == 0) return draw() & (bound - 1);
  const std::uint64_t too_few = most % bound + 1;  // as many of the least numbers would make some classes more frequent
  for (;;)
    if (const std::uint64_t x = draw(); x >= too_few) return x % bound;
}

class UniformLaw : public ClassLaw {
 public:
  explicit UniformLaw(std::int64_t range) : range_(range) {}
  std::int64_t draw(WordStream& words) const override {
    return static_cast<std::int64_t>(
        draw_below(static_cast<std::uint64_t>(range_), ~std::uint64_t{0}, [&] { return words.next_two(); }));
  }
  [[nodiscard]] float probability(std::int64_t) const override {
    return static_cast<float>(1.0 / static_cast<double>(range_));
  }

 private:
  std::int64_t range_;
};

// P(class) = log((class + 2) / (class + 1)) / log(range + 1)
class LogUniformLaw : public ClassLaw {
 public:
  explicit LogUniformLaw(std::int64_t range) : range_(range), log_range_(std::log1p(static_cast<double>(range))) {}
  std::int64_t draw(WordStream& words) const override {
    return (static_cast<std::int64_t>(std::exp(words.next_double() * log_range_)) - 1) % range_;
  }
  [[nodiscard]] float probability(std::int64_t id) const override {
    const auto x = static_cast<double>(id);
    return static_cast<float>(std::log((x + 2.0) / (x + 1.0)) / log_range_);
  }

 private:
  std::int64_t range_;
  double log_range_;
};

// By given weights, after Walker: each class shares its place with at most one other.
class WeightedLaw : public ClassLaw {
 public:
  explicit WeightedLaw(std::vector<float> weights) : weights_(std::move(weights)), places_(weights_.size()) {
    for (const float w : weights_) sum_ += w;
    pair_up();
  }
  std::int64_t draw(WordStream& words) const override {
    const float at = static_cast<float>(words.next() & 0x7FFFFFU) / 8388608.0F;
    const auto i = draw_below(places_.size(), 0xFFFFFFFFU, [&] { return std::uint64_t{words.next()}; });
    return at < places_[i].share ? static_cast<std::int64_t>(i) : places_[i].other;
  }
  [[nodiscard]] float probability(std::int64_t id) const override {
    return weights_[static_cast<std::size_t>(id)] / sum_;
  }

 private:
  struct Place {
    float share = 1;
    std::int64_t other = 0;
  };

  void pair_up() {
    const double sum = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::vector<double> share;
    std::vector<std::size_t> more, less;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      share.push_back(weights_[i] * static_cast<double>(weights_.size()) / sum);
      (share[i] < 1 ? less : more).push_back(i);
    }
    while (!more.empty() && !less.empty()) {
      const std::size_t low = less.back(), high = more.back();
      less.pop_back();
      more.pop_back();
      places_[low] = {static_cast<float>(share[low]), static_cast<std::int64_t>(high)};
      share[high] -= 1 - share[low];
      (share[high] < 1 ? less : more).push_back(high);
    }
    for (const auto* rest : {&more, &less})
      for (const std::size_t i : *rest) places_[i] = {1, static_cast<std::int64_t>(i)};
  }

  std::vector<float> weights_;
  float sum_ = 0;
  std::vector<Place> places_;
};

constexpr std::int64_t kMostTries = 10'000'000;

struct Sampler {
  std::int64_t true_count, samples, range;
  bool unique;
  std::unique_ptr<ClassLaw> law;  // null = all classes, one after the other
  OpGenerator generator;

  // How many tries it took. Fails: RESOURCE_EXHAUSTED where too few classes have a weight.
  [[nodiscard]] StatusOr<std::int64_t> draw(std::span<std::int64_t> to) {
    WordStream words(generator.take(512 * static_cast<std::uint64_t>(samples)));
    std::int64_t tries = 0;
    for (std::size_t n = 0; n < to.size(); ++tries) {
      if (tries == kMostTries)
        return error(Code::kResourceExhausted, "the sampler found no other class in {} tries", tries);
      const std::int64_t id = law->draw(words);
      const auto before = to.first(n);
      if (!unique || std::ranges::find(before, id) == before.end()) to[n++] = id;
    }
    return tries;
  }

  // How often a class is expected among that many tries.
  [[nodiscard]] float expected(std::int64_t id, std::int64_t tries) const {
    const float p = law->probability(id);
    if (tries == samples) return p * static_cast<float>(samples);
    return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
  }
};

Status check_classes(const KernelContext& c, const Sampler& s) {
  if (c.shape(0).rank() != 2) return invalid("true_classes must be a matrix");
  if (c.shape(0).dims[1] != s.true_count)
    return invalid("true_classes must have num_true columns, expected: {} was: {}", c.shape(0).dims[1], s.true_count);
  if (s.unique && s.samples > s.range) return invalid("Sampler's range is too small.");
  if (!c.in(0).has_data()) return {};
  for (const std::int64_t id : integers_of(c.in(0)))
    if (id < 0 || id >= s.range) return invalid("`true_candidate` out of range [0, {}), received {}", s.range, id);
  return {};
}

Status sample(KernelContext& c, Sampler& s) {
  const auto ids = c.out<std::int64_t>(0);
  if (s.law == nullptr) {
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
    std::ranges::fill(c.out<float>(1), 1.0F);
    std::ranges::fill(c.out<float>(2), 1.0F);
    return {};
  }
  TARRY_ASSIGN(const std::int64_t tries, s.draw(ids));
  const auto expected = [&](std::int64_t id) { return s.expected(id, tries); };
  std::ranges::transform(integers_of(c.in(0)), c.out<float>(1).begin(), expected);
  std::ranges::transform(ids, c.out<float>(2).begin(), expected);
  return {};
}

// Outputs: the sampled classes; expected counts of the true classes, of the sampled ones.
Behaviour sampling(const KernelSetup& s, std::int64_t range, std::unique_ptr<ClassLaw> law) {
  const auto number = [&](const char* name) { return attr_or(s.attrs, name, std::int64_t{1}); };
  auto sampler = std::make_shared<Sampler>(Sampler{number("num_true"), number("num_sampled"), range,
                                                   attr_or(s.attrs, "unique", true), std::move(law), OpGenerator(s)});
  return {[sampler](KernelContext& c) { return sample(c, *sampler); },
          [sampler](const KernelContext& c, std::span<Shape> out) -> Status {
            TARRY_RETURN_IF_ERROR(check_classes(c, *sampler));
            out[0] = out[2] = Shape({sampler->samples});
            out[1] = c.shape(0);
            return {};
          },
          true};
}

std::int64_t range_of(const KernelSetup& s) { return attr_or(s.attrs, "range_max", std::int64_t{1}); }

template <class Law>
Behaviour make_sampler(const KernelSetup& s) {
  return sampling(s, range_of(s), std::make_unique<Law>(range_of(s)));
}
Behaviour make_all(const KernelSetup& s) {
  return sampling(s, attr_or(s.attrs, "num_sampled", std::int64_t{1}), nullptr);
}

// The weights that the node lists, behind those of ids that are never drawn; a shard has every so many of them.
std::vector<float> weights_of(const KernelSetup& s, std::int64_t reserved) {
  std::vector<float> weights(static_cast<std::size_t>(reserved), 0.0F);
  const auto* list = s.attrs.get<AttrList>("unigrams");
  if (list == nullptr) return weights;
  const std::int64_t shards = std::max<std::int64_t>(1, attr_or(s.attrs, "num_shards", std::int64_t{1})),
                     shard = attr_or(s.attrs, "shard", std::int64_t{0});
  auto id = std::ssize(weights);
  for (const float w : list->f)
    if (id++ % shards == shard) weights.push_back(std::pow(w, attr_or(s.attrs, "distortion", 1.0F)));
  return weights;
}

constexpr std::int64_t kMostReserved = 1'000'000;

StatusOr<std::vector<float>> checked_weights(const KernelSetup& s) {
  const auto* list = s.attrs.get<AttrList>("unigrams");
  const std::int64_t reserved = std::max<std::int64_t>(0, attr_or(s.attrs, "num_reserved_ids", std::int64_t{0}));
  if (!attr_or(s.attrs, "vocab_file", std::string()).empty())
    return error(Code::kUnimplemented, "tarry reads no file of classes");
  if (list == nullptr || list->f.empty()) return invalid("Must provide either vocab_file or unigrams.");
  if (reserved > kMostReserved) return error(Code::kUnimplemented, "tarry reserves no more than {} ids", kMostReserved);
  std::vector<float> weights = weights_of(s, reserved);
  if (range_of(s) == std::ssize(weights)) return weights;
  return invalid("range is {} must be equal to weights size  {}", range_of(s), weights.size());
}

Behaviour make_fixed(const KernelSetup& s) {
  auto weights = checked_weights(s);
  if (weights.ok()) return sampling(s, range_of(s), std::make_unique<WeightedLaw>(*std::move(weights)));
  return {[fault = weights.status()](KernelContext&) { return fault; },
          [fault = weights.status()](const KernelContext&, std::span<Shape>) { return fault; }};
}

constexpr KernelRow kCandidateRows[] = {
    {"LogUniformCandidateSampler", make_sampler<LogUniformLaw>},
    {"UniformCandidateSampler", make_sampler<UniformLaw>},
    {"AllCandidateSampler", make_all},
    {"FixedUnigramCandidateSampler", make_fixed},
};

}  // namespace

KernelFamily candidate_ops() { return kCandidateRows; }

}  // namespace tarry
