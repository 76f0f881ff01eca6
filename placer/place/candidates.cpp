#include "placer/place/candidates.hpp"

#include <algorithm>
#include <tuple>

#include "placer/place/errors.hpp"

namespace tarry {
namespace {

int kernel_priority(const TypeList& list, std::string_view type) {
  return std::ranges::find(list, type, &SupportedType::type)->priority;
}

bool is_remote(const Placement& p, const Device& d) {
  return p.rules.local_first && !p.options.local_task.empty() && task_of(d.parsed) != p.options.local_task;
}

// Names are compared as strings: GPU:10 before GPU:2.
std::tuple<std::string_view, int, std::string_view> name_order(const Device& d, const Rules& rules) {
  const std::string_view name = d.name;
  return {name.substr(0, name.rfind(':') + 1), rules.planted == PlantedBug::ids_compared_as_numbers ? *d.parsed.id : 0,
          name};
}

// The devices of these types, best first.
std::vector<DeviceId> in_order(const Placement& p, const TypeList& types) {
  using Key = std::tuple<int, int, bool, std::tuple<std::string_view, int, std::string_view>>;
  std::vector<std::pair<Key, DeviceId>> keyed;
  keyed.reserve(p.devices.size());
  for (std::size_t i = 0; i < p.devices.size(); ++i) {
    const Device& d = p.devices[DeviceId{i}];
    if (supports(types, d.type))
      keyed.emplace_back(
          Key(-kernel_priority(types, d.type), -p.rules.priority_of(d.type), is_remote(p, d), name_order(d, p.rules)),
          DeviceId{i});
  }
  std::ranges::sort(keyed, {}, [](const auto& k) -> const Key& { return k.first; });
  std::vector<DeviceId> devices;
  devices.reserve(keyed.size());
  for (const auto& [key, device] : keyed) devices.push_back(device);
  return devices;
}

// What was asked, less the type and id that nothing in `fixed` has.
DeviceName relaxed(DeviceName asked, const DeviceName& fixed, const DeviceName& also_fixed, const Rules& rules) {
  if (rules.planted == PlantedBug::soft_gives_up_job) asked.job.reset();
  if (!fixed.type && !also_fixed.type) asked.type.reset();
  if (!fixed.id && !also_fixed.id) asked.id.reset();
  return asked;
}

}  // namespace

const std::vector<DeviceId>& Candidates::ranked(TypeListId id) {
  const auto [it, is_new] = ranked_.try_emplace(id);
  if (!is_new) return it->second;
  const TypeList& types = p_.supported.lists()[id];
  it->second = in_order(p_, types);
  if (p_.rules.planted == PlantedBug::tie_broken_backwards) std::ranges::reverse(it->second);
  if (!p_.rules.default_device || p_.rules.planted == PlantedBug::default_device_ignored) return it->second;
  const auto local = std::ranges::find(it->second, p_.options.default_local_device);
  if (local != it->second.end()) std::rotate(it->second.begin(), local, local + 1);
  return it->second;
}

const std::vector<DeviceId>* Candidates::matching(DeviceRequestId request, TypeListId types) {
  const auto [it, is_new] = matching_.try_emplace({request, types});
  if (is_new)
    for (const DeviceId d : ranked(types))
      if (is_specification(p_.requests[request], p_.devices[d].parsed)) it->second.push_back(d);
  return &it->second;
}

Relaxed Candidates::match_softly(Member& set) {
  const DeviceName &requested = p_.requests[set.requested], &assigned = p_.requests[set.assigned];
  set.candidates =
      matching(p_.requests.intern(relaxed(requested, assigned, p_.requests[set.resource], p_.rules)), set.types);
  if (!set.candidates->empty()) return Relaxed::yes;
  set.candidates = matching(p_.requests.intern(relaxed(requested, assigned, {}, p_.rules)), set.types);
  return Relaxed::resource_moved;
}

void Candidates::note(NodeId n, const Member& set, Relaxed how) const {
  if (!p_.is_noted()) return;
  p_.note(Ranked{n, p_.requests[set.requested], *set.candidates, how,
                 how == Relaxed::resource_moved ? group_text(p_, p_.members.root_of(n)) : ""});
}

StatusOr<const std::vector<DeviceId>*> Candidates::of(NodeId n) {
  Member& set = p_.members.set_of(n);
  if (set.candidates != nullptr && !set.candidates->empty()) return set.candidates;
  set.candidates = matching(set.requested, set.types);
  Relaxed how = Relaxed::no;
  const bool is_soft = p_.options.soft_placement || p_.rules.planted == PlantedBug::hard_is_soft;
  if (set.candidates->empty() && is_soft && set.requested != kNoDeviceRequest) how = match_softly(set);
  note(n, set, how);
  if (set.candidates->empty()) return cannot_assign(p_, n);
  return set.candidates;
}

}  // namespace tarry
