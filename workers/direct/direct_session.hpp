// Runs a graph with real values on the devices of one process, as TensorFlow's direct session does
// (docs/rules/runtime.md#A, #C).
//
// Functions are taken into the whole graph (placer/lower/lower.hpp), which is placed once, at the first run. A
// signature (feeds, fetches, targets) is pruned, cut by device in one go and registered once. A step ends when every
// device's executor has ended. What waits for ever ends at the step's timeout, or, without one, is an error that says
// so. Variables, queues and accumulators stay from step to step.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placer/partition/part.hpp"
#include "workers/direct/local_env.hpp"
#include "workers/direct/partial_run.hpp"
#include "workers/state/checkpoint_files.hpp"
#include "workers/state/input_files.hpp"
#include "workers/worker/graph_manager.hpp"

namespace tarry {

struct DirectOptions {
  bool soft_placement = false;
  bool inlines_calls = true;  // placer/lower/lower.hpp
  std::uint64_t seed = 1;
  std::int64_t values_up_to = std::int64_t{1} << 40;  // in effect, all values are computed
  Nanos kernel_time = 0;   // of every kernel; the kernels of one device run one after the other
  InputFiles inputs = {};  // what readers read
};

struct StepRequest {
  std::map<std::string, TensorRef> feeds;  // "x:0"
  std::vector<std::string> fetches, targets;
  std::int64_t timeout_ms = 0;  // 0 = none
};

class DirectSession {
 public:
  // REQUIRES: full device names of one task; the first is the client's. Fails with the errors of import_graph and
  // lower_functions.
  [[nodiscard]] static StatusOr<std::unique_ptr<DirectSession>> create(const GraphSpec& graph,
                                                                       const std::vector<std::string>& devices,
                                                                       const DirectOptions& options = {});

  // One tensor for each fetch, in order; a fed tensor that is fetched is answered as it was fed (the client does that).
  // Fails: with the texts of docs/rules/runtime.md#A.3, #C and #D; INVALID_ARGUMENT `Retval[0] does not have value` for
  // a dead fetch (counted in sorted order); DEADLINE_EXCEEDED.
  [[nodiscard]] StatusOr<std::vector<TensorRef>> run(const StepRequest& request);

  // A run in pieces (docs/rules/runtime.md#E.5): first its signature, then calls, each with some of the feeds and
  // fetches.
  [[nodiscard]] StatusOr<std::string> partial_run_setup(
      const StepRequest& signature);  // only the feeds' names are used
  [[nodiscard]] StatusOr<std::vector<TensorRef>> partial_run(const std::string& handle, const StepRequest& call);

  // The parts that a signature is cut into, in the order of the devices, as they are registered.
  [[nodiscard]] StatusOr<std::vector<Partition>> partitions(const StepRequest& request);
  [[nodiscard]] StatusOr<const Graph*> placed();
  [[nodiscard]] LocalEnv& env() { return env_; }
  [[nodiscard]] std::uint64_t nodes_run() const { return nodes_run_; }

 private:
  struct Registered {  // a signature
    std::vector<std::unique_ptr<Executor>> executors;
  };
  explicit DirectSession(const DirectOptions& options) : options_(options), env_(options.seed, options.kernel_time) {}

  Status add_devices(const std::vector<std::string>& names);
  Status place_once();
  [[nodiscard]] StatusOr<std::vector<Partition>> cut(const Signature& signature, Convention convention);
  [[nodiscard]] StatusOr<Registered*> find_or_register(const Signature& signature, Convention convention);
  void start(Registered& item, DirectStep& step);
  [[nodiscard]] Status finish(DirectStep& step, std::int64_t timeout_ms);
  [[nodiscard]] StatusOr<std::vector<TensorRef>> receive(PartialRun& run, const std::vector<std::string>& fetches);

  DirectOptions options_;
  LocalEnv env_;
  CheckpointFiles files_;
  std::shared_ptr<NameCounters> counters_ = std::make_shared<NameCounters>();  // KernelHost's
  LocalDevices devices_;
  ClientDevice client_;
  std::optional<Graph> full_;
  bool is_placed_ = false;
  std::vector<SharedKernels> shared_;  // by DeviceId
  std::map<std::pair<Signature, Convention>, Registered> registered_;
  std::map<std::string, std::unique_ptr<PartialRun>> partial_runs_;
  std::vector<std::unique_ptr<DirectStep>>
      blocked_;  // steps that timed out: an op of theirs that cannot be cancelled may still call back
  std::uint64_t names_ = 0, steps_ = 0, nodes_run_ = 0;
};

}  // namespace tarry
