// What `tarry hunt cluster` answers: as text, as JSON, as JUnit XML.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "properties/cli/hunt_cluster.hpp"
#include "properties/cluster/decisive.hpp"
#include "properties/cluster/saved.hpp"
#include "results/report.hpp"

namespace tarry {

struct Hunted {
  Scenario scenario;
  Job job;
  Must must;
};

struct ClusterAnswer {
  const ClusterArguments& asked;
  const Hunted& what;
  ClusterReport report;
  std::vector<Replayed> known;
  std::vector<DecisiveMoment> moments;  // one for each finding, if they were asked for
  std::vector<FindingTold> told;        // of each finding, with proofs where there was time for them
};

[[nodiscard]] std::string in_words(const ClusterAnswer& answer, const Shown& shown);
[[nodiscard]] nlohmann::ordered_json to_json(const ClusterAnswer& answer);
[[nodiscard]] std::string to_junit(const ClusterAnswer& answer);

}  // namespace tarry
