// A search for clusters, drawn at random, on which faults break a law of the runtime; what is found is shrunk, faults
// and cluster.
//
// Cluster number n is drawn from (seed, n); a job that stands still, fails or loses progress by itself is left out. The
// others run without faults and then under schedules of a strategy. What counts: breaches of laws, instants without an
// end, two runs that differ, and what the user asks for. (A job that was drawn at random and hangs when a worker dies
// for good does as TensorFlow does.) What is found does not depend on how many processes look.
#pragma once

#include "properties/cluster/drawn.hpp"
#include "properties/cluster/hunt.hpp"
#include "properties/cluster/reach.hpp"

namespace tarry {

struct ClustersHunt {
  std::string graphs;  // the folder of the shipped graphs
  Must must = {};      // what else counts; nothing: laws and endless instants only
  StrategyOptions strategy = {};
  std::uint64_t runs = 1'000;
  std::uint64_t each = 50;  // runs of a cluster, the one without faults among them
  int processes = 1;
  std::uint64_t most_shrinks = 1'000;            // tries, for each finding
  bool keep_going = false;                       // after the first finding: then each fingerprint is found once
  std::uint64_t check_share = kUsualCheckShare;  // percent of the runs that are run twice
  // Asked between batches of clusters, and before each run that shrinks; empty = never.
  std::function<bool()> is_time_up;
  ShrinkWatch watch = {};  // empty = nobody looks
  PlantedClusterBug planted = PlantedClusterBug::none;
};

// A case that broke something, ready to run.
struct DrawnFinding {
  std::uint64_t cluster = 0;  // its number
  std::uint64_t runs = 0;     // that broke something with this fingerprint
  DrawnCluster drawn, smallest;
  Scenario scenario;  // of the smallest, without faults
  // `number` counts the runs of the cluster; 0 is the one without faults. `shrunk` has the tries of faults and cluster.
  ClusterFinding finding;
};

struct ClustersReport {
  std::uint64_t clusters = 0;                    // that ran
  std::map<std::string, std::uint64_t> skipped;  // clusters that did not, by why: "'stuck' without any fault"
  std::uint64_t runs = 0, broken = 0;
  std::vector<DrawnFinding> findings;  // in the order of their runs
  Reach reach;
  MarkCounts marks = {};
};

// Ends with fewer runs than asked for when nine of ten clusters, or more, are left out.
// Fails: INVALID_ARGUMENT when a drawn cluster is none that the language takes, which is a defect of the drawing; as
// run_in_children.
[[nodiscard]] StatusOr<ClustersReport> hunt(const ClustersHunt& hunt, const Progress& progress = {});

// The scenario of a drawn cluster, without faults; `file` is empty. Fails: as parse_scenario.
[[nodiscard]] StatusOr<Scenario> scenario_of(const DrawnCluster& cluster, const std::string& title);
[[nodiscard]] std::string title_of(std::uint64_t seed, std::uint64_t number);  // "drawn cluster 17 of seed 1"

// Like Trials::run; an instant without an end is the breach "endless".
[[nodiscard]] StatusOr<Trial> tried(Trials& trials, const Schedule& schedule, const TrialOptions& how);

}  // namespace tarry
