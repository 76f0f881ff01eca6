#include "workers/kernels/scatter_nd.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "workers/kernels/elements.hpp"

namespace tarry {

Status find_slices(const TensorBody& indices, const Shape& params, const char* text, const std::string& behind,
                   std::vector<std::size_t>& at) {
  const auto all = integers_of(indices);
  const auto depth = static_cast<std::size_t>(indices.shape().dims.back());
  const std::size_t rows = static_cast<std::size_t>(product(indices.shape(), 0, indices.shape().dims.size() - 1));
  for (std::size_t r = 0; r < rows; ++r) {
    const std::span row = std::span(all).subspan(r * depth, depth);
    std::size_t slice = 0;
    for (std::size_t d = 0; d < depth; ++d) {
      if (row[d] < 0 || row[d] >= params.dims[d]) {
        const Shape outer(Dims(indices.shape().dims.begin(), indices.shape().dims.end() - 1));
        return invalid("indices{} = [{}] does not index into {} {}{}", position(outer, static_cast<std::int64_t>(r)),
                       fmt::join(row, ", "), text, to_string(params), behind);
      }
      slice = slice * static_cast<std::size_t>(params.dims[d]) + static_cast<std::size_t>(row[d]);
    }
    at.push_back(slice);
  }
  return {};
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
  if (!has_outer || (has_rank && !is_outer_equal))
    return invalid("Dimensions [0,{}) of indices[shape={}] must match dimensions [0,{}) of updates[shape={}]", outer,
                   to_string(indices), outer, to_string(updates));
  if (!has_rank || !std::ranges::equal(std::span(updates.dims).subspan(outer), std::span(to.dims).subspan(depth)))
    return invalid("Dimensions [{},{}) of input[shape={}] must match dimensions [{},{}) of updates[shape={}]", depth,
                   to.rank(), to_string(to), said_from, updates.rank(), to_string(updates));
  return {};
}

}  // namespace tarry
