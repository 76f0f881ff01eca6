// Random ops that depend on the seeds in their inputs alone. These values are TensorFlow's own (philox.hpp).

#include <algorithm>
#include <cstring>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/philox.hpp"

namespace tarry {
namespace {

DataType drawn_type(const KernelSetup& s) { return attr_or(s.attrs, "dtype", DataType::kFloat); }

template <Draw what>
Behaviour make_stateless(const KernelSetup& s) {
  return {
      [type = drawn_type(s)](KernelContext& c) { return draw(c, Philox::scrambled(integers_of(c.in(1))), what, type); },
      stateless_shape};
}

// ---- whole numbers: in [minval, maxval), or of all bits ----

Status stateless_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(stateless_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 2);
}

Status stateless_int(KernelContext& c) {
  return out(c).elements() == 0 ? Status() : draw_int(c, Philox::scrambled(integers_of(c.in(1))), 2);
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
Status stateless_bits(KernelContext& c) { return draw_bits(c, Philox::scrambled(integers_of(c.in(1)))); }

// ---- the second version: shape, key [1], counter [2], algorithm; and the ops that make these of two seeds ----

TensorRef unsigned_vector(const std::vector<std::uint64_t>& values) {
  MutableTensor t = make_tensor(DataType::kUint64, Shape({std::ssize(values)}));
  std::memcpy(t->mutable_raw().data(), values.data(), values.size() * sizeof(std::uint64_t));
  return t;
}

Status keyed_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_generator(c));
  return drawn_shape(c, out);
}
Status keyed_int_shape(const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(keyed_shape(c, out));
  return out[0].elements() == 0 ? Status() : check_limits(c, 4);
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
  const Philox g = Philox::scrambled(integers_of(c.in(0)));
  const auto joined = [](std::uint64_t low, std::uint64_t high) { return high << 32 | low; };
  c.set(0, unsigned_vector({joined(g.key[0], g.key[1])}));
  c.set(1, unsigned_vector({joined(g.counter[0], g.counter[1]), joined(g.counter[2], g.counter[3])}));
  if (c.outputs.size() > 2) c.set(2, make_scalar(static_cast<std::int32_t>(kPhiloxAlgorithm)));
  return {};
}
Status algorithm(KernelContext& c) { return c.give(0, make_scalar(static_cast<std::int32_t>(kPhiloxAlgorithm))); }

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
