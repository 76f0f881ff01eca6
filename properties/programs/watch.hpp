// What watches a run from outside the product: a world with a random schedule, a rendezvous that counts, kernels that
// note.
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

// Half of the nodes are free, the others take a time of their own each time, side by side.
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

// One for a step, whatever the number of tasks. A value arrives some time after both ends have met.
class CountingRendezvous : public Rendezvous {
 public:
  explicit CountingRendezvous(RandomEnv& env) : env_(env) {}
  [[nodiscard]] Status send(const TransferKey& key, Received value) override;
  void receive(const TransferKey& key, CancellationManager& step, ReceiveDone&& done) override;
  void abort(const Status& why) { table_.abort(why); }
  // Keys used twice, sent only, received only; and what is left.
  [[nodiscard]] std::vector<std::string> faults() const;

 private:
  struct Uses {
    int sends = 0, receives = 0;
  };
  RandomEnv& env_;
  LocalRendezvous table_;
  std::map<RendezvousKey, Uses> uses_;
};

// What the kernels of all parts have noted in this step.
struct Notes {
  Executions executions;
  std::map<std::pair<std::size_t, std::uint64_t>, std::int64_t> newest;  // iteration, by part and frame
  std::vector<std::string> frames;
  std::int64_t left = 0;        // kernels that may still run
  std::deque<Variable> copies;  // of a planted bug
};

// Puts a noting kernel before each of the graph's; all of them run, constants too. REQUIRES: `notes` outlives the
// graph.
void watch(ExecGraph& graph, std::size_t part, const std::map<std::string, std::uint32_t>& positions, Notes& notes);

}  // namespace tarry
