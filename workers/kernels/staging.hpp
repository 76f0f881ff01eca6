// What staging areas and staging maps share: how much they hold, and how an op finds its own by name.
#pragma once

#include "workers/kernels/state.hpp"
#include "workers/kernels/waiting.hpp"

namespace tarry {

// The bytes that TensorFlow's memory limit counts.
[[nodiscard]] inline std::int64_t bytes_of(const QueueElement& element) {
  constexpr std::int64_t kTextItself = 24;
  std::int64_t bytes = 0;
  for (const TensorRef& t : element) {
    if (!t) continue;
    bytes += t->elements() * static_cast<std::int64_t>(type_size(t->dtype()));
    if (t->dtype() != DataType::kString || !t->has_data()) continue;
    for (const std::string& text : t->strings()) bytes += kTextItself + std::ssize(text);
  }
  return bytes;
}

struct StagingLimits {
  std::int64_t capacity = 0, bytes = 0;  // 0 = without limit
  // RESOURCE_EXHAUSTED for what would never fit.
  [[nodiscard]] Status check(std::int64_t wanted) const {
    if (bytes <= 0 || wanted <= bytes) return {};
    return error(
        Code::kResourceExhausted,
        "Attempted to insert tensors with combined size of '{}' bytes into Staging Area with a memory limit of "
        "'{}'.",
        wanted, bytes);
  }
};

// Where an op finds its area or map: made when there is none, and anew when it was lost.
template <class Area>
class FoundArea {
 public:
  explicit FoundArea(const KernelSetup& s)
      : resources_(*s.host.resources),
        container_(container_of(s)),
        name_(resource_name(s)),
        limits_{attr_or(s.attrs, "capacity", std::int64_t{0}), attr_or(s.attrs, "memory_limit", std::int64_t{0})} {}
  StatusOr<Area*> get() {
    if (area_ != nullptr && !area_->is_lost()) return area_;
    TARRY_ASSIGN(area_,
                 resources_.find_or_make<Area>(container_, name_, [&] { return std::make_unique<Area>(limits_); }));
    return area_;
  }

 private:
  ResourceManager& resources_;
  std::string container_, name_;
  StagingLimits limits_;
  Area* area_ = nullptr;
};

}  // namespace tarry
