#include "placer/place/wishes.hpp"

namespace tarry {

WishId Wishes::intern(const DeviceName& name) {
  const auto [it, is_new] = ids_.try_emplace(name, WishId{names_.size()});
  if (is_new) names_.push_back(name);
  return it->second;
}

StatusOr<WishId> Wishes::merged(WishId target, WishId other, MergeMode mode) {
  if (target == other || other == kNoWish) return target;
  if (target == kNoWish) return other;
  Known& known = merged_[static_cast<std::size_t>(mode)];
  if (const auto it = known.find(Pair{target, other}); it != known.end()) return it->second;
  DeviceName name = names_[target.index()];
  TARRY_RETURN_IF_ERROR(merge(name, names_[other.index()], mode, style_));
  return known[Pair{target, other}] = intern(name);
}

WishId Wishes::specified(WishId more, WishId less) {
  if (more == less || less == kNoWish) return more;
  if (more == kNoWish) return less;
  const auto [it, is_new] = specified_.try_emplace(Pair{more, less});
  if (is_new) it->second = intern(ensure_specification(names_[more.index()], names_[less.index()]));
  return it->second;
}

}  // namespace tarry
