// The devices that a group may use, best first (docs/rules/placer.md#A.8, #C.3.5, #C.4).
#pragma once

#include <map>
#include <vector>

#include "placer/place/placement.hpp"

namespace tarry {

class Candidates {
 public:
  explicit Candidates(Placement& p) : p_(p) {}

  // The devices for the group of `n`, never empty. They are kept with the group until it is limited to one device.
  // Fails: INVALID_ARGUMENT, docs/rules/placer.md#D16 or #D17 within docs/rules/placer.md#D10, about `n`.
  [[nodiscard]] StatusOr<const std::vector<DeviceId>*> of(NodeId n);

 private:
  // Computed once for each pair of a request and a list of types.
  [[nodiscard]] const std::vector<DeviceId>* matching(DeviceRequestId request, TypeListId types);
  [[nodiscard]] Relaxed match_softly(Member& set);
  [[nodiscard]] const std::vector<DeviceId>& ranked(TypeListId types);
  void note(NodeId n, const Member& set, Relaxed how) const;

  Placement& p_;
  std::map<TypeListId, std::vector<DeviceId>> ranked_;
  std::map<std::pair<DeviceRequestId, TypeListId>, std::vector<DeviceId>> matching_;
};

}  // namespace tarry
