// A training job built from one recorded graph: what every worker of it would have built.
//
// One worker's asynchronous graph (or a synchronous one, whose SyncReplicasOptimizer is taken out first) becomes that
// of any number of workers, asynchronous, under SyncReplicasOptimizer, or stale-synchronous, on any number of parameter
// servers (docs/rules/runtime.md#F.1, #F.2, #G.1, #G.4). A hand-written protocol's graph is one client's for all tasks:
// it is made anew for any number of workers (docs/rules/runtime.md#G.2).
#pragma once

#include <vector>

#include "workers/train/build/handwritten.hpp"
#include "workers/train/build/sync_replicas.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {

enum class Protocol : std::uint8_t { asynchronous, synchronous, stale_synchronous, handwritten };

struct JobPlan {
  Protocol protocol = Protocol::synchronous;
  int workers = 1;
  std::optional<int> ps;                          // none = as recorded
  PsStrategy strategy = PsStrategy::round_robin;  // when `ps` is given
  std::optional<int> replicas;                    // to aggregate; none = as many as workers
  int num_tokens = -1;                            // -1 = as many as `replicas`
  int staleness = 0;                      // of stale_synchronous: steps that a worker may be ahead of the slowest
  Gathering gathering = Gathering::list;  // of handwritten
  int chiefs = 1;                         // workers that were built with is_chief=True: the first ones. One is right
};

// A program for each worker, one in all for a hand-written protocol; worker 0 is the chief. REQUIRES: positive counts,
// staleness not negative. Fails: INVALID_ARGUMENT naming the graph and what cannot be built of it.
[[nodiscard]] StatusOr<std::vector<ClientProgram>> build_job(const ClientProgram& recorded, const JobPlan& plan);

// The same program for another task of the same job. REQUIRES: neither is the chief of a synchronous job.
[[nodiscard]] Status serve_as(ClientProgram& program, const std::string& task);

}  // namespace tarry
