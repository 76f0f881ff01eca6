#include "placer/device/device_set.hpp"

#include <algorithm>
#include <cctype>

#include "placer/device/merge.hpp"

namespace tarry {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string legacy_name(const DeviceName& n) { return task_of(n) + "/" + lower(*n.type) + ":" + std::to_string(*n.id); }

}  // namespace

StatusOr<DeviceId> DeviceSet::add(std::string_view name, std::string_view type, std::uint64_t incarnation) {
  const auto parsed = parse_device_name(name);
  if (!parsed || !is_complete(*parsed))
    return invalid("'{}' is not a full device name (expected, for example, /job:worker/replica:0/task:0/device:CPU:0)",
                   name);
  const bool as_written = lookup_ == DeviceLookup::as_written;
  const std::string full = as_written ? std::string(name) : to_string(*parsed);
  const auto [it, is_new] = by_name_.try_emplace(full, DeviceId{devices_.size()});
  if (devices_.empty()) devices_.reserve(16);
  if (is_new) devices_.push_back({full, std::string(type.empty() ? *parsed->type : type), *parsed, incarnation});
  return it->second;
}

DeviceId DeviceSet::find(std::string_view full_name) const {
  const auto it = by_name_.find(full_name);
  if (it != by_name_.end()) return it->second;
  return lookup_ == DeviceLookup::canonical ? find_legacy(full_name) : DeviceId::none();
}

// Rare: names that a set was made with are canonical ones.
DeviceId DeviceSet::find_legacy(std::string_view name) const {
  const auto it = std::ranges::find(devices_, name, [](const Device& d) { return legacy_name(d.parsed); });
  return it == devices_.end() ? DeviceId::none() : DeviceId{static_cast<std::size_t>(it - devices_.begin())};
}

std::vector<DeviceId> DeviceSet::matching(const DeviceName& pattern) const {
  std::vector<DeviceId> found;
  for (std::size_t i = 0; i < devices_.size(); ++i)
    if (is_specification(pattern, devices_[i].parsed)) found.push_back(DeviceId{i});
  return found;
}

DeviceSet with_names_before_1_4(const DeviceSet& devices) {
  DeviceSet old(DeviceLookup::as_written);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Device& d = devices[DeviceId{i}];
    const bool is_built_in = d.parsed.type == "CPU" || d.parsed.type == "GPU";
    (void)old.add(is_built_in ? legacy_name(d.parsed) : d.name, d.type, d.incarnation);  // full names stay full names
  }
  return old;
}

std::string task_of(const DeviceName& full) {
  return to_string({full.job, full.replica, full.task, std::nullopt, std::nullopt});
}

}  // namespace tarry
