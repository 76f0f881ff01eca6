#include "sim/interference.hpp"

#include <fmt/format.h>

#include "sim/paces.hpp"

namespace tarry {
namespace {

bool is_in_window(const Interference& i, const Keyed& draws, Nanos since_start) {
  const Nanos since_first = since_start - i.first;
  if (since_first < 0 || since_first % i.every >= i.lasts) return false;
  return draws.at(static_cast<std::uint64_t>(since_first / i.every)).chance(1, static_cast<std::uint64_t>(i.one_in));
}

}  // namespace

Interferences::Interferences(const std::vector<Interference>& all, const ClusterSpec& cluster, const Random& streams)
    : cluster_(cluster) {
  for (const Interference& i : all) {
    const std::string& of = i.task.valid() ? cluster.tasks[i.task.index()].name : cluster.hosts[i.host.index()].name;
    all_.push_back({i, Keyed(streams.fork(fmt::format("{}/{}/{}", of, i.every, i.first)))});
  }
}

bool Interferences::is_of(const Interference& i, TaskId task) const {
  return i.task.valid() ? i.task == task : i.host == cluster_.tasks[task.index()].host;
}

Nanos Interferences::of(Nanos duration, TaskId task, Nanos now) const {
  if (now < began_) return duration;
  for (const Drawn& d : all_)
    if (is_of(d.what, task) && is_in_window(d.what, d.draws, now - began_))
      duration = at_percent(duration, d.what.percent);
  return duration;
}

}  // namespace tarry
