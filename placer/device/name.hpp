// Device names: parsing and printing (docs/rules/placer.md#A.1 to #A.3). Comparing and merging: merge.hpp.
//
// A name has five fields, each present or absent (absent = any): job, replica, task, type, id.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "placer/core/status.hpp"

namespace tarry {

struct DeviceName {
  std::optional<std::string> job;
  std::optional<int> replica, task;
  std::optional<std::string> type;  // case as written; the legacy forms /cpu:0 and /gpu:0 give upper case
  std::optional<int> id;
  friend bool operator==(const DeviceName&, const DeviceName&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const DeviceName& n) {
    return H::combine(std::move(h), n.job, n.replica, n.task, n.type, n.id);
  }
};

// nullopt when `text` is not a device name (docs/rules/placer.md#A.2). "" and "/" are the name with no field.
[[nodiscard]] std::optional<DeviceName> parse_device_name(std::string_view text);
// Whether a type is printed as "/device:GPU:0" (releases from 1.1 on) or as "/GPU:0".
enum class NameStyle { with_device, without_device };

// "/job:a/replica:0/task:0/device:GPU:*"; a name without fields gives "" (docs/rules/placer.md#A.3). An id without a
// type is not printed.
[[nodiscard]] std::string to_string(const DeviceName& name, NameStyle style = NameStyle::with_device);

[[nodiscard]] bool has_details(const DeviceName& name);  // some field is present
[[nodiscard]] bool is_complete(const DeviceName& name);  // all five are

}  // namespace tarry
