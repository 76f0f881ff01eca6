#include "workers/roofline/inputs.hpp"

#include <algorithm>
#include <limits>

namespace tarry {
namespace {

constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();

std::uint64_t capped(unsigned __int128 n) { return n > kMost ? kMost : static_cast<std::uint64_t>(n); }

std::int64_t dim_from_end(const Shape& s, int i) {
  const int at = s.rank() - 1 - i;
  return at < 0 ? 1 : s.dims[static_cast<std::size_t>(at)];
}

}  // namespace

std::uint64_t product(std::initializer_list<std::uint64_t> factors) {
  if (std::ranges::find(factors, 0u) != factors.end()) return 0;
  std::uint64_t all = 1;
  for (const std::uint64_t f : factors) all = capped(static_cast<unsigned __int128>(all) * f);
  return all;
}

std::uint64_t total(std::initializer_list<std::uint64_t> terms) {
  std::uint64_t all = 0;
  for (const std::uint64_t t : terms) all = capped(static_cast<unsigned __int128>(all) + t);
  return all;
}

const TensorBody* WorkInputs::body(std::size_t i) const {
  if (i >= values_.size()) return nullptr;
  const Value& v = values_[i];
  return v.resource != nullptr ? v.resource->content() : v.tensor.get();
}

const Shape& WorkInputs::shape(std::size_t i) const {
  static const Shape kNone;
  const TensorBody* t = body(i);
  return t == nullptr ? kNone : t->shape();
}

std::uint64_t WorkInputs::bytes(std::size_t i) const {
  const TensorBody* t = body(i);
  return t == nullptr ? 0 : product({count_of(t->shape()), type_size(t->dtype())});
}

std::uint64_t WorkInputs::bytes_of(std::size_t first, std::size_t last) const {
  std::uint64_t all = 0;
  for (std::size_t i = first; i < last; ++i) all = total({all, bytes(i)});
  return all;
}

std::uint64_t WorkInputs::dim(std::size_t i, int d) const {
  const Shape& s = shape(i);
  const int at = d < 0 ? s.rank() + d : d;
  return at < 0 || at >= s.rank() ? 1 : as_count(s.dims[static_cast<std::size_t>(at)]);
}

bool WorkInputs::has_integers(std::size_t i) const {
  const TensorBody* t = body(i);
  return t != nullptr && t->has_data() && (t->dtype() == DataType::kInt32 || t->dtype() == DataType::kInt64);
}

std::int64_t WorkInputs::integer(std::size_t i, std::size_t k, std::int64_t otherwise) const {
  if (!has_integers(i) || k >= elements(i)) return otherwise;
  const TensorBody& t = *body(i);
  return t.dtype() == DataType::kInt32 ? t.as<std::int32_t>()[k] : t.as<std::int64_t>()[k];
}

std::uint64_t WorkInputs::integers_multiplied(std::size_t i, std::uint64_t otherwise) const {
  if (!has_integers(i)) return otherwise;
  std::uint64_t all = 1;
  for (std::size_t k = 0; k < elements(i); ++k) all = product({all, as_count(integer(i, k, 0))});
  return all;
}

std::uint64_t recorded_or(const WorkFacts& facts, std::uint64_t otherwise) {
  return !facts.recorded.empty() && facts.recorded.front().fully_known() ? count_of(facts.recorded.front()) : otherwise;
}

std::uint64_t broadcast_count(const Shape& a, const Shape& b, int skip) {
  std::uint64_t all = 1;
  for (int i = skip; i < std::max(a.rank(), b.rank()); ++i) {
    const std::int64_t x = dim_from_end(a, i), y = dim_from_end(b, i);
    all = product({all, as_count(x == 1 ? y : y == 1 ? x : std::max(x, y))});
  }
  return all;
}

}  // namespace tarry
