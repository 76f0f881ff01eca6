#include "scenarios/job/ceiling.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "results/contributions.hpp"
#include "results/trouble.hpp"

namespace tarry {
namespace {

using Interval = std::pair<Nanos, Nanos>;

// What overlaps counts once.
Nanos covered(std::vector<Interval> all, Nanos from) {
  std::ranges::sort(all);
  Nanos sum = 0;
  for (const auto& [begin, end] : all) {
    sum += std::max<Nanos>(0, end - std::max(begin, from));
    from = std::max(from, end);
  }
  return sum;
}

Nanos latency_between(const ClusterSpec& cluster, TaskId a, TaskId b) {
  const HostId from = cluster.tasks[a.index()].host, to = cluster.tasks[b.index()].host;
  return link_between(cluster.network, from, to).latency + trunk_path(cluster, from, to).latency;
}

}  // namespace

bool Ceiling::lessen(Proof& proof) {
  const std::optional<Of> what = what_limits(proof);
  if (!what || !is_noticed(proof) || base_.stands_still || base_.done == 0 || base_.time <= 0) return false;
  const TaskId server = *what == Of::servers ? proof.task : TaskId();
  const auto [most_of_it, is_new] = most_.try_emplace({*what, server}, 1);
  if (is_new && !may_drop()) most_of_it->second = most(*what, server);
  if (most_of_it->second > proof.gain - kNoticed) return false;
  proof.gain = most_of_it->second;
  proof.instead += *what == Of::servers ? kNoMoreThanKernels : kNoMoreThanMessages;
  return true;
}

std::optional<Ceiling::Of> Ceiling::what_limits(const Proof& p) {
  using enum Proof::Cause;
  switch (p.cause) {
    case network:
    case slow_card:
    case trunks:
    case card_variations:
      return Of::transfers;
    case latency:
    case far_host:
      return Of::messages;
    case imbalance:
      return has_word(p.instead, "evenly") ? Of::transfers : Of::messages_and_servers;
    case servers:
      return Of::messages_and_servers;
    case server_kernels:
      return Of::servers;
    default:
      return std::nullopt;
  }
}

double Ceiling::most(Of what, TaskId server) const {
  Nanos time = what == Of::servers ? 0 : under_way(what != Of::transfers);
  if (what == Of::servers || what == Of::messages_and_servers) time += time_of_servers(server);
  const Nanos besides_saves = base_.time - time_of_saves();
  return besides_saves <= time ? 1 : static_cast<double>(time) / static_cast<double>(besides_saves);
}

bool Ceiling::may_drop() const {
  const Contributions c = read_contributions(outcome_.log);
  return std::ranges::any_of(
      c.accumulators, [&](const AccumulatorStory& a) { return a.required > 0 && a.required < std::ssize(c.workers); });
}

Nanos Ceiling::under_way(bool with_latency) const {
  std::map<std::pair<TaskId, TaskId>, Nanos> latencies;
  std::vector<Interval> all;
  for (const LoggedEvent& e : outcome_.log.events()) {
    const auto* m = std::get_if<MessageDelivered>(&e.event);
    if (m == nullptr || m->from == m->to) continue;
    const auto [latency, is_new] = latencies.try_emplace({m->from, m->to});
    if (is_new && !with_latency) latency->second = latency_between(job_.cluster, m->from, m->to);
    all.emplace_back(m->sent + latency->second, e.at);
  }
  return covered(std::move(all), outcome_.log.started_at);
}

Nanos Ceiling::time_of_servers(TaskId server) const {
  Nanos busy = 0;
  for (const DeviceUse& d : outcome_.stats.devices)
    if (outcome_.tasks.is_ps(d.task) && (!server.valid() || d.task == server)) busy += d.busy - d.busy_before;
  return busy;
}

Nanos Ceiling::time_of_saves() const {
  if (std::ranges::none_of(job_.clients, [](const ClientJob& c) { return c.options.save_every.has_value(); })) return 0;
  std::map<StepId, Nanos> open;
  std::vector<Interval> all;
  for (const LoggedEvent& e : outcome_.log.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began && began->purpose == Purpose::save)
      open[began->step] = e.at;
    if (const auto* ended = std::get_if<StepEnded>(&e.event))
      if (const auto it = open.find(ended->step); it != open.end()) all.emplace_back(it->second, e.at), open.erase(it);
  }
  return covered(std::move(all), outcome_.log.started_at);
}

}  // namespace tarry
