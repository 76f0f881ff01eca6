#include "placer/graph/shape_faults.hpp"

#include <fmt/format.h>

namespace tarry {
namespace {

constexpr std::size_t kMostSizes = 254;

std::string fault_of(const Shape& s, std::int64_t smallest, const char* below) {
  const std::string text = to_string(s);
  if (s.dims.size() > kMostSizes) return fmt::format("Shape {} has too many dimensions", text);
  std::int64_t elements = 1;
  for (const std::int64_t d : s.dims) {
    if (d < smallest) return fmt::format("Shape {} {}", text, below);
    if (d < 0 || elements < 0)
      elements = -1;
    else if (__builtin_mul_overflow(elements, d, &elements))
      return fmt::format("Shape {} is too large (more than 2**63 - 1 entries)", text);
  }
  return "";
}

}  // namespace

std::string fault_of_partial(const Shape& s) {
  if (s.unknown_rank) return s.dims.empty() ? "" : "An unknown shape must not have any dimensions set.";
  return fault_of(s, -1, "has dimensions with values below -1 (where -1 means unknown)");
}

std::string fault_of_full(const Shape& s) { return fault_of(s, 0, "is not fully defined"); }

}  // namespace tarry
