// Runs a program with the product's code: cut by task and by device, an executor per part, one rendezvous, under a
// schedule drawn from a seed.
//
// The schedule: some kernels take a random time, some none; values sent between tasks arrive later, in any order.
// Executions are noted by kernels that wrap the real ones, transfers by the rendezvous; product code has no hook for
// this.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/core/planted.hpp"
#include "properties/programs/interpret.hpp"

namespace tarry {

struct CutRunOptions {
  std::uint64_t schedule = 1;
  std::int64_t most = 40'000;  // kernels in a step; more fail with RESOURCE_EXHAUSTED
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;
};

struct CutStep {
  Status status;
  std::vector<TensorRef> values;
  Executions executions;               // of the program's own nodes, without the Sends and Recvs that cutting added
  std::vector<std::string> transfers;  // what is wrong with transfers, when the step succeeded
  std::vector<std::string> frames;  // what is wrong with frames: too many iterations at a time, frames that never ended
};

struct CutAnswer {
  std::vector<CutStep> steps;  // up to the first step that fails
  // Some device has only loop invariants of a loop and sends them: it learns of the first iteration only, and the
  // consumers wait for ever. Real TensorFlow makes such cuts, too: the order in which docs/rules/runtime.md#B.5.1 moves
  // nodes is that of an unspecified search.
  bool has_lone_invariant = false;
};

// Fails: with the errors of importing and cutting.
[[nodiscard]] StatusOr<CutAnswer> run_cut(const Program& p, const CutRunOptions& options);

struct DirectAnswer {
  std::vector<CutStep> steps;            // values and status only
  std::vector<std::uint64_t> nodes_run;  // in each step, including dead nodes and returned values
};
// Runs the program on one device, in a direct session.
[[nodiscard]] StatusOr<DirectAnswer> run_direct(const Program& p);

}  // namespace tarry
