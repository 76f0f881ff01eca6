#include "sim/measured.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {
namespace {

constexpr std::string_view kKernels = "/stream:all";  // a pseudo-device: what ran on the GPU itself

// "GPU:0" of ".../device:GPU:0", also of the older ".../gpu:0"; in capitals.
std::string unit_of(std::string_view device) {
  std::string unit(device.substr(device.rfind('/') + 1));
  if (unit.starts_with("device:")) unit.erase(0, 7);
  for (char& c : unit) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return unit;
}

std::string type_of(std::string_view device) {
  const std::string unit = unit_of(device);
  return unit.substr(0, unit.find(':'));
}

// Of nonsense, too: a file may hold any number.
Nanos added(Nanos a, Nanos b) {
  constexpr Nanos kMost = Nanos{1} << 61;
  return std::min(a, kMost) + std::min(b, kMost);
}

std::string key_of(std::string_view node, std::string_view where) { return fmt::format("{} {}", node, where); }

}  // namespace

// Transfers and what no executor ran (pseudo-devices of streams and copies) are no nodes' times.
Measured::Measured(std::span<const NodeExecTime> times) {
  for (const NodeExecTime& t : times)
    if (t.device.find("/stream:") == std::string::npos && t.device.find("/memcpy") == std::string::npos &&
        t.node != "RecvTensor")
      add(t);
  replace_launches(times);
}

void Measured::add(const NodeExecTime& t) {
  for (Mean* m : {&by_device_[key_of(t.node, t.device)], &by_type_[key_of(t.node, type_of(t.device))]}) {
    m->sum = added(m->sum, t.duration_ns);
    ++m->count;
  }
}

// The pseudo-device names no task: it speaks of all GPUs of that number. A kernel is called "node:Op" or "node:Op#...".
void Measured::replace_launches(std::span<const NodeExecTime> times) {
  std::map<std::string, Nanos> kernels;  // by "node GPU:0"
  for (const NodeExecTime& t : times)
    if (t.device.ends_with(kKernels)) {
      Nanos& sum = kernels[key_of(t.node.substr(0, t.node.find(':')),
                                  unit_of(t.device.substr(0, t.device.size() - kKernels.size())))];
      sum = added(sum, t.duration_ns);
    }
  if (kernels.empty()) return;
  by_type_.clear();
  for (auto& [key, mean] : by_device_) {
    const std::string node = key.substr(0, key.find(' ')), device = key.substr(node.size() + 1);
    if (const auto it = kernels.find(key_of(node, unit_of(device))); it != kernels.end()) mean.sum = it->second;
    Mean& of_type = by_type_[key_of(node, type_of(device))];
    of_type = {added(of_type.sum, mean.sum), of_type.count + mean.count};
  }
}

std::optional<Nanos> Measured::look_up(const Means& means, const std::string& key) {
  const auto it = means.find(key);
  return it == means.end() ? std::nullopt : std::optional(it->second.sum / it->second.count);
}

std::optional<Nanos> Measured::find(std::string_view node, std::string_view device) const {
  if (by_device_.empty()) return std::nullopt;
  const auto here = look_up(by_device_, key_of(node, device));
  return here ? here : look_up(by_type_, key_of(node, type_of(device)));
}

}  // namespace tarry
