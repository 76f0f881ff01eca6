// The devices that a group may use, best first (placer.md A.8, C.3.5, C.4).
#pragma once

#include <map>
#include <vector>

#include "placer/place/placement.hpp"

namespace tarry {

class Candidates {
 public:
  explicit Candidates(Placement& p) : p_(p) {}

  // Never empty; kept with the group until the group is limited to a device.
  // Fails: INVALID_ARGUMENT, D16 or D17 within D10, about `n`.
  [[nodiscard]] StatusOr<const std::vector<DeviceId>*> of(NodeId n);

 private:
  [[nodiscard]] std::vector<DeviceId> matching(const DeviceName& pattern, TypeListId types);
  [[nodiscard]] Relaxed match_softly(Member& set);
  [[nodiscard]] const std::vector<DeviceId>& ranked(TypeListId types);

  Placement& p_;
  std::map<TypeListId, std::vector<DeviceId>> ranked_;
};

}  // namespace tarry
