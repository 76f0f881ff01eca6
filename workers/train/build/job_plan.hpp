// A training job built from one recorded graph: the programs that its workers would have built.
//
// One worker's asynchronous graph (or a synchronous one, whose SyncReplicasOptimizer is taken out first) becomes that
// of any number of workers, asynchronous, under SyncReplicasOptimizer, stale-synchronous, or with replicated variables,
// on any number of parameter servers (docs/rules/runtime.md#F.1, #F.2, #G.1, #G.4), each with any number of towers. The
// graph of a hand-written protocol belongs to one client and covers all tasks: it is rebuilt for any number of workers
// (docs/rules/runtime.md#G.2).
#pragma once

#include <vector>

#include "workers/train/build/handwritten.hpp"
#include "workers/train/build/sync_replicas.hpp"
#include "workers/train/build/variables.hpp"

namespace tarry {

enum class Protocol : std::uint8_t { asynchronous, synchronous, stale_synchronous, handwritten, replicated };

struct JobPlan {
  Protocol protocol = Protocol::synchronous;
  int workers = 1;
  std::optional<int> first_workers;               // only the programs of so many are made; none = all
  std::optional<int> ps;                          // nullopt = as recorded
  PsStrategy strategy = PsStrategy::round_robin;  // when `ps` is given
  std::optional<int> replicas;                    // gradients to aggregate; nullopt = as many as workers
  int num_tokens = -1;                            // -1 = as many as `replicas`
  int staleness = 0;                      // for stale_synchronous: how many steps a worker may be ahead of the slowest
  Gathering gathering = Gathering::list;  // for handwritten
  int towers = 1;                         // GPUs of each worker that the model runs on; not for handwritten
  int chiefs = 1;                         // how many workers, the first ones, have is_chief=True; 1 is right
};

// Gives one program per worker, or a single one for a hand-written protocol; worker 0 is the chief. REQUIRES: positive
// counts, staleness not negative. Fails: INVALID_ARGUMENT, with the graph's name and what cannot be built from it.
[[nodiscard]] StatusOr<std::vector<ClientProgram>> build_job(const ClientProgram& recorded, const JobPlan& plan);

// Changes `program` to that of another task of the same job, with the same graph (ClientProgram::written_for).
// REQUIRES: neither task is the chief of a synchronous job.
[[nodiscard]] Status serve_as(ClientProgram& program, const std::string& task);

}  // namespace tarry
