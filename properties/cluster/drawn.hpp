// A cluster and a job on it, drawn at random, and smaller ones.
//
// A value of its own, and not a Scenario: it says only what is drawn, prints as the text of a scenario's file, which
// the language's own loader then checks, and each of its parts has a simpler form. Task i of the text is parameter
// server i, then come the workers; hosts are `host0`, `host1`, ...: so faults, which name tasks and hosts by their ids,
// fit it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "placer/core/random.hpp"
#include "properties/cluster/schedule.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

struct DrawnWorker {
  std::size_t host = 0;
  std::optional<Amount> cost;  // of its steps, in place of the job's
  ClientSpec client;           // without a limit on the global step, and without further ops
};

struct DrawnCluster {
  std::uint64_t seed = 1;
  std::string graph = "softmax_async_ps1_task0";  // one that ships
  // The job. REQUIRES: as `build` in a scenario.
  Protocol protocol = Protocol::asynchronous;
  std::optional<std::int64_t> replicas, num_tokens;  // synchronous
  std::int64_t staleness = 0;                        // stale-synchronous
  PsStrategy strategy = PsStrategy::round_robin;
  // The cluster.
  std::vector<std::size_t> ps;  // the host of each
  std::vector<DrawnWorker> workers;
  std::size_t hosts = 1;         // each has a task
  std::int64_t gpus = 0;         // of each worker
  std::uint64_t gpu_memory = 0;  // bytes of each; 0 = not counted
  std::int64_t threads = 0;      // of each task's CPU; 0 = no limit
  Nanos latency = 0, same_host = 0;
  std::vector<LinkSpec> links;  // latencies only
  std::uint64_t nic = 0;        // 0 = flows share nothing
  // What takes time.
  Amount cost = Constant{kSecond};     // of a step of a worker
  Nanos ps_cost = 0, assign_cost = 0;  // of each kernel of a server; of each value that the model begins with
  // Training.
  TrainingSpec training;  // without `workers`, `num_tokens` and what `gpus` needs
  StopSpec stop;
};

[[nodiscard]] DrawnCluster draw_cluster(Random& random);

[[nodiscard]] bool saves_checkpoints(const DrawnCluster& cluster);
// Faults that reach something only together and in this order, and hardly ever fall so by chance: a save is slow or
// torn, checkpoints are lost, and the chief's session ends, so that the next one restores what is left. `time`: the
// length of the run. REQUIRES: saves_checkpoints.
[[nodiscard]] Schedule draw_spoiled_checkpoint(const DrawnCluster& cluster, Nanos time, Random& random);

// The file of a scenario, without faults and `must`. Two clusters are the same if their texts are.
[[nodiscard]] std::string scenario_text(const DrawnCluster& cluster, const std::string& title);

// A drawn cluster with faults.
struct DrawnCase {
  DrawnCluster cluster;
  Schedule schedule;
};
// Calls `each` with smaller cases until it returns true: first those with a smaller schedule, then those with a worker,
// a server or a host less, then those of which one part is plainer. A task that a fault names is never left out.
void for_each_smaller(const DrawnCase& c, const std::function<bool(const DrawnCase&)>& each);

}  // namespace tarry
