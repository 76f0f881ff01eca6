#include "placer/place/device_requests.hpp"

namespace tarry {

DeviceRequestId DeviceRequests::intern(const DeviceName& name) {
  const auto [it, is_new] = ids_.try_emplace(name, DeviceRequestId{names_.size()});
  if (is_new) names_.push_back(name);
  return it->second;
}

StatusOr<DeviceRequestId> DeviceRequests::merged(DeviceRequestId target, DeviceRequestId other, MergeMode mode) {
  if (target == other || other == kNoDeviceRequest) return target;
  if (target == kNoDeviceRequest) return other;
  Known& known = merged_[static_cast<std::size_t>(mode)];
  if (const auto it = known.find(Pair{target, other}); it != known.end()) return it->second;
  DeviceName name = names_[target.index()];
  TARRY_RETURN_IF_ERROR(merge(name, names_[other.index()], mode, style_));
  return known[Pair{target, other}] = intern(name);
}

DeviceRequestId DeviceRequests::specified(DeviceRequestId more, DeviceRequestId less) {
  if (more == less || less == kNoDeviceRequest) return more;
  if (more == kNoDeviceRequest) return less;
  const auto [it, is_new] = specified_.try_emplace(Pair{more, less});
  if (is_new) it->second = intern(ensure_specification(names_[more.index()], names_[less.index()]));
  return it->second;
}

}  // namespace tarry
