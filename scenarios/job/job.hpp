// A job: a cluster, what its clients run, and when to stop; and the run of it.
//
// Scenarios (spec.hpp) and recorded runs (properties/conform) both become jobs. Plain values; running does not change
// them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "placer/core/planted_cluster.hpp"
#include "results/laws.hpp"
#include "results/log.hpp"
#include "results/verdict.hpp"
#include "scenarios/job/fault.hpp"
#include "sim/cluster.hpp"
#include "sim/costs.hpp"
#include "sim/world.hpp"
#include "workers/known_job.hpp"
#include "workers/train/training_client.hpp"

namespace tarry {

struct ClientJob {
  TaskId task;
  ClientProgram program;
  TrainOptions options;           // options.joins_gate says whether it starts with the others
  bool lets_others_look = false;  // it starts later on purpose: so that the others find no model and look again
};

struct StopRule {  // the first rule that holds ends the run; without any, it ends when nothing is left to do, or at
                   // max_time
  std::optional<std::int64_t> aggregates;  // the number of aggregates that every accumulator must have
  std::optional<Nanos> time;               // since the start
  std::optional<std::int64_t> began;       // training steps that all workers together have begun
  bool when_clients_finish = true;
};

struct Job {
  std::vector<Fault> faults;
  ClusterSpec cluster;
  CostRules costs;
  std::uint64_t seed = 1;
  std::vector<ClientJob> clients;  // absent ones are left out
  bool start_together = true;
  std::int64_t values_up_to = 4096;
  InputFiles inputs;  // what readers read
  bool fail_fast = true;
  bool is_exact = false;  // exact messages (Directory::is_exact), for comparing with recordings: slower, same course
  StopRule stop;
  Nanos max_time = 30LL * 24 * 3600 * 1'000'000'000;
  bool keep_kernels = false;  // for a trace
  bool keep_causes = false;   // for critical paths; keeps kernels, too
  bool keep_turns = false;    // run_here: Outcome::turns
  // Where the run's time is up, it goes on unseen to find out when training would (EventLog::goes_on_at), with the
  // cluster as it is then; for a day of simulated time at most. The log's events and the hash stay the same.
  bool looks_ahead = false;
  bool audits = false;  // holds the run against the laws of the runtime; the log stays the same
  PlantedClusterBug planted = PlantedClusterBug::none;  // properties only
  bool shifts_memory = false;         // run_apart: other addresses than without, to show that nothing depends on them
  std::function<bool()> interrupted;  // asked every so many events: true ends the run there; empty = never
  std::function<void(Nanos now, std::uint64_t events)>
      watch;  // called at intervals with the simulated time and the count of events; may be empty
};

struct Outcome {
  EventLog log;
  WorldStats stats;
  TaskNames tasks;
  std::vector<Nanos> faults_at = {};  // when each fault of the job happened, by the log's clock; -1 = never
  Audit audit;                        // empty unless the job asked for it; after run_apart it has its marks only
  std::vector<BrokenLaw> breaches;    // of laws, if the job is audited
  std::uint64_t nodes_run = 0;        // op executions; set by run_here only
  Causes causes = {};                 // empty unless the job asked for them
  // How many events the world had been asked for (sim/heap.hpp) when each event of the log was noted: a fault that is
  // asked for at the same instant and count takes the same turn. Empty unless the job asked for them.
  std::vector<std::uint64_t> turns = {};
};

// Runs the job in this process. With `known`, which must belong to this job, the second and later runs are faster and
// have the same outcome. REQUIRES: SimGrid computes none of its flows (flows_by), or those of no other job that ran
// in this process before.
// Throws Refused (sim/runner.hpp) when an instant has no end.
[[nodiscard]] Outcome run_here(const Job& job, KnownJob* known = nullptr);
// Runs it in a process of its own, which may use what `known` has and adds nothing to it. Fails: INVALID_ARGUMENT when
// an instant has no end, and as run_in_child.
[[nodiscard]] StatusOr<Outcome> run_apart(const Job& job, KnownJob* known = nullptr);
// The same of several jobs, at most `at_once` at a time (>= 1). `ended` gets each outcome, in the order of the jobs,
// and says whether the next one is wanted.
void run_each_apart(const std::vector<Job>& jobs, int at_once, KnownJob* known,
                    const std::function<bool(std::size_t, StatusOr<Outcome>)>& ended);

}  // namespace tarry
