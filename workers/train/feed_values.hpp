// The values that a client feeds into a tensor, step by step.
//
// Draws of a law are keyed by worker, tensor and step: nothing else that runs moves them. Numbers of laws are in
// millionths, so that they are the same on every compiler.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "placer/core/random.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

// Without values a client feeds zeros, and of tensors with more elements than this their shape alone. Integers are
// indices and labels, on which other shapes may depend.
inline constexpr std::int64_t kKnownIntegers = 4096, kKnownOthers = 64;

struct FedList {  // step n feeds the n-th, and after the last one again the first; not empty
  std::vector<TensorRef> steps;
};
struct FedUniform {  // low <= x < high; whole numbers where the tensor has integers
  std::int64_t low = 0, high = 1'000'000;
};
struct FedNormal {
  std::int64_t mean = 0, sd = 1'000'000;
};
struct FedOneHot {  // each row of the last dimension has a 1 at a place that is drawn, and zeros
};
using FeedValues = std::variant<FedList, FedUniform, FedNormal, FedOneHot>;

// Whether fed_value can draw elements of this type: float32, float64, int32, int64, and bool for one hot.
[[nodiscard]] bool can_draw(const FeedValues& values, DataType dtype);

// The key of the draws for one tensor of one worker. `world` is the source that all keys of a run come from.
[[nodiscard]] std::uint64_t feed_key(const Random& world, std::size_t task, std::string_view tensor);

// What step `step` feeds, counted from 0. A law draws when the elements are first read: many are never. REQUIRES:
// tensors of a list have this type and shape; can_draw() of a law; low < high, for integers by a whole number.
[[nodiscard]] TensorRef fed_value(const FeedValues& values, DataType dtype, const Shape& shape, std::uint64_t key,
                                  std::uint64_t step);

}  // namespace tarry
