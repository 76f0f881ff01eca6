#include "workers/master/status_group.hpp"

#include <algorithm>

namespace tarry {

void StatusGroup::add(const Status& s) {
  auto& list = is_derived(s) ? derived_ : causes_;
  if (!s.ok() && std::ranges::find(list, s) == list.end()) list.insert(list.begin(), s);
}

Status StatusGroup::concatenated() const {
  if (causes_.empty()) return derived_.empty() ? Status() : derived_.front();
  if (causes_.size() == 1) return causes_.front();
  std::string text = "\n=====================";
  for (const Status& s : causes_) text += fmt::format("\n{}: {}", code_name(s.code()), text_of(s));
  return Status(causes_.front().code(), text + "\n=====================\n");
}

}  // namespace tarry
