#include "workers/state/resources.hpp"

#include <algorithm>

namespace tarry {

namespace {

// As TensorFlow's process prints a type.
std::string_view type_text(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::queue:
      return "N10tensorflow14QueueInterfaceE";
    case ResourceKind::accumulator:
      return "N10tensorflow26ConditionalAccumulatorBaseE";
    case ResourceKind::barrier:
      return "N10tensorflow7barrier7BarrierE";
    default:
      return "";  // never looked for by a handle once they are lost
  }
}

}  // namespace

Status Resource::lost() const {
  const auto& [from, container, name] = place_;
  if (!from->has_container(container))
    return error(Code::kNotFound, "Container {0} does not exist. (Could not find resource: {0}/{1})", container, name);
  return error(Code::kNotFound, "Resource {}/{}/{} does not exist.", container, name, type_text(kind_));
}

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
    it->second->lose(*this, it->first.first, it->first.second);
    lost_.push_back(std::move(it->second));
    it = objects_.erase(it);
  }
}

}  // namespace tarry
