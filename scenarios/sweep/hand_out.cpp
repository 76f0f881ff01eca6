#include "scenarios/sweep/hand_out.hpp"

namespace tarry {

std::optional<int> HandOut::next(int helper) {
  if (begun_ < tasks_) {
    open_[begun_].insert(helper);
    return begun_++;
  }
  auto best = open_.end();
  for (auto it = open_.begin(); it != open_.end(); ++it)
    if (!it->second.contains(helper) && (best == open_.end() || it->second.size() < best->second.size())) best = it;
  if (best == open_.end()) return std::nullopt;
  best->second.insert(helper);
  return best->first;
}

bool HandOut::answered(int task) { return open_.erase(task) > 0; }

}  // namespace tarry
