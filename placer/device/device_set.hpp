// The devices that a graph may be placed on (docs/rules/placer.md#A.6).
//
// Keeps insertion order. A device has a full name and a separate type attribute: names match by the type in the name,
// kernels by the attribute. Looking up by name accepts the canonical form and the legacy one
// (/job:a/replica:0/task:0/cpu:0); up to 1.3 only the name as it was given.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/device/name.hpp"

namespace tarry {

struct Device {
  std::string name;               // full name: canonical, /job:J/replica:R/task:T/device:TYPE:ID, or as it was given
  std::string type;               // the attribute: "CPU", "GPU", or a custom type
  DeviceName parsed;              // of `name`
  std::uint64_t incarnation = 0;  // 0 = unknown
};

enum class DeviceLookup { canonical, as_written };

class DeviceSet {
 public:
  explicit DeviceSet(DeviceLookup lookup = DeviceLookup::canonical) : lookup_(lookup) {}

  // Fails: INVALID_ARGUMENT when `name` is not a full device name. A name that was added before keeps its first device.
  // `type` empty = the type in the name.
  [[nodiscard]] StatusOr<DeviceId> add(std::string_view name, std::string_view type = "",
                                       std::uint64_t incarnation = 0);
  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] bool empty() const { return devices_.empty(); }
  [[nodiscard]] const Device& operator[](DeviceId d) const { return devices_[d.index()]; }
  [[nodiscard]] DeviceId find(std::string_view full_name) const;                  // none when unknown
  [[nodiscard]] std::vector<DeviceId> matching(const DeviceName& pattern) const;  // insertion order

 private:
  [[nodiscard]] DeviceId find_legacy(std::string_view name) const;

  DeviceLookup lookup_;
  std::vector<Device> devices_;
  std::map<std::string, DeviceId, std::less<>> by_name_;
};

// The same devices under the names that releases up to 1.3 gave them: /job:a/replica:0/task:0/cpu:0.
[[nodiscard]] DeviceSet with_names_before_1_4(const DeviceSet& devices);

// "/job:ps/replica:0/task:1", the task part of a full device name.
[[nodiscard]] std::string task_of(const DeviceName& full);

}  // namespace tarry
