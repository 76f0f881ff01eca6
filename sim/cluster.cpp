#include "sim/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "placer/core/text.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

// The text after `prefix`, or "" when the part starts otherwise.
std::string_view after_prefix(std::string_view part, std::string_view prefix) {
  return part.starts_with(prefix) ? part.substr(prefix.size()) : "";
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Of a platform; none within a host.
std::vector<const PlatformLink*> links_on_way(const NetworkSpec& network, HostId from, HostId to) {
  std::vector<const PlatformLink*> links;
  if (!network.platform.is_given() || from == to) return links;
  for (const std::uint32_t l : network.platform.route(from, to).links) links.push_back(&network.platform.links[l]);
  return links;
}

// As in a device's name (docs/rules/placer.md#A.2).
bool is_job(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

StatusOr<std::string> canonical_task(std::string_view name) {
  const auto parts = split(name, '/');
  if (parts.size() == 2 && is_job(parts[0]) && is_number(parts[1]))
    return fmt::format("/job:{}/replica:0/task:{}", parts[0], parts[1]);
  const bool has_replica = parts.size() == 4;
  if ((parts.size() != 3 && !has_replica) || !parts[0].empty())
    return invalid("'{}' is not a task; expected /job:NAME/task:NUMBER or NAME/NUMBER", name);
  const auto job = after_prefix(parts[1], "job:"), task = after_prefix(parts.back(), "task:");
  const auto replica = has_replica ? after_prefix(parts[2], "replica:") : "0";
  if (!is_job(job) || !is_number(task) || !is_number(replica))
    return invalid("'{}' is not a task; expected /job:NAME/task:NUMBER or NAME/NUMBER", name);
  return fmt::format("/job:{}/replica:{}/task:{}", job, replica, task);
}

TaskId find_task(const ClusterSpec& cluster, std::string_view canonical_name) {
  const auto found = std::ranges::find(cluster.tasks, canonical_name, &TaskSpec::name);
  return found == cluster.tasks.end() ? TaskId::none() : TaskId{std::size_t(found - cluster.tasks.begin())};
}

HostId find_host(const ClusterSpec& cluster, std::string_view name) {
  const auto found = std::ranges::find(cluster.hosts, name, &HostSpec::name);
  return found == cluster.hosts.end() ? HostId::none() : HostId{std::size_t(found - cluster.hosts.begin())};
}

std::vector<std::string> device_names(const TaskSpec& task) {
  std::vector<std::string> names{task.name + "/device:CPU:0"};
  for (std::size_t i = 0; i < task.gpus.size(); ++i) names.push_back(fmt::format("{}/device:GPU:{}", task.name, i));
  return names;
}

const GpuSpec* find_gpu(const TaskSpec& task, std::string_view device) {
  if (task.gpus.empty()) return nullptr;
  constexpr std::string_view kMark = "/device:GPU:";
  const std::size_t at = device.find(kMark);
  std::size_t number = 0;
  if (at == std::string_view::npos || device.substr(0, at) != task.name) return nullptr;
  std::from_chars(device.data() + at + kMark.size(), device.data() + device.size(), number);
  return number < task.gpus.size() ? &task.gpus[number] : nullptr;
}

std::uint64_t copy_limit(const ClusterSpec& cluster, const TaskSpec& task, const GpuSpec& gpu) {
  return narrower(gpu.copy_bandwidth, cluster.hosts[task.host.index()].pcie.root_bandwidth);
}

std::string copy_engine_name(std::string_view gpu, CopyEngine engine) {
  return fmt::format("{}/memcpy:{}", gpu, engine == CopyEngine::to_host ? "DtoH" : "HtoD");
}

Nanos transfer_time(std::uint64_t bytes, std::uint64_t bandwidth) {
  if (bandwidth == 0) return 0;
  const unsigned __int128 time = (static_cast<unsigned __int128>(bytes) * 1'000'000'000u + bandwidth - 1) / bandwidth;
  constexpr auto kMost = static_cast<unsigned __int128>(std::numeric_limits<Nanos>::max());
  return static_cast<Nanos>(std::min(time, kMost));
}

std::uint64_t narrower(std::uint64_t a, std::uint64_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

std::uint64_t share_of(std::uint64_t bandwidth, std::int64_t parts, std::int64_t whole) {
  if (bandwidth == 0) return 0;
  const auto exact =
      static_cast<unsigned __int128>(bandwidth) * static_cast<std::uint64_t>(parts) / static_cast<std::uint64_t>(whole);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(exact));
}

std::uint64_t window_rate(std::uint64_t window, Nanos round_trip) {
  if (window == 0 || round_trip == 0) return 0;
  const auto rate = static_cast<unsigned __int128>(window) * 1'000'000'000u / static_cast<std::uint64_t>(round_trip);
  constexpr auto kMost = static_cast<unsigned __int128>(std::numeric_limits<std::int64_t>::max());
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::min(rate, kMost)));
}

bool has_flows(const ClusterSpec& cluster) {
  const NetworkSpec& n = cluster.network;
  return n.between_hosts.bandwidth > 0 || n.same_host.bandwidth > 0 || n.transport.window > 0 ||
         std::ranges::any_of(n.links, [](const LinkSpec& l) { return l.path.bandwidth > 0; }) ||
         std::ranges::any_of(n.racks, [](const RackSpec& r) { return r.trunk.bandwidth > 0; }) ||
         std::ranges::any_of(n.platform.links, [](const PlatformLink& l) { return l.bandwidth > 0; }) ||
         std::ranges::any_of(cluster.hosts, has_limited_card);
}

void free_bandwidth(ClusterSpec& cluster) {
  for (HostSpec& h : cluster.hosts) {
    h.nic_bandwidth = 0;
    std::ranges::fill(h.further_nics, 0);
  }
  NetworkSpec& n = cluster.network;
  for (RackSpec& r : n.racks) r.trunk.bandwidth = 0;
  for (LinkSpec& l : n.links) l.path.bandwidth = 0;
  for (PlatformLink& l : n.platform.links) l.bandwidth = 0;
  n.between_hosts.bandwidth = n.same_host.bandwidth = n.transport.window = 0;
  n.transport.incast.clear();
  n.variations.clear();
}

FlowsBy flows_by(const ClusterSpec& cluster) {
  if (cluster.network.engine != FlowsBy::automatic) return cluster.network.engine;
  return cluster.hosts.size() > kMostHostsOfSimgrid ? FlowsBy::shared : FlowsBy::simgrid;
}

PathSpec trunk_path(const ClusterSpec& cluster, HostId from, HostId to) {
  PathSpec path;
  const Trunks trunks = trunks_between(cluster.hosts, from, to);
  for (const RackId rack : {trunks.out, trunks.in}) {
    if (!rack.valid()) continue;
    const PathSpec& trunk = cluster.network.racks[rack.index()].trunk;
    path.latency += trunk.latency;
    path.bandwidth = narrower(path.bandwidth, trunk.bandwidth);
  }
  for (const PlatformLink* link : links_on_way(cluster.network, from, to))
    if (!link->is_fatpipe) path.bandwidth = narrower(path.bandwidth, link->bandwidth);
  return path;
}

std::uint64_t fatpipe_between(const NetworkSpec& network, HostId from, HostId to) {
  std::uint64_t least = 0;
  for (const PlatformLink* link : links_on_way(network, from, to))
    if (link->is_fatpipe) least = narrower(least, link->bandwidth);
  return least;
}

PathSpec path_between(const ClusterSpec& cluster, HostId from, HostId to) {
  const auto usual = [&](Card c) { return bandwidth_of(cluster.hosts, c); };
  return path_of_all(cluster, from, to, {together(cluster, from, to, usual), together(cluster, to, from, usual)});
}

PathSpec path_between(const ClusterSpec& cluster, HostId from, HostId to, CardPair cards) {
  PathSpec path = path_of_all(cluster, from, to, cards);
  path.bandwidth = narrower(path.bandwidth, fatpipe_between(cluster.network, from, to));
  return path;
}

PathSpec path_of_all(const ClusterSpec& cluster, HostId from, HostId to, CardPair cards) {
  if (from == to) return cluster.network.same_host;
  PathSpec path = link_between(cluster.network, from, to);
  path.bandwidth = narrower(path.bandwidth, narrower(cards.from, cards.to));
  const PathSpec trunks = trunk_path(cluster, from, to);
  return {path.latency + trunks.latency, narrower(path.bandwidth, trunks.bandwidth)};
}

HostId add_host_like(ClusterSpec& cluster, HostId like, std::string name) {
  HostSpec host = cluster.hosts[like.index()];
  host.name = std::move(name);
  cluster.hosts.push_back(std::move(host));
  std::vector<std::uint32_t>& places = cluster.network.platform.place_of;
  if (!places.empty()) places.push_back(std::uint32_t{places[like.index()]});
  return HostId{cluster.hosts.size() - 1};
}

}  // namespace tarry
