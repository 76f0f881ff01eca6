#include "workers/state/checkpoint_files.hpp"

#include <algorithm>

namespace tarry {

bool SavedTensor::fits(const TensorSlice& slice, const TensorBody& tensor) const {
  return parts_.empty() || (shape() == slice.whole && dtype() == tensor.dtype());
}

SavedPart* SavedTensor::find(const TensorSlice& slice) {
  const auto it = std::ranges::find(parts_, slice, &SavedPart::slice);
  return it == parts_.end() ? nullptr : &*it;
}

void SavedTensor::push(SavedPart part) {
  for (std::size_t i = 0; i < parts_.size() && !overlap_; ++i)
    if (common_part(parts_[i].slice, part.slice).shape().elements() > 0) overlap_ = {i, parts_.size()};
  parts_.push_back(std::move(part));
}

void SavedTensor::put(const TensorSlice& slice, TensorRef tensor) {
  if (!fits(slice, *tensor)) parts_.clear(), overlap_.reset();
  if (SavedPart* same = find(slice))
    same->tensor = std::move(tensor);
  else
    push({slice, std::move(tensor)});
}

void SavedTensor::add(SavedTensor&& other) {
  for (SavedPart& p : other.parts_)
    if (fits(p.slice, *p.tensor) && find(p.slice) == nullptr) push(std::move(p));
}

StatusOr<TensorRef> SavedTensor::read(const TensorSlice& slice, std::string_view name) const {
  // TensorFlow puts the parts into a set that knows no overlap, whatever is asked for.
  if (overlap_)
    return error(Code::kInternal, "Overlapping slices: existing slice = {}, new slice = {}",
                 parts_[overlap_->first].slice.text(), parts_[overlap_->second].slice.text());
  std::int64_t found = 0;
  bool has_data = true;
  const Shape shape = slice.shape();
  for (const SavedPart& p : parts_) {
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
  for (const SavedPart& p : parts_) {
    const TensorSlice common = common_part(p.slice, slice);
    if (common.shape().elements() > 0) copy_part(common, p.slice, *p.tensor, slice, *out);
  }
  return TensorRef(out);
}

void CheckpointFiles::write(const std::string& prefix, const std::string& name, const TensorSlice& slice,
                            const TensorRef& tensor) {
  files_[prefix][name].put(slice, snapshot(tensor));
  torn_.erase({prefix, name});
}

}  // namespace tarry
