#include "sim/variation.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tarry {

Variations::Variations(std::vector<Variation> all, const ClusterSpec& cluster, const Random& streams)
    : cluster_(cluster), begun_(cluster.tasks.size()), applied_(cluster.tasks.size()) {
  for (Variation& v : all) {
    const Random own = streams.fork(std::to_string(v.stream));
    all_.push_back({.what = std::move(v), .streams = own});
  }
}

void Variations::look(const Event& event) {
  if (const auto* began = std::get_if<StepBegan>(&event); began != nullptr && began->purpose == Purpose::train)
    steps_[began->step] = {began->task, begun_[began->task.index()]++};
  else if (began != nullptr && began->purpose == Purpose::sync)
    steps_[began->step] = {began->task, applied_[began->task.index()]++};
  else if (const auto* ended = std::get_if<StepEnded>(&event))
    steps_.erase(ended->step);
}

bool Variations::is_of(const Variation& v, TaskId task) const {
  if (v.task.valid() && v.task != task) return false;
  const std::string& name = cluster_.tasks[task.index()].name;  // "/job:worker/replica:0/task:1"
  constexpr std::size_t kStart = std::string_view("/job:").size();
  return v.job.empty() || (name.compare(kStart, v.job.size(), v.job) == 0 && name[kStart + v.job.size()] == '/');
}

std::string Variations::key_of(const Variation& v, TaskId task, TaskId worker) const {
  const TaskSpec& t = cluster_.tasks[task.index()];
  const HostSpec& host = cluster_.hosts[t.host.index()];
  switch (v.shared) {
    case Variation::Shared::by_all:
      return "";
    case Variation::Shared::by_rack:
      if (host.rack.valid()) return "rack " + cluster_.network.racks[host.rack.index()].name;
      [[fallthrough]];  // on its own
    case Variation::Shared::by_host:
      return "host " + host.name;
    case Variation::Shared::by_nobody:
      break;
  }
  return task == worker ? t.name : fmt::format("{} for {}", t.name, cluster_.tasks[worker.index()].name);
}

Variations::Course& Variations::course_of(Drawn& d, TaskId task, TaskId worker) const {
  const std::uint64_t tasks = std::uint64_t{task.index()} << 32 | worker.index();
  const auto [at, is_new] = d.by_tasks.try_emplace(tasks, 0);
  if (is_new) {
    const std::string key = key_of(d.what, task, worker);
    at->second = d.by_key.try_emplace(key, d.courses.size()).first->second;
    if (at->second == d.courses.size()) d.courses.push_back({.draws = Keyed(d.streams.fork(key))});
  }
  return d.courses[at->second];
}

Nanos Variations::of(Nanos duration, TaskId task, StepId step) {
  const auto it = steps_.find(step);
  if (it == steps_.end()) return duration;
  for (Drawn& d : all_) {
    if (!is_of(d.what, task)) continue;
    Course& c = course_of(d, task, it->second.worker);
    while (c.factors.size() <= it->second.number) {
      const std::size_t number = c.factors.size();
      Random random = c.draws.at(number);
      const auto* switching = std::get_if<Switching>(&d.what.law);
      c.factors.push_back(switching != nullptr ? next_factor(*switching, number, random, c.is_slow)
                                               : draw(std::get<Amount>(d.what.law), number, random));
    }
    duration = times_millionths(duration, c.factors[it->second.number]);
  }
  return duration;
}

}  // namespace tarry
