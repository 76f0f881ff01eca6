#include "scenarios/file/platform_resolve.hpp"

#include <algorithm>
#include <filesystem>

#include "scenarios/file/lookup.hpp"
#include "scenarios/file/names.hpp"
#include "sim/read_platform.hpp"

namespace tarry {
namespace {

// The first key that says what the file says already; "" for none.
std::string key_beside_platform(const RawNetwork& n) {
  if (n.latency > 0) return "latency";
  if (n.bandwidth > 0) return "bandwidth";
  if (n.nic) return "nic";
  if (!n.nics.empty()) return "nics";
  if (n.rack_trunk > 0) return "rack_trunk";
  if (n.rack_latency > 0) return "rack_latency";
  if (!n.racks.empty()) return "racks";
  if (!n.links.empty()) return "links";
  if (!n.variations.empty()) return "variations";
  return n.transport.spec.incast.empty() ? "" : "transport.incast";
}

std::string key_beside_platform(const RawHost& h) {
  if (h.nic) return "nic";
  if (!h.nics.empty()) return "nics";
  return h.rack.text.empty() ? "" : "rack";
}

std::string not_beside_platform(const std::string& key) {
  return fmt::format("'{}' cannot stand beside 'platform': the file says what lies between hosts", key);
}

void check_keys(Reader& in, const RawCluster& cluster) {
  if (const std::string key = key_beside_platform(cluster.network); !key.empty())
    in.fail(cluster.network.platform.at, not_beside_platform(key));
  for (const RawHost& h : cluster.hosts)
    if (const std::string key = key_beside_platform(h); !key.empty()) in.fail(h.name.at, not_beside_platform(key));
}

void check_hosts(Reader& in, const RawCluster& cluster, const std::vector<std::string>& known) {
  const std::string file = std::filesystem::path(cluster.network.platform.text).filename();
  for (const RawHost& h : cluster.hosts)
    if (std::ranges::find(known, h.name.text) == known.end())
      in.fail(h.name.at,
              fmt::format("{} has no host '{}'{}", file, shown(h.name.text), suggestion(h.name.text, known)));
}

}  // namespace

void take_hosts_of_platform(RawCluster& cluster) {
  if (cluster.network.platform.text.empty() || !cluster.hosts.empty()) return;
  for (const auto& [name, task] : cluster.tasks) {
    const auto is_its = [&host = task.host](const RawHost& h) { return h.name.text == host.text; };
    if (std::ranges::none_of(cluster.hosts, is_its)) cluster.hosts.push_back({.name = task.host});
  }
}

PlatformSpec resolve_platform(Reader& in, const RawCluster& cluster, const std::string& file) {
  check_keys(in, cluster);
  if (!in.ok()) return {};
  std::vector<std::string> wanted;
  for (const RawHost& h : cluster.hosts) wanted.push_back(h.name.text);
  StatusOr<ReadPlatform> read = read_platform(file, wanted);
  if (!read.ok()) {
    in.fail(cluster.network.platform.at, fmt::format("platform: {}", text_of(read.status())));
    return {};
  }
  check_hosts(in, cluster, read->hosts);
  return std::move(read->platform);
}

}  // namespace tarry
