// The device names that occur in one placement, kept once each; what two of them give together is worked out once.
//
// A graph of a million nodes has a few dozen of them, so that groups hold numbers and merging two of them is a look-up. The rules themselves:
// placer/device/merge.hpp.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <deque>

#include "placer/core/ids.hpp"
#include "placer/device/merge.hpp"

namespace tarry {

using WishId = Id<struct WishTag>;
inline constexpr WishId kNoWish{0u};  // the name without any field

class Wishes {
 public:
  Wishes(NameStyle style, Compatibility meaning) : style_(style), meaning_(meaning) { (void)intern({}); }

  WishId intern(const DeviceName& name);
  [[nodiscard]] const DeviceName& operator[](WishId id) const { return names_[id.index()]; }

  // `target` after `other` was merged into it. Fails as merge does.
  [[nodiscard]] StatusOr<WishId> merged(WishId target, WishId other, MergeMode mode);
  // As ensure_specification.
  [[nodiscard]] WishId specified(WishId more, WishId less);
  [[nodiscard]] bool compatible(WishId a, WishId b) const { return a == b || are_compatible(names_[a.index()], names_[b.index()], meaning_); }

 private:
  using Pair = std::pair<WishId, WishId>;
  using Known = absl::flat_hash_map<Pair, WishId>;  // looked up, never iterated

  NameStyle style_;
  Compatibility meaning_;
  std::deque<DeviceName> names_;
  absl::flat_hash_map<DeviceName, WishId> ids_;  // looked up, never iterated
  std::array<Known, 3> merged_;                  // by mode; what fails is not remembered
  Known specified_;
};

}  // namespace tarry
