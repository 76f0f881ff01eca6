// What drawn clusters and their runs reach: how many clusters have each feature, how many runs each kind of fault and
// of verdict.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "properties/cluster/drawn.hpp"
#include "results/verdict.hpp"

namespace tarry {

struct Reach {
  std::map<std::string, std::map<std::string, std::uint64_t>> groups;  // "workers": {"2": 17}

  void note(const DrawnCluster& cluster);
  void note(const Schedule& schedule);
  void note(std::span<const Verdict> verdicts);
  void add(const Reach& other);
};

struct ReachGroup {
  std::string_view key, meaning;  // "workers", "workers"; "faults", "runs with a fault of each kind"
};
// In the order in which they are told.
[[nodiscard]] std::span<const ReachGroup> reach_groups();

}  // namespace tarry
