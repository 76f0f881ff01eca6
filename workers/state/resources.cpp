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

Status Resource::lost() const { return lost_as(type_text(kind_)); }

Status Resource::lost_as(std::string_view type) const {
  const auto& [from, container, name] = place_;
  if (!from->has_container(container))
    return error(Code::kNotFound, "Container {0} does not exist. (Could not find resource: {0}/{1})", container, name);
  return error(Code::kNotFound, "Resource {}/{}/{} does not exist.", container, name, type);
}

bool ResourceManager::has_container(std::string_view container) const {
  if (emptied_.contains(container)) return true;
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
    it = lose(it);
  }
  emptied_.erase(std::string(wanted));
}

ResourceManager::Objects::iterator ResourceManager::lose(Objects::iterator it) {
  it->second->lose(*this, it->first.first, it->first.second);
  lost_.push_back(std::move(it->second));
  return objects_.erase(it);
}

Status ResourceManager::remove(const Resource& object) {
  constexpr std::string_view kType = "<unknown>";
  if (object.is_lost()) return object.lost_as(kType);
  const auto it = std::ranges::find(objects_, &object, [](const auto& entry) { return entry.second.get(); });
  check(it != objects_.end(), "an object is removed from where it is not");
  if (!has_container(it->first.first)) return error(Code::kNotFound, "Container {} does not exist.", it->first.first);
  auto* variable = dynamic_cast<Variable*>(it->second.get());
  if (variable != nullptr && !variable->value)
    return error(Code::kNotFound, "Resource {}/{}/{} does not exist.", it->first.first, it->first.second, kType);
  emptied_.insert(it->first.first);
  if (variable != nullptr)
    variable->value = nullptr;
  else
    lose(it);
  return {};
}

}  // namespace tarry
