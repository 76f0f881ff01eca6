#include "workers/state/checkpoint_files.hpp"

#include <algorithm>

namespace tarry {
namespace {

// TensorFlow puts the parts into a set that knows no overlap, whatever is asked for.
Status check_apart(const std::vector<SavedPart>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (common_part(parts[k].slice, parts[i].slice).shape().elements() > 0)
        return error(Code::kInternal, "Overlapping slices: existing slice = {}, new slice = {}", parts[k].slice.text(),
                     parts[i].slice.text());
  return {};
}

}  // namespace

StatusOr<TensorRef> SavedTensor::read(const TensorSlice& slice, std::string_view name) const {
  TARRY_RETURN_IF_ERROR(check_apart(parts));
  std::int64_t found = 0;
  bool has_data = true;
  const Shape shape = slice.shape();
  for (const SavedPart& p : parts) {
    const Shape common = common_part(p.slice, slice).shape();
    if (common == shape && p.slice.shape() == shape) return p.tensor;
    found += common.elements();
    has_data = has_data && (common.elements() == 0 || p.tensor->has_data());
  }
  if (found != shape.elements())
    return invalid("Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {}", name,
                   slice.text());
  if (!has_data) return make_shape_only(dtype(), shape);
  const MutableTensor out = make_tensor(dtype(), shape);
  for (const SavedPart& p : parts) {
    const TensorSlice common = common_part(p.slice, slice);
    if (common.shape().elements() > 0) copy_part(common, p.slice, *p.tensor, slice, *out);
  }
  return TensorRef(out);
}

void CheckpointFiles::write(const std::string& prefix, const std::string& name, const TensorSlice& slice,
                            const TensorRef& tensor) {
  SavedTensor& saved = files_[prefix][name];
  if (!saved.parts.empty() && (saved.shape() != slice.whole || saved.dtype() != tensor->dtype())) saved.parts.clear();
  const auto same =
      std::ranges::find_if(saved.parts, [&](const SavedPart& p) { return p.slice.text() == slice.text(); });
  if (same == saved.parts.end())
    saved.parts.push_back({slice, snapshot(tensor)});
  else
    same->tensor = snapshot(tensor);
  torn_.erase({prefix, name});
}

// Of a tensor that two files have as a whole, the first counts.
void CheckpointFiles::add_parts(SavedTensor& to, SavedTensor&& from) {
  for (SavedPart& p : from.parts) {
    const bool fits = to.parts.empty() || (to.shape() == p.slice.whole && to.dtype() == p.tensor->dtype());
    const bool is_there =
        std::ranges::any_of(to.parts, [&](const SavedPart& q) { return q.slice.text() == p.slice.text(); });
    if (fits && !is_there) to.parts.push_back(std::move(p));
  }
}

}  // namespace tarry
