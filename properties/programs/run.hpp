// Runs a program as the product does: cut by task and by device, an executor for each part, one rendezvous, under a
// schedule drawn from a seed.
//
// The schedule: some kernels take a random time, some none; what crosses tasks arrives later, in any order. Executions
// are seen by kernels that stand before the real ones, transfers by the rendezvous; product code has no hook for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placer/core/planted.hpp"
#include "properties/programs/interpret.hpp"

namespace tarry {

struct CutRunOptions {
  std::uint64_t schedule = 1;
  std::int64_t most = 40'000;  // kernels in a step; more is RESOURCE_EXHAUSTED
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;
};

struct CutStep {
  Status status;
  std::vector<TensorRef> values;
  Executions executions;               // of the program's own nodes; the cut's Sends and Receives are not its own
  std::vector<std::string> transfers;  // what is wrong with them, when the step ended well
  std::vector<std::string> frames;     // iterations too many at a time, frames that never ended
};

struct CutAnswer {
  std::vector<CutStep> steps;  // up to the first that fails
  // Some device holds of a loop only what does not change in it, and sends that: it learns of no iteration but the
  // first, and its readers wait for ever. Real TensorFlow cuts so, too: docs/rules/runtime.md#B.5.1 moves nodes in the
  // order of a search that nobody knows.
  bool has_lone_invariant = false;
};

// Fails: as importing and cutting do.
[[nodiscard]] StatusOr<CutAnswer> run_cut(const Program& p, const CutRunOptions& options);

struct DirectAnswer {
  std::vector<CutStep> steps;            // values and status only
  std::vector<std::uint64_t> nodes_run;  // in each; dead ones and returned values counted
};
// On one device, by a direct session.
[[nodiscard]] StatusOr<DirectAnswer> run_direct(const Program& p);

}  // namespace tarry
