// A job's devices, fitted to times that were measured (`tarry calibrate`).
//
// The job runs once with devices that reach their peaks and launch in no time, without costs, faults and variations:
// so its log says what each kernel of a training step takes at the peaks. Beside that stands what was measured
// (sim/measured.hpp), and sim/fit_rates.hpp finds launch and efficiencies. A node has what was measured on its own
// device, in whichever files; where no file has that, what was measured on an equal device; else, on any device of its
// type. Of several files the median counts, since some kernel is always interrupted. Equal devices are fitted
// together; a node counts once for all of them, at the mean of its executions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "placer/graph/step_stats.hpp"
#include "scenarios/job/job.hpp"
#include "sim/fit_rates.hpp"

namespace tarry {

struct DeviceFit {
  bool is_gpu = false;
  GpuSpec device;                  // peaks as the job has them; of a CPU only its rates mean something
  std::vector<std::string> tasks;  // those that have it, in the cluster's order
  std::size_t nodes = 0;           // that do work on it in training steps
  std::map<std::string, std::vector<std::string>> missed;  // of these, those that nobody measured: by op, in order
  RatesFit fit;                                            // of the others

  [[nodiscard]] std::size_t nodes_missed() const;
};

struct Calibration {
  std::vector<DeviceFit> devices;   // CPUs first; those on which some node does work
  std::vector<std::string> errors;  // of clients that left training, so that not all of their nodes ran: who, and why
};

// `runs`: what each file has. Fails: INVALID_ARGUMENT `no training step ...`, `no device has flops or memory_bandwidth
// ...`, `none of the N nodes ... was measured ...`; and as run_apart.
[[nodiscard]] StatusOr<Calibration> calibrate(const Job& job, const std::vector<std::vector<NodeExecTime>>& runs);

}  // namespace tarry
