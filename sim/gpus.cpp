#include "sim/gpus.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {

DeviceMemoryRef Gpus::memory_of(TaskId task, std::string_view device) {
  const std::uint32_t life = lives_[task.index()];
  for (const Memory& m : memories_)
    if (m.task == task && m.life == life && m.memory->device == device) return m.memory;
  const GpuSpec* gpu = find_gpu(cluster_.tasks[task.index()], device);
  if (gpu == nullptr || gpu->memory_bytes == 0) return nullptr;
  const std::string allocator = fmt::format("GPU_{}_bfc", device.substr(device.rfind(':') + 1));
  const DeviceMemoryRef memory(new DeviceMemory(std::string(device), allocator, gpu->memory_bytes));
  if (const auto it = others_.find(device); it != others_.end()) memory->set_others(it->second);
  return memories_.emplace_back(Memory{task, life, memory}).memory;
}

const DeviceHealth* Gpus::health_of(TaskId task, std::string_view device) {
  return find_gpu(cluster_.tasks[task.index()], device) == nullptr ? nullptr : &own(task, device);
}

DeviceHealth& Gpus::own(TaskId task, std::string_view device) {
  const std::uint32_t life = lives_[task.index()];
  for (Health& h : healths_)
    if (h.task == task && h.life == life && h.device == device) return h.health;
  return healths_.emplace_back(Health{task, life, std::string(device), {}}).health;
}

void Gpus::set_others(TaskId task, std::string_view device, std::uint64_t bytes) {
  others_[std::string(device)] = bytes;
  for (const Memory& m : memories_)
    if (m.task == task && m.life == lives_[task.index()] && m.memory->device == device) m.memory->set_others(bytes);
}

void Gpus::add_use(std::vector<DeviceUse>& devices) const {
  for (DeviceUse& d : devices)
    for (const Memory& m : memories_)
      if (m.memory->device == d.name)
        d.peak_bytes = std::max(d.peak_bytes, m.memory->peak()), d.memory_bytes = m.memory->capacity();
}

}  // namespace tarry
