// The inputs of a node as work formulas see them: shapes and sizes. A missing value (a dead input of a Merge, a
// variable without a value) counts as nothing.
//
// Numbers saturate, since a shape may have any number of elements.
#pragma once

#include "workers/roofline/work.hpp"

namespace tarry {

[[nodiscard]] std::uint64_t product(std::initializer_list<std::uint64_t> factors);
[[nodiscard]] std::uint64_t total(std::initializer_list<std::uint64_t> terms);
[[nodiscard]] inline std::uint64_t as_count(std::int64_t n) { return n < 0 ? 0 : static_cast<std::uint64_t>(n); }
// The elements of a fully known shape; 0 for any other.
[[nodiscard]] inline std::uint64_t count_of(const Shape& s) { return s.fully_known() ? as_count(s.elements()) : 0; }

class WorkInputs {
 public:
  explicit WorkInputs(std::span<const Value> values) : values_(values) {}

  [[nodiscard]] std::size_t size() const { return values_.size(); }
  // The tensor of input i; for a variable, its value. Null when there is none.
  [[nodiscard]] const TensorBody* body(std::size_t i) const;
  [[nodiscard]] const Shape& shape(std::size_t i) const;
  [[nodiscard]] std::uint64_t elements(std::size_t i) const { return body(i) == nullptr ? 0 : count_of(shape(i)); }
  [[nodiscard]] std::uint64_t bytes(std::size_t i) const;
  [[nodiscard]] std::uint64_t bytes_of(std::size_t first, std::size_t last) const;  // [first, last)
  [[nodiscard]] std::uint64_t all_bytes() const { return bytes_of(0, size()); }
  // Dimension d, counted from the end when negative; 1 when there is no such dimension.
  [[nodiscard]] std::uint64_t dim(std::size_t i, int d) const;
  // The k-th integer of input i, or `otherwise` when its values are not known.
  [[nodiscard]] std::int64_t integer(std::size_t i, std::size_t k, std::int64_t otherwise) const;
  [[nodiscard]] bool has_integers(std::size_t i) const;
  // The product of the integers of input i (a shape), or `otherwise` when they are not known.
  [[nodiscard]] std::uint64_t integers_multiplied(std::size_t i, std::uint64_t otherwise) const;

 private:
  std::span<const Value> values_;
};

// Elements of the first output as recorded in the graph; `otherwise` when that is not known.
[[nodiscard]] std::uint64_t recorded_or(const WorkFacts& facts, std::uint64_t otherwise);
// The elements of the shape that broadcasting two shapes gives; of two dimensions that do not fit, the larger one
// counts. The last `skip` dimensions are left out.
[[nodiscard]] std::uint64_t broadcast_count(const Shape& a, const Shape& b, int skip = 0);

}  // namespace tarry
