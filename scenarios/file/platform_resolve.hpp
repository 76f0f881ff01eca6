// A platform file of SimGrid as the network of a scenario.
#pragma once

#include "scenarios/file/raw.hpp"
#include "sim/platform.hpp"

namespace tarry {

// Where the cluster has a platform and lists no host, its hosts are those that tasks name, in the order of the tasks.
void take_hosts_of_platform(RawCluster& cluster);
// What lies between the cluster's hosts by this file. Tells `in` what is wrong, at its place: the file; a host that it
// lacks; a key that says something else about the network.
[[nodiscard]] PlatformSpec resolve_platform(Reader& in, const RawCluster& cluster, const std::string& file);

}  // namespace tarry
