// Runs random programs on the executor and the partitioner until a property fails, and shrinks the counterexample.
#pragma once

#include "properties/programs/generate.hpp"
#include "properties/programs/judge.hpp"
#include "properties/programs/shrink.hpp"

namespace tarry {

struct ProgramHunt {
  std::vector<const ProgramProperty*> properties;
  std::uint64_t seed = 1, cases = 10'000;
  ProgramOptions generate;
  std::uint64_t most_shrinks = 20'000;                  // tries
  bool keep_going = false;                              // after the first violation
  ShrinkWatch watch = {};                               // empty = nobody looks
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;  // in the cut and its executors; the direct session has none
};

using ProgramCounterexample = CounterexampleOf<ProgramProperty, Program>;

struct ProgramReport : ReportOf<ProgramProperty, Program> {
  std::uint64_t discarded = 0;
  std::uint64_t ended_well = 0;  // programs all of whose steps succeed; the others end with an error
};

[[nodiscard]] Program numbered_program(const ProgramHunt& hunt, std::uint64_t number);
// The schedule under which a program is judged: fixed for its id, so that a saved counterexample fails again.
[[nodiscard]] std::uint64_t schedule_of(const Program& p);

// Stops at the first violation. If that does not shrink to a dozen nodes, further violations of the same property are
// searched for in the cases after it, and the smallest is reported.
[[nodiscard]] ProgramReport hunt(const ProgramHunt& hunt, const Progress& progress = {});

// The buckets of `cases` programs, and how many the interpreter refuses, without running them.
[[nodiscard]] ProgramReport audit(const ProgramHunt& hunt);

}  // namespace tarry
