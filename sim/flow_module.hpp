// The shared library that contains SimGrid, opened when it is first needed.
//
// Loading SimGrid and its dependencies takes longer than a short run, and most jobs have no flows. So the code that
// calls SimGrid (sim/simgrid/) is a library of its own, lib/tarry/tarry_simgrid.so beside the program's folder. It
// stays open until the process ends. Its interface consists of plain values and these functions only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "sim/flows.hpp"
#include "sim/simgrid_twin.hpp"

namespace tarry {

// The flows of one cluster, as Flows describes them.
class FlowEngine {
 public:
  virtual ~FlowEngine() = default;
  virtual void start(Nanos now, Card from, Card to, std::uint64_t bytes, std::uint64_t flow) = 0;
  virtual void start_on(const Connection& on, Nanos now, Card from, Card to, std::uint64_t bytes,
                        std::uint64_t flow) = 0;
  virtual void narrow(HostId from, HostId to, std::uint64_t bandwidth) = 0;
  virtual void set_card(Card card, CardSide side, std::uint64_t bandwidth) = 0;
  [[nodiscard]] virtual bool alive() const = 0;
  [[nodiscard]] virtual std::vector<FinishedFlow> advance(Nanos until) = 0;
};

struct FlowModule {
  FlowEngine* (*start_engine)(const ClusterSpec& cluster);  // the only one; lives as long as the process
  double (*replay_messages)(const ClusterSpec& cluster, const std::vector<TwinMessage>& messages);
  double (*execute_nodes)(const std::vector<std::vector<std::uint32_t>>& successors, std::size_t rounds);
  // The lines that read_platform (read_platform.hpp) takes apart, or "refused " and why. In a process of its own, too.
  std::string (*read_platform)(const std::string& file, const std::vector<std::string>& wanted);
};

// Fails: FAILED_PRECONDITION when the file is missing or does not load, with its path and the loader's reason. A
// process that starts others (runner.hpp) opens the module once for all of them.
[[nodiscard]] StatusOr<const FlowModule*> open_flow_module();
// The same for callers to which a failure is a bug.
[[nodiscard]] const FlowModule& flow_module();

}  // namespace tarry
