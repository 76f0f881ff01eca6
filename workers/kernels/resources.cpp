#include "workers/kernels/resources.hpp"

namespace tarry {

void ResourceManager::clear(std::string_view container) {
  const std::string_view wanted = container.empty() ? std::string_view(default_container) : container;
  std::erase_if(objects_, [&](const auto& entry) { return entry.first.first == wanted; });
}

}  // namespace tarry
