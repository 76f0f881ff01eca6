// The device names that occur in one placement, each kept once; merging two of them is computed once and remembered.
//
// A graph of a million nodes has a few dozen of them, so that groups hold numbers and merging two of them is a look-up.
// The rules themselves: placer/device/merge.hpp.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <deque>

#include "placer/core/ids.hpp"
#include "placer/device/merge.hpp"

namespace tarry {

using DeviceRequestId = Id<struct DeviceRequestTag>;
inline constexpr DeviceRequestId kNoDeviceRequest{0u};  // the name without any field

class DeviceRequests {
 public:
  DeviceRequests(NameStyle style, Compatibility meaning) : style_(style), meaning_(meaning) { (void)intern({}); }

  DeviceRequestId intern(const DeviceName& name);
  [[nodiscard]] const DeviceName& operator[](DeviceRequestId id) const { return names_[id.index()]; }

  // `target` after `other` was merged into it. Fails with the errors of merge (placer/device/merge.hpp).
  [[nodiscard]] StatusOr<DeviceRequestId> merged(DeviceRequestId target, DeviceRequestId other, MergeMode mode);
  // The same as ensure_specification (placer/device/merge.hpp).
  [[nodiscard]] DeviceRequestId specified(DeviceRequestId more, DeviceRequestId less);
  [[nodiscard]] bool compatible(DeviceRequestId a, DeviceRequestId b) const {
    return a == b || are_compatible(names_[a.index()], names_[b.index()], meaning_);
  }

 private:
  using Pair = std::pair<DeviceRequestId, DeviceRequestId>;
  using Known = absl::flat_hash_map<Pair, DeviceRequestId>;  // looked up, never iterated

  NameStyle style_;
  Compatibility meaning_;
  std::deque<DeviceName> names_;
  absl::flat_hash_map<DeviceName, DeviceRequestId> ids_;  // looked up, never iterated
  std::array<Known, 3> merged_;                           // by mode; failures are not remembered
  Known specified_;
};

}  // namespace tarry
