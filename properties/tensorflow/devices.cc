#include "devices.h"

#include <stdexcept>

void read_devices(const Value& v, const Value& local, Devices* d) {
  for (const Value& x : v.a) {
    const std::string& name = x.is(Value::kString) ? x.s : x.at(0).s;
    tf::DeviceNameUtils::ParsedName p;
    if (!tf::DeviceNameUtils::ParseFullName(name, &p)) throw std::runtime_error("bad device " + name);
    const std::string type = x.at(1).s.empty() ? p.type : x.at(1).s;
    const int64_t incarnation = x.at(2).integer(static_cast<int64_t>(d->owned.size()) + 1);
    const int64_t memory = x.at(3).integer(1 << 30);
#if TFV >= 112
    tf::DeviceAttributes a;
    a.set_name(name);
    a.set_device_type(type);
    a.set_incarnation(static_cast<tf::uint64>(incarnation));
    a.set_memory_limit(memory);
#else
    const tf::DeviceAttributes a = graph_bytes::attributes(name, type, incarnation, memory);
#endif
    const bool here = !local.is(Value::kString) || name.compare(0, local.s.size() + 1, local.s + "/") == 0;
    d->index.emplace(name, static_cast<int>(d->owned.size()));
    d->incarnation.emplace(name, static_cast<tf::uint64>(incarnation));
    d->owned.emplace_back(new FakeDevice(a, here));
    d->set.AddDevice(d->owned.back().get());
  }
}
