// What the sessions of one client have found out that depends neither on the run nor on its seed: its graph, imported
// and placed; the graphs of its signatures; how they were cut by task, and by the workers.
//
// The next session of the same client takes it from here: after a crash, or in the next run of the job. All of it
// answers as a pure function would, kept beside what was asked. Only incarnations are drawn in each run: what is kept
// has those of the run that made it, and workers are told which are others now.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "workers/master/client_graph.hpp"
#include "workers/worker/known_part.hpp"

namespace tarry {

struct KnownCut {  // by task
  struct Part {
    std::string location;
    std::shared_ptr<const GraphSpec> graph;
    std::shared_ptr<KnownPart> known;
  };
  std::uint64_t names = 0, next_names = 0;  // made by the session before and after
  std::vector<Part> parts;
};

struct KnownSignature {
  Signature signature;
  Graph graph;  // before it is cut
  std::vector<KnownCut> cuts;
};

struct KnownSession {
  std::shared_ptr<const GraphSpec> written;  // null = nothing is known yet
  bool soft_placement = false;
  std::string release;
  DeviceSet devices;  // with the incarnations that all below carries
  ClientDevice client;
  std::shared_ptr<const Graph> placed;
  std::map<std::string, DeviceId> stateful_devices;
  std::vector<std::shared_ptr<KnownSignature>> signatures;

  [[nodiscard]] std::shared_ptr<KnownSignature> find(const Signature& signature) const;
};

// The same devices in the same order; incarnations apart.
[[nodiscard]] bool same_devices(const DeviceSet& a, const DeviceSet& b);
// Which incarnations of `then` are others in `now`; null when none is. REQUIRES: same_devices(then, now).
[[nodiscard]] std::shared_ptr<const Incarnations> renewals(const DeviceSet& then, const DeviceSet& now);

}  // namespace tarry
