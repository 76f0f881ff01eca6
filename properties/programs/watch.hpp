// Observers of a run that are no product code: a world with a random schedule, a rendezvous that counts, kernels that
// note executions.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "properties/programs/run.hpp"
#include "workers/direct/local_env.hpp"
#include "workers/executor/exec_graph.hpp"
#include "workers/rendezvous/rendezvous.hpp"
#include "workers/state/resources.hpp"

namespace tarry {

// Half of the nodes take no time; the others take a new random time at each execution, in parallel.
class RandomEnv : public LocalEnv {
 public:
  explicit RandomEnv(std::uint64_t schedule) : LocalEnv(schedule), draws_(schedule * 2 + 1) {}
  KernelCost cost_of(const KernelSite&) override { return draws_.chance(1, 2) ? KernelCost{} : KernelCost{CostId{0u}}; }
  void run_kernel(CostId, const Work&, StepId, Continuation done) override {
    after(static_cast<Nanos>(draws_.below(50)), [done] { done(); });
  }
  Nanos delay() { return static_cast<Nanos>(draws_.below(100)); }

 private:
  Random draws_;
};

// One per step, for any number of tasks. A value arrives some time after both its send and its receive were called.
class CountingRendezvous : public Rendezvous {
 public:
  explicit CountingRendezvous(RandomEnv& env) : env_(env) {}
  [[nodiscard]] Status send(const TransferKey& key, Received value) override;
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override;
  void abort(const Status& why) { table_.abort(why); }
  // What is wrong: keys used twice, sent only or received only, and values that are left.
  [[nodiscard]] std::vector<std::string> faults() const;

 private:
  struct Uses {
    int sends = 0, receives = 0;
  };
  RandomEnv& env_;
  LocalRendezvous table_;
  std::map<RendezvousKey, Uses> uses_;
};

// The notes of all parts' kernels in this step.
struct Notes {
  Executions executions;
  std::map<std::pair<std::size_t, std::uint64_t>, std::int64_t> newest;  // iteration, by part and frame
  std::vector<std::string> frames;
  std::int64_t left = 0;        // kernels that may still run
  std::deque<Variable> copies;  // made by a planted bug
};

// Wraps each of the graph's kernels in one that notes its executions; all of them run, even constants. REQUIRES:
// `notes` outlives the graph.
void watch(ExecGraph& graph, std::size_t part, const std::map<std::string, std::uint32_t>& positions, Notes& notes);

}  // namespace tarry
