#include "scenarios/file/lookup.hpp"

#include <algorithm>
#include <iterator>

#include "placer/core/text.hpp"
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

// "worker" of "/job:worker/replica:0/task:2".
std::string job_of_canonical(const std::string& canonical) {
  const std::size_t start = std::string_view("/job:").size();
  return canonical.substr(start, canonical.find('/', start) - start);
}
std::string after_job(const std::string& canonical) { return canonical.substr(canonical.find("/replica:")); }

// The same task but for its job, which is called almost the same, letters exchanged; a usual name is as it is meant.
bool is_mistyped(const std::string& other, const std::string& canonical) {
  static constexpr const char* kUsual[] = {"worker", "ps", "chief", "master", "evaluator", "localhost"};
  const std::string job = job_of_canonical(other), wanted = job_of_canonical(canonical);
  return job != wanted && after_job(other) == after_job(canonical) && nearest(job, {&wanted, 1}) == wanted &&
         std::ranges::find(kUsual, job) == std::end(kUsual);
}

// "; the job worker has worker/0 to worker/3"; "" where the job has none of these tasks.
std::string others_of_job(const std::string& canonical, const std::map<std::string, TaskId>& tasks) {
  const std::string job = job_of_canonical(canonical);
  std::map<TaskId, std::string> own;  // as the cluster lists them
  for (const auto& [name, id] : tasks)
    if (job_of_canonical(name) == job) own[id] = short_task(name);
  if (own.empty()) return "";
  std::vector<std::string> names;
  for (const auto& [id, name] : own) names.push_back(name);
  return fmt::format("; the job {} has {}", job,
                     names.size() > 3 ? names.front() + " to " + names.back() : join(names, ", "));
}

}  // namespace

Lookup::Lookup(Reader& in, const ClusterSpec& cluster) : in_(in) {
  for (const HostSpec& h : cluster.hosts) add_host(h.name);
  for (const TaskSpec& t : cluster.tasks) add_task(t.name);
}

RackId Lookup::rack_or_new(const std::string& name) {
  return name.empty() ? RackId::none() : racks_.emplace(name, RackId{racks_.size()}).first->second;
}

RackId Lookup::rack_of(const Named& name) const {
  const RackId id = found_in(racks_, name.text);
  if (!id.valid() && in_.ok())
    in_.fail(name.at,
             fmt::format("no host is in the rack '{}'{}", shown(name.text), suggestion(name.text, names_of(racks_))));
  return id;
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
    in_.fail(name.at, fmt::format("unknown task '{}'{}", shown(name.text), meant(name.text, canonical)));
  return id;
}

// Suggestions are as short as what was written. A task of the same number whose job is called almost the same is that
// task, mistyped where the cluster lists it.
std::string Lookup::meant(const std::string& written, const std::string& canonical) const {
  std::vector<std::string> names = names_of(tasks_);
  for (const std::string& other : names)
    if (is_mistyped(other, canonical))
      return fmt::format("; 'tasks' of the cluster has '{}', which may be a mistyped '{}'", short_task(other),
                         short_task(canonical));
  if (const std::string others = others_of_job(canonical, tasks_); !others.empty()) return others;
  if (!written.starts_with('/'))
    for (std::string& n : names) n = short_task(n);
  return suggestion(written.starts_with('/') ? canonical : written, names);
}

std::string Lookup::task_name(const Named& name) const {
  const StatusOr<std::string> canonical = canonical_task(name.text);
  if (!canonical.ok()) in_.fail(name.at, std::string(text_of(canonical.status())));
  return canonical.value_or("");
}

}  // namespace tarry
