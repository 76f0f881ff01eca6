// Sequences without alignment: what their losses and their decoders share.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "workers/kernels/matrix.hpp"

namespace tarry {

using Labels = std::vector<std::int64_t>;

template <class T>
constexpr T kNever = -std::numeric_limits<T>::infinity();  // the logarithm of a probability of zero

// What the smaller one adds is a float, whatever the type.
template <class T>
T log_of_sum(T a, T b) {
  if (a == kNever<T>) return b;
  if (b == kNever<T>) return a;
  return std::max(a, b) + std::log1p(std::exp(static_cast<float>(std::min(a, b) - std::max(a, b))));
}

// What one of the batch gives: at each time, so many classes.
template <class T>
struct ClassScores {
  std::span<const T> all;
  std::size_t batch, classes, of;  // of: which of the batch
  [[nodiscard]] std::span<const T> at(std::size_t time) const {
    return all.subspan((time * batch + of) * classes, classes);
  }
};
template <class T>
ClassScores<T> scores_of(const KernelContext& c, std::size_t of) {
  const Dims& d = c.shape(0).dims;
  return {c.data<T>(0), static_cast<std::size_t>(d[1]), static_cast<std::size_t>(d[2]), of};
}

// CTCLoss.
[[nodiscard]] Behaviour make_ctc_loss(const KernelSetup& s);

}  // namespace tarry
