// What `tarry hunt cluster` without a scenario answers: as text, as JSON, as JUnit XML.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "properties/cli/hunt_cluster.hpp"
#include "properties/cluster/clusters.hpp"
#include "results/report.hpp"

namespace tarry {

struct ClustersAnswer {
  const ClusterArguments& asked;
  Must must;
  ClustersReport report;
  std::vector<FindingTold> told;  // of each finding, with proofs where there was time for them
};

[[nodiscard]] std::string in_words(const ClustersAnswer& answer, const Shown& shown);
[[nodiscard]] nlohmann::ordered_json to_json(const ClustersAnswer& answer);
[[nodiscard]] std::string to_junit(const ClustersAnswer& answer);

}  // namespace tarry
