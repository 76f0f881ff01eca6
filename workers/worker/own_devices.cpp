#include "workers/worker/own_devices.hpp"

#include <utility>

#include "placer/core/hash.hpp"

namespace tarry {

std::unique_ptr<LocalDevices> OwnDevices::make(const std::string& task) const {
  auto devices = std::make_unique<LocalDevices>();
  for (const std::string& device : directory_.tasks[task_.index()].devices)
    add(*devices, device, task + device.substr(names_.own().size()));
  return devices;
}

void OwnDevices::add(LocalDevices& devices, const std::string& own_name, const std::string& name) const {
  const std::uint64_t incarnation = hash64(own_name, directory_.tasks[task_.index()].incarnation) | 1;
  const auto id = devices.set.add(name, "", incarnation);
  check(id.ok(), "a task has a device with a malformed name");
  auto device = std::make_unique<LocalDevice>();
  device->resources.default_container = *devices.set[*id].parsed.job;
  device->host = {&directory_.env,
                  task_,
                  name,
                  directory_.env.name(name),
                  &device->resources,
                  [&names = names_](std::string_view d) { return names.task_of(d); },
                  values_up_to_,
                  &directory_.files};
  device->host.inputs = &directory_.inputs;
  device->host.counters = counters_;
  device->host.auditor = directory_.auditor;
  device->host.planted = directory_.planted;
  device->host.memory = directory_.env.memory_of(task_, own_name);
  device->host.health = directory_.env.health_of(task_, own_name);
  devices.devices.push_back(std::move(device));
}

}  // namespace tarry
