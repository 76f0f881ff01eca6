#include "workers/kernels/resources.hpp"

#include <algorithm>

namespace tarry {

bool ResourceManager::has_container(std::string_view container) const {
  return std::ranges::any_of(objects_, [&](const auto& entry) {
    const auto* variable = dynamic_cast<const Variable*>(entry.second.get());
    return entry.first.first == container && (variable == nullptr || variable->value != nullptr);
  });
}

void ResourceManager::clear(std::string_view container) {
  const std::string_view wanted = container.empty() ? std::string_view(default_container) : container;
  for (auto it = objects_.begin(); it != objects_.end();) {
    auto* variable = dynamic_cast<Variable*>(it->second.get());
    if (variable != nullptr && it->first.first == wanted) variable->value = variable->fresh;
    if (variable != nullptr || it->first.first != wanted) {
      ++it;
      continue;
    }
    forgotten_.push_back(std::move(it->second));
    it = objects_.erase(it);
  }
}

}  // namespace tarry
