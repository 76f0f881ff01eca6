// Findings on disk: each is the folder of a scenario that runs by itself, with its story and its expected outcome.
//
// FOLDER/NAME/scenario.yaml (the scenario that was hunted, with the smallest faults and what it must keep to),
// README.md, expected.json (where one run shows what is broken), and finding.json, from which a
// later hunt of the same scenario replays it: it names one that ships by its name, and any other by its path from
// there, so that both may be copied elsewhere. NAME is made of the hazard, so that a folder holds each hazard of a
// scenario once; where another finding, or anything else, has that name, a number follows it.
#pragma once

#include <string>
#include <vector>

#include "properties/cluster/hunt.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

struct FoundBy {         // what a finding's document says of its origin
  std::string scenario;  // as the user named it, or how it was drawn
  std::string text;      // the scenario's file
  Must must;             // nothing: only the laws of the runtime
  std::string command;   // that found it
};

struct Shipped {  // folders of what ships with tarry
  std::string graphs, cases;
};

// Writes the finding, and runs what it wrote, with proofs. Returns the folder. Fails: UNAVAILABLE when a file cannot be
// written; INTERNAL when the saved scenario does not break what was broken.
[[nodiscard]] StatusOr<std::string> save_finding(const ClusterFinding& finding, const Scenario& scenario,
                                                 const FoundBy& by, const Shipped& shipped, const std::string& folder);

struct KnownFinding {
  std::string folder, hazard, fingerprint, hash;
  Schedule schedule;
};
// Those in the folder that this scenario was hunted for, in the order of their names; none where there is no such
// folder. Fails: INVALID_ARGUMENT with the file for a finding.json that cannot be read, or whose faults the scenario
// does not take. `cases`: the folder of the scenarios that ship.
[[nodiscard]] StatusOr<std::vector<KnownFinding>> known_findings(const std::string& folder, const Scenario& scenario,
                                                                 const std::string& cases);

enum class Now : std::uint8_t { still_fails, changed, gone };
struct Replayed {
  KnownFinding known;
  Now now = Now::gone;  // changed: it breaks the same, in another run; or something else
};
// Fails: as Trials::run.
[[nodiscard]] StatusOr<std::vector<Replayed>> replay(Trials& trials, const std::vector<KnownFinding>& known);

}  // namespace tarry
