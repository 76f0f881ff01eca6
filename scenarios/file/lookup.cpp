#include "scenarios/file/lookup.hpp"

#include "scenarios/file/names.hpp"

namespace tarry {
namespace {

template <class Id>
std::vector<std::string> names_of(const std::map<std::string, Id>& ids) {
  std::vector<std::string> names;
  for (const auto& [name, id] : ids) names.push_back(name);
  return names;
}

template <class Id>
Id found_in(const std::map<std::string, Id>& ids, const std::string& name) {
  const auto found = ids.find(name);
  return found == ids.end() ? Id::none() : found->second;
}

}  // namespace

Lookup::Lookup(Reader& in, const ClusterSpec& cluster) : in_(in) {
  for (const HostSpec& h : cluster.hosts) add_host(h.name);
  for (const TaskSpec& t : cluster.tasks) add_task(t.name);
}

HostId Lookup::host_of(const Named& name) const {
  const HostId id = found_in(hosts_, name.text);
  if (!id.valid() && in_.ok())
    in_.fail(name.at, fmt::format("unknown host '{}'{}", shown(name.text), suggestion(name.text, names_of(hosts_))));
  return id;
}

TaskId Lookup::find_task(const std::string& canonical) const { return found_in(tasks_, canonical); }

TaskId Lookup::task_of(const Named& name) const {
  const std::string canonical = task_name(name);
  const TaskId id = find_task(canonical);
  if (!id.valid() && in_.ok())
    in_.fail(name.at, fmt::format("unknown task '{}'{}", shown(name.text), suggestion(canonical, names_of(tasks_))));
  return id;
}

std::string Lookup::task_name(const Named& name) const {
  const StatusOr<std::string> canonical = canonical_task(name.text);
  if (!canonical.ok()) in_.fail(name.at, std::string(text_of(canonical.status())));
  return canonical.value_or("");
}

}  // namespace tarry
