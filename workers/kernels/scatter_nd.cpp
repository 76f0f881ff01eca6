#include "workers/kernels/scatter_nd.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "workers/kernels/elements.hpp"

namespace tarry {

namespace {

// The slice that a row of coordinates names, or -1.
std::int64_t slice_of(std::span<const std::int64_t> row, const Shape& params) {
  std::int64_t slice = 0;
  for (std::size_t d = 0; d < row.size(); ++d) {
    if (row[d] < 0 || row[d] >= params.dims[d]) return -1;
    slice = slice * params.dims[d] + row[d];
  }
  return slice;
}

Shape with_depth(const Shape& indices) {  // a vector is a column of coordinates of one number each
  Shape shape = indices;
  if (shape.rank() == 1) shape.dims.push_back(1);
  return shape;
}

constexpr std::size_t kDeepest = 7;  // its refusal says 5

}  // namespace

Status find_slices(const TensorBody& indices, const Shape& params, const char* text, const std::string& behind,
                   std::vector<std::size_t>& at, bool says_last) {
  const auto all = integers_of(indices);
  const auto depth = static_cast<std::size_t>(indices.shape().dims.back());
  const std::size_t rows = static_cast<std::size_t>(product(indices.shape(), 0, indices.shape().dims.size() - 1));
  const Shape outer(Dims(indices.shape().dims.begin(), indices.shape().dims.end() - 1));
  Status fault;
  for (std::size_t r = 0; r < rows && (fault.ok() || says_last); ++r) {
    const std::span row = std::span(all).subspan(r * depth, depth);
    if (const std::int64_t slice = slice_of(row, params); slice >= 0)
      at.push_back(static_cast<std::size_t>(slice));
    else
      fault = invalid("indices{} = [{}] does not index into {} {}{}", position(outer, static_cast<std::int64_t>(r)),
                      fmt::join(row, ", "), text, to_string(params), behind);
  }
  return fault;
}

StatusOr<std::vector<std::size_t>> slices_at(const TensorBody& indices, const Shape& params, const char* text,
                                             const std::string& behind) {
  std::vector<std::size_t> at;
  TARRY_RETURN_IF_ERROR(find_slices(indices, params, text, behind, at));
  return at;
}

Status check_scattered(const Shape& indices, const Shape& updates, const Shape& to, std::size_t said_from) {
  const auto outer = indices.dims.size() - 1, depth = static_cast<std::size_t>(indices.dims.back());
  const bool has_outer = updates.dims.size() >= outer;
  const bool has_rank = has_outer && updates.dims.size() - outer + depth == to.dims.size();
  const bool is_outer_equal =
      has_outer && std::equal(indices.dims.begin(), indices.dims.end() - 1, updates.dims.begin());
  if (!has_outer || (!is_outer_equal && (has_rank || depth <= to.dims.size())))
    return invalid("Dimensions [0,{}) of indices[shape={}] must match dimensions [0,{}) of updates[shape={}]", outer,
                   to_string(indices), outer, to_string(updates));
  if (!has_rank || !std::ranges::equal(std::span(updates.dims).subspan(outer), std::span(to.dims).subspan(depth)))
    return invalid("Dimensions [{},{}) of input[shape={}] must match dimensions [{},{}) of updates[shape={}]", depth,
                   to.rank(), to_string(to), said_from, updates.rank(), to_string(updates));
  return {};
}

Status check_slices(const Shape& indices, const Shape& updates, const Shape& to) {
  if (to.rank() < 1) return invalid("Output must be at least 1-D, got shape: {}", to_string(to));
  const bool has_indices = indices.elements() > 0, has_updates = updates.elements() > 0;
  if ((has_indices || has_updates) && !(has_indices && has_updates && to.elements() > 0))
    return invalid("Indices and updates specified for empty output.  indices shape: {}", to_string(indices));
  const std::int64_t rows = indices.rank() < 1 ? 0 : indices.dims[0], given = updates.rank() < 1 ? 0 : updates.dims[0];
  if (rows != given || indices.rank() < 1)  // of a scalar, TensorFlow reads a number that is not there
    return invalid("Dimensions [0,1) of indices[shape={}] = {} must match dimensions [0,1) of updates[shape={}] = {}",
                   to_string(indices), rows, to_string(updates), given);
  const auto depth = static_cast<std::size_t>(with_depth(indices).dims.back());
  TARRY_RETURN_IF_ERROR(check_scattered(with_depth(indices), updates, to, depth));
  if (to.elements() > 0 && (depth == 0 || depth > kDeepest))
    return invalid("Only indices.shape[-1] values between 1 and 5 are currently supported.  Requested rank: {}", depth);
  return {};
}

}  // namespace tarry
