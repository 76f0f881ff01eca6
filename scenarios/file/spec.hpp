// A scenario as plain values: a cluster, the clients' programs, costs, how training goes, faults, and when the run
// ends.
//
// Made by load.hpp from a YAML file, or built by a test. Tasks and hosts are ids into `cluster`. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/must.hpp"
#include "scenarios/file/position.hpp"
#include "scenarios/job/fault.hpp"
#include "scenarios/job/programs.hpp"
#include "sim/cluster.hpp"
#include "sim/costs.hpp"
#include "workers/train/training_client.hpp"

namespace tarry {

// The recorded graph that one task's client runs.
struct ProgramSpec {
  TaskId task;
  std::string graph;      // a name in scenarios/graphs, or a path; a relative path starts at the scenario's folder
  std::string serves_as;  // canonical name of the task that the graph's worker becomes; by default the task's own
  friend bool operator==(const ProgramSpec&, const ProgramSpec&) = default;
};

// A job whose clients' graphs are built from one recorded graph, one for each worker task of the cluster.
struct BuildSpec {
  std::string graph;  // as in ProgramSpec
  JobPlan plan;
  bool says_backups = false;  // it was given how many workers are not aggregated, and not how many are
};

enum class Start : std::uint8_t {
  together,  // all clients take their first step at once, when all sessions are created and all graphs registered
  natural,   // every client starts by itself, waits for the chief and recovers
};

// The settings of one worker's client that differ from the job's.
struct ClientSpec {
  bool absent = false;
  Nanos start_after = 0;  // its session is created this long after the start
  Nanos first_step_after = 0;
  std::optional<std::int64_t> steps, global_step;  // limits of this client, instead of the job's
  std::vector<std::string> also;                   // further ops of its graph that each of its steps runs
  bool poll_first = false;  // its session comes before the chief's, finds no model and checks again 30 s later
  friend bool operator==(const ClientSpec&, const ClientSpec&) = default;
};

inline constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();

struct TrainingSpec {
  Start start = Start::together;
  std::optional<std::int64_t> num_tokens;  // replaces the graph's; -1 = replicas to aggregate, 0 = the op is not run
  QueueRunnerEra queue_runner = QueueRunnerEra::closes_token_queue;
  bool sync_thread = true;  // false = the sync op never runs
  bool soft_placement = false;
  bool device_filters = true;              // a session sees its own task and the parameter servers only
  bool fail_fast = true;                   // calls to a task without a process fail at once; false = they wait for one
  std::optional<std::int64_t> save_steps;  // the chief saves every save_steps steps,
  std::optional<Nanos> save_every;         // or at this interval
  std::int64_t values_up_to = 4096;        // larger tensors, in elements, have a shape only
  std::map<TaskId, ClientSpec> workers;
};

// The run ends when the first of these is reached. At least one is set.
struct StopSpec {
  std::optional<std::int64_t> aggregates, global_step, steps;  // steps: of every worker, which then leaves
  std::optional<Nanos> time;
  friend bool operator==(const StopSpec&, const StopSpec&) = default;
};

// The outcome that the scenario expects.
struct Expectation {
  std::vector<std::string> verdicts;  // kinds, in any order; empty = any verdicts are accepted
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

// Positions in the file, for errors that only show when the graphs are loaded.
struct Places {
  std::vector<Position> tasks, programs, costs, measured;  // in the order of Scenario's lists
  std::map<std::string, Position> feeds;                   // of the shapes, by tensor
  std::map<TaskId, Position> workers;                      // of the entries of training.workers
  Position job, training, stop, batch;                     // `job`: of `programs`, or of the graph in `build`
};

// A value as the file writes it: its elements wait for the type of the tensor.
struct FeedLiteral {
  Shape shape;
  std::vector<std::string> elements;
};
struct FeedFile {
  std::string path;
};
// What a tensor is fed with.
struct FeedSpec {
  std::variant<FeedLiteral, FeedFile, FedUniform, FedNormal, FedOneHot> what;
  Position at;
};

struct InputFileSpec {
  InputFile file;    // without its bytes,
  std::string from;  // which are those of this file; "" = not known
  Position at;
};

// A file of factors (trace.hpp) of a cost rule, or of all kernels.
struct TraceSpec {
  std::string file;  // its path
  Position at;
};

// The same of the cards of hosts, for all cards or for those with a number.
struct CardTraceSpec {
  TraceSpec trace;
  Nanos every = 1;  // > 0
  std::optional<std::uint32_t> nic = {};
};

struct Scenario {
  std::string title;
  std::string file;       // the path of the file
  bool has_lines = true;  // false: keys were set otherwise, and positions are none of the file
  std::uint64_t seed = 1;
  ClusterSpec cluster;
  std::vector<ProgramSpec> programs;  // either these programs,
  std::optional<BuildSpec> build;     // or programs built from one recorded graph
  FeedSizes feeds;
  std::map<std::string, FeedSpec> fed;  // by tensor
  std::vector<InputFileSpec> input_files;
  CostRules costs;                          // without CostRules::measured, which is read from
  std::map<std::size_t, TraceSpec> traces;  // of the rules with these numbers
  std::vector<TraceSpec> step_traces;       // variations of the workers that they name, after the others
  std::vector<CardTraceSpec> card_traces;   // variations of the hosts that they name, after the others
  std::vector<std::string> measured;        // these files of step statistics
  TrainingSpec training;
  std::vector<Fault> faults;
  std::optional<Must> must;
  StopSpec stop;
  Expectation expect;
  Places places;
};

}  // namespace tarry
