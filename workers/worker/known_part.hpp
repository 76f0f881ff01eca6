// How a task's part of a graph was cut by device and planned, kept for the next registration of the very same part.
//
// No answer depends on which run made it: a job that is run again, with another seed, finds its graphs ready (kernels
// remember what they last gave out). The cuts carry the incarnations that devices had when they were made; what has
// changed since is told beside them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "placer/core/ids.hpp"
#include "workers/executor/plan_ref.hpp"
#include "workers/rendezvous/key.hpp"

namespace tarry {

struct DeviceCut {                              // by a worker
  std::vector<std::string> devices;             // the worker's, by DeviceId
  std::vector<std::uint64_t> incarnations;      // theirs, then
  std::uint64_t counter = 0, next_counter = 0;  // that numbers the nodes made on the way: before and after
  std::vector<std::pair<DeviceId, ExecPlanRef>> plans;
  bool schedules_receives = false;  // as the session asked
};

struct KnownPart {
  std::uint64_t bytes = 0;  // on the wire
  std::vector<DeviceCut> cuts;
};

// What a registration may use of earlier ones; `renewed` are incarnations of the master's cut that are others now.
struct KnownRegistration {
  KnownPart* part = nullptr;
  const Incarnations* renewed = nullptr;
};

}  // namespace tarry
