// Moving elements of any type between tensors; shared by the ops that do nothing else.
#pragma once

#include <algorithm>
#include <cstring>

#include "workers/kernels/kernel.hpp"

namespace tarry {

inline void copy_elements(TensorBody& to, std::size_t at, const TensorBody& from, std::size_t from_at,
                          std::size_t n = 1) {
  const std::size_t size = type_size(to.dtype());
  if (size == 0)
    std::copy_n(from.strings().begin() + static_cast<std::ptrdiff_t>(from_at), n,
                to.mutable_strings().begin() + static_cast<std::ptrdiff_t>(at));
  else
    std::memcpy(to.mutable_raw().data() + at * size, from.raw().data() + from_at * size, n * size);
}

[[nodiscard]] inline TensorBody& out(KernelContext& c, std::size_t i = 0) {
  return const_cast<TensorBody&>(*c.outputs[i].tensor);
}

// Whether the values of an input are known, for shape functions that depend on them.
[[nodiscard]] inline bool known(const KernelContext& c, std::size_t i) { return c.in(i).has_data(); }

// A vector of integers in the type asked for, int32 or int64.
[[nodiscard]] inline TensorRef integers_as(DataType type, const Dims& values) {
  if (type == DataType::kInt64) return make_vector(values);
  return make_vector(std::vector<std::int32_t>(values.begin(), values.end()));
}

// The same for one element of a tensor of int32 or int64.
inline void put_integer(TensorBody& to, std::size_t at, std::int64_t value) {
  if (to.dtype() == DataType::kInt64)
    to.mutable_as<std::int64_t>()[at] = value;
  else
    to.mutable_as<std::int32_t>()[at] = static_cast<std::int32_t>(value);
}

// The product of the dimensions [from, to).
[[nodiscard]] inline std::int64_t product(const Shape& s, std::size_t from, std::size_t to) {
  std::int64_t n = 1;
  for (std::size_t i = from; i < to; ++i) n *= s.dims[i];
  return n;
}

// Whether a tensor that a kernel makes by itself, of a shape that its inputs say, is small enough to be made.
// RESOURCE_EXHAUSTED.
[[nodiscard]] inline Status check_can_be_kept(const Shape& s) {
  constexpr std::int64_t kMost = std::int64_t{1} << 26;
  std::int64_t n = 1;
  for (const std::int64_t d : s.dims)
    if (__builtin_mul_overflow(n, d, &n)) n = kMost + 1;
  return n <= kMost ? Status() : error(Code::kResourceExhausted, "tarry makes no tensor of shape {}", to_string(s));
}

// The index of element `flat` of a tensor, "[1,0]"; "" for a scalar.
[[nodiscard]] inline std::string position(const Shape& s, std::int64_t flat) {
  if (s.dims.empty()) return "";
  Shape at;
  for (std::size_t d = 0; d < s.dims.size(); ++d)
    at.dims.push_back(flat / product(s, d + 1, s.dims.size()) % s.dims[d]);
  return to_string(at);
}

}  // namespace tarry
