// Moving elements by their coordinates.
#pragma once

#include <functional>

#include "workers/kernels/elements.hpp"

namespace tarry {

[[nodiscard]] inline Dims coordinates(const Shape& s, std::int64_t flat) {
  Dims at(s.dims.size());
  for (std::size_t d = s.dims.size(); d-- > 0;) {
    at[d] = flat % s.dims[d];
    flat /= s.dims[d];
  }
  return at;
}
[[nodiscard]] inline std::int64_t flat_index(const Shape& s, const Dims& at) {
  std::int64_t flat = 0;
  for (std::size_t d = 0; d < at.size(); ++d) flat = flat * s.dims[d] + at[d];
  return flat;
}

// Every element of the output is the input's element at `source(coordinates)`; where that is empty, the output keeps
// its zero.
inline void rearrange(KernelContext& c, const TensorBody& from, const std::function<bool(Dims&)>& source) {
  TensorBody& to = out(c);
  for (std::int64_t i = 0; i < to.elements(); ++i) {
    Dims at = coordinates(to.shape(), i);
    if (source(at))
      copy_elements(to, static_cast<std::size_t>(i), from, static_cast<std::size_t>(flat_index(from.shape(), at)));
  }
}

}  // namespace tarry
