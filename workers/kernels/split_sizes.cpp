#include "workers/kernels/split_sizes.hpp"

#include <algorithm>
#include <limits>

namespace tarry {

Status complete_sizes(Dims& sizes, std::int64_t whole) {
  if (sizes.size() == 1 && sizes[0] != whole)
    return invalid(
        "If there is only one output, it must have the same size as the input. Input size: {} output size: {}", whole,
        sizes[0]);
  if (sizes.size() > 1 && std::ranges::count(sizes, -1) > 1) return invalid("There can only be one -1 in the input.");
  const auto open = std::ranges::find(sizes, -1);
  std::int64_t determined = open == sizes.end() ? 0 : 1;
  for (const std::int64_t s : sizes)
    if (__builtin_add_overflow(determined, s, &determined)) determined = std::numeric_limits<std::int64_t>::max();
  if (open == sizes.end() ? determined != whole : determined > whole)
    return invalid(
        "Determined shape must either match input shape along split_dim exactly if fully specified, or be less than "
        "the size of the input along split_dim if not fully specified.  Got: {}",
        determined);
  if (open != sizes.end()) *open = whole - determined;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 0) return invalid("Split size at index {} must be >= 0. Got: {}", i, sizes[i]);
  return {};
}

}  // namespace tarry
