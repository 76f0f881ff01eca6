#include "placer/device/merge.hpp"

namespace tarry {
namespace {

template <class T>
bool specifies(const std::optional<T>& less, const std::optional<T>& more) {
  return !less || less == more;
}

template <class T>
bool differ(const std::optional<T>& a, const std::optional<T>& b) {
  return a && b && a != b;
}

bool no_field_differs(const DeviceName& a, const DeviceName& b) {
  return !is_different_address_space(a, b) && !differ(a.type, b.type) && !differ(a.id, b.id);
}

template <class T>
void take(std::optional<T>& target, const std::optional<T>& other) {
  if (other) target = other;
}

Status incompatible(const char* fields, const DeviceName& a, const DeviceName& b, NameStyle style) {
  return invalid("Cannot merge devices with incompatible {}: '{}' and '{}'", fields, to_string(a, style),
                 to_string(b, style));
}

Status merge_address_space(DeviceName& target, const DeviceName& other, NameStyle style) {
  if (differ(target.job, other.job)) return incompatible("jobs", target, other, style);
  take(target.job, other.job);
  if (differ(target.replica, other.replica)) return incompatible("replicas", target, other, style);
  take(target.replica, other.replica);
  if (differ(target.task, other.task)) return incompatible("tasks", target, other, style);
  take(target.task, other.task);
  return {};
}

Status merge_id(DeviceName& target, const DeviceName& other, MergeMode mode, NameStyle style) {
  const bool conflict = differ(target.id, other.id);
  if (conflict && mode == MergeMode::hard) return incompatible("ids", target, other, style);
  take(target.id, other.id);
  if (conflict && mode == MergeMode::soft) target.id.reset();
  return {};
}

}  // namespace

bool is_specification(const DeviceName& less, const DeviceName& more) {
  return specifies(less.job, more.job) && specifies(less.replica, more.replica) && specifies(less.task, more.task) &&
         specifies(less.type, more.type) && specifies(less.id, more.id);
}

bool are_compatible(const DeviceName& a, const DeviceName& b, Compatibility meaning) {
  return meaning == Compatibility::wide ? no_field_differs(a, b) : is_specification(a, b) || is_specification(b, a);
}

bool is_same_address_space(const DeviceName& a, const DeviceName& b) {
  return a.job && a.replica && a.task && a.job == b.job && a.replica == b.replica && a.task == b.task;
}

bool is_different_address_space(const DeviceName& a, const DeviceName& b) {
  return differ(a.job, b.job) || differ(a.replica, b.replica) || differ(a.task, b.task);
}

Status merge(DeviceName& target, const DeviceName& other, MergeMode mode, NameStyle style) {
  TARRY_RETURN_IF_ERROR(merge_address_space(target, other, style));
  const bool conflict = differ(target.type, other.type);
  if (conflict && mode == MergeMode::hard) return incompatible("types", target, other, style);
  if (conflict && mode == MergeMode::soft) {
    target.type.reset();
    target.id.reset();
    return {};
  }
  take(target.type, other.type);
  return merge_id(target, other, mode, style);
}

DeviceName ensure_specification(DeviceName more, const DeviceName& less) {
  take(more.job, less.job);
  take(more.replica, less.replica);
  take(more.task, less.task);
  take(more.type, less.type);
  take(more.id, less.id);
  return more;
}

}  // namespace tarry
