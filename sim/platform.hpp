// A network as a platform file of SimGrid describes it: links, and the route between any two places.
//
// The file is read by SimGrid (read_platform.hpp); here are plain values. A host of the cluster is at a place. One that
// is added to a cluster later stands at the place of the one that it is like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "workers/events.hpp"

namespace tarry {

struct PlatformLink {
  std::string name;
  std::uint64_t bandwidth = 0;  // bytes per second, which all routes over it share; 0 = unlimited
  bool is_fatpipe = false;      // each message has all of it
  friend bool operator==(const PlatformLink&, const PlatformLink&) = default;
};

struct PlatformRoute {
  Nanos latency = 0;
  std::vector<std::uint32_t> links = {};  // each once
  friend bool operator==(const PlatformRoute&, const PlatformRoute&) = default;
};

struct PlatformSpec {
  std::vector<PlatformLink> links = {};
  std::vector<PlatformRoute> routes = {};    // from place a to place b at a * places + b; within a place an empty one
  std::vector<std::uint32_t> place_of = {};  // by host
  std::uint32_t places = 0;                  // 0 = no platform is given
  [[nodiscard]] bool is_given() const { return places > 0; }
  // REQUIRES: is_given().
  [[nodiscard]] const PlatformRoute& route(HostId from, HostId to) const {
    return routes[std::size_t{place_of[from.index()]} * places + place_of[to.index()]];
  }
  friend bool operator==(const PlatformSpec&, const PlatformSpec&) = default;
};

}  // namespace tarry
