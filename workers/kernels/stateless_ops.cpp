// Random ops that depend on the seeds in their inputs alone. These values are TensorFlow's own (philox.hpp).

#include <algorithm>
#include <cstring>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/philox.hpp"

namespace tarry {
namespace {

// The generator that two seeds stand for: they are scrambled first.
Philox generator_of(const Dims& seeds) {
  const auto a = static_cast<std::uint64_t>(seeds[0]), b = static_cast<std::uint64_t>(seeds[1]);
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto mixed = Philox{{low(a), low(a >> 32), low(b), low(b >> 32)}, {0x3EC8F720, 0x02461E29}}.words();
  return {{0, 0, mixed[2], mixed[3]}, {mixed[0], mixed[1]}};
}

DataType drawn_type(const KernelSetup& s) { return attr_or(s.attrs, "dtype", DataType::kFloat); }

Status stateless_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(drawn_shape(c, out));
  if (c.shape(1) != Shape({2})) return invalid("seed must have shape [2], not {}", to_string(c.shape(1)));
  return {};
}

template <Draw what>
Behaviour make_stateless(const KernelSetup& s) {
  return {[type = drawn_type(s)](KernelContext& c) { return draw(c, generator_of(integers_of(c.in(1))), what, type); },
          stateless_shape};
}

// ---- whole numbers: in [minval, maxval), or of all bits ----

Status stateless_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(stateless_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 2);
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
  return {[type = drawn_type(s)](KernelContext& c) { return draw(c, keyed_generator(c), what, type); }, keyed_shape};
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
