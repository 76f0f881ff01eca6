// A scenario as plain values: a cluster, who runs which program, what things cost, how training goes, and when it ends.
//
// Made by load.hpp from a YAML file, or built by a test. Tasks and hosts are ids into `cluster`. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/file/position.hpp"
#include "scenarios/job/fault.hpp"
#include "scenarios/job/programs.hpp"
#include "sim/cluster.hpp"
#include "sim/costs.hpp"
#include "workers/train/training_client.hpp"

namespace tarry {

// Which client runs which recorded graph.
struct ProgramSpec {
  TaskId task;
  std::string graph;      // a name in scenarios/graphs, or a path, relative ones to the scenario's folder
  std::string serves_as;  // canonical task name that the graph's own worker is renamed to; the task's own by default
  friend bool operator==(const ProgramSpec&, const ProgramSpec&) = default;
};

// A job whose clients' graphs are built from one recorded graph, one for each worker task of the cluster.
struct BuildSpec {
  std::string graph;  // as in ProgramSpec
  JobPlan plan;
};

enum class Start : std::uint8_t {
  together,  // all sessions are up and all graphs registered; all take their first step at once
  natural,   // every session starts by itself, polls and recovers
};

// What sets one worker's client apart from the others.
struct ClientSpec {
  bool absent = false;
  Nanos start_after = 0;  // its session is created that long after the start
  Nanos first_step_after = 0;
  std::optional<std::int64_t> steps, global_step;  // its own limits, instead of the job's
  std::vector<std::string> also;                   // ops of its graph that each of its steps runs besides
  bool poll_first = false;  // its session is created before the chief's: it finds no model and looks again 30 s later
  friend bool operator==(const ClientSpec&, const ClientSpec&) = default;
};

inline constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();

struct TrainingSpec {
  Start start = Start::together;
  std::optional<std::int64_t>
      num_tokens;  // instead of the graph's; -1 = as many as to aggregate, 0 = the op is not run
  QueueRunnerEra queue_runner = QueueRunnerEra::closes_token_queue;
  bool sync_thread = true;  // false: nobody runs the sync op
  bool soft_placement = false;
  bool device_filters = true;              // a session sees its own task and the parameter servers only
  bool fail_fast = true;                   // calls to a task without a process fail at once; false: they wait for one
  std::optional<std::int64_t> save_steps;  // checkpoints by the chief, every so many steps
  std::optional<Nanos> save_every;         // or so long
  std::int64_t values_up_to = 4096;        // elements of a tensor whose values are computed
  std::map<TaskId, ClientSpec> workers;
};

// The first that applies. One at least is set.
struct StopSpec {
  std::optional<std::int64_t> aggregates, global_step, steps;  // steps: of every worker, each leaves after its own
  std::optional<Nanos> time;
  friend bool operator==(const StopSpec&, const StopSpec&) = default;
};

// What must come out.
struct Expectation {
  std::vector<std::string> verdicts;  // kinds, in any order; empty = nothing is expected
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

// Where the file says what only the graphs can show to be wrong.
struct Places {
  std::vector<Position> tasks, programs, costs, measured;  // in their order
  std::map<std::string, Position> feeds;                   // shapes, by tensor
  std::map<TaskId, Position> workers;                      // training.workers
  Position job, training, stop;                            // job: programs, or the graph of build
};

struct Scenario {
  std::string title;
  std::string file;  // where it was read from
  std::uint64_t seed = 1;
  ClusterSpec cluster;
  std::vector<ProgramSpec> programs;  // those, or
  std::optional<BuildSpec> build;     // this
  FeedSizes feeds;
  CostRules costs;                    // without what was measured:
  std::vector<std::string> measured;  // paths of step statistics
  TrainingSpec training;
  std::vector<Fault> faults;
  StopSpec stop;
  Expectation expect;
  Places places;
};

}  // namespace tarry
