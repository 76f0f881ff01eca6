#include "scenarios/file/groups.hpp"

#include <boost/algorithm/string/replace.hpp>

namespace tarry {
namespace {

constexpr char kIndex[] = "{index}";

bool has_index(const Named& name) { return name.text.find(kIndex) != std::string::npos; }

Named member(const Named& name, std::int64_t number) {
  return {boost::replace_all_copy(name.text, kIndex, std::to_string(number)), name.at};
}

Named rack_of(const RawHost& group, std::int64_t number) {
  if (!group.per_rack) return member(group.rack, number);
  return member(group.rack.text.empty() ? Named{"rack{index}", group.name.at} : group.rack, number / *group.per_rack);
}

// The racks of a host or a group, as far as the file says something that cannot be.
void check_racks(Reader& in, const RawHost& h) {
  if (h.per_rack && !h.count)
    in.fail(h.name.at, fmt::format("host '{}': 'per_rack' is for a group of hosts, which has a 'count'", h.name.text));
  else if (!h.count && has_index(h.rack))
    in.fail(h.rack.at,
            fmt::format("rack '{}': '{}' is for a group of hosts, which has a 'count'", h.rack.text, kIndex));
  else if (h.per_rack && !h.rack.text.empty() && !has_index(h.rack))
    in.fail(h.rack.at, fmt::format("rack '{}': the racks of a group with 'per_rack' have '{}' in their name",
                                   h.rack.text, kIndex));
}

void add_hosts(Reader& in, const RawHost& group, std::vector<RawHost>& hosts) {
  check_racks(in, group);
  if (!group.count && !has_index(group.name)) return hosts.push_back(group);
  if (!group.count || !has_index(group.name))
    return in.fail(group.name.at, fmt::format("host '{}': a group of hosts has a 'count', and '{}' in its name",
                                              group.name.text, kIndex));
  for (std::int64_t n = 0; n < *group.count; ++n)
    hosts.push_back({member(group.name, n), group.nic, group.nics, rack_of(group, n), {}, {}, group.pcie});
}

// "worker" and "/job:worker" of worker/0.
bool names_a_job(const std::string& name) {
  return name.find('/', 1) == std::string::npos && name.find("task:") == std::string::npos;
}

void add_tasks(Reader& in, const Named& name, const RawTask& group, NamedList<RawTask>& tasks) {
  if (!group.count && has_index(group.host))
    return in.fail(group.host.at,
                   fmt::format("'{}' is for a group of tasks: 'worker: {{count: 64, host: \"h{}\"}}'", kIndex, kIndex));
  if (!group.count) return tasks.emplace_back(name, group), void();
  if (!names_a_job(name.text))
    return in.fail(name.at, fmt::format("'{}' is one task, and 'count' is for a group, which has the name of its job: "
                                        "'worker: {{count: 64, host: \"h{}\"}}'",
                                        name.text, kIndex));
  for (std::int64_t n = 0; n < *group.count; ++n) {
    RawTask task = group;
    task.host = member(group.host, n);
    task.count.reset();
    tasks.emplace_back(
        Named{fmt::format("{}/task:{}", name.text.starts_with('/') ? name.text : "/job:" + name.text, n), name.at},
        std::move(task));
  }
}

}  // namespace

void expand_groups(Reader& in, RawCluster& cluster) {
  std::vector<RawHost> hosts;
  for (const RawHost& h : cluster.hosts) add_hosts(in, h, hosts);
  NamedList<RawTask> tasks;
  for (const auto& [name, task] : cluster.tasks) add_tasks(in, name, task, tasks);
  cluster.hosts = std::move(hosts);
  cluster.tasks = std::move(tasks);
}

}  // namespace tarry
