// Random programs thrown at the executor and the partitioner until a property fails; the counterexample, shrunk.
//
// A program is named by (seed, number), as placement cases are (placement/hunt.hpp).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "properties/programs/generate.hpp"
#include "properties/programs/judge.hpp"
#include "properties/programs/shrink.hpp"

namespace tarry {

struct ProgramHunt {
  std::vector<const ProgramProperty*> properties;
  std::uint64_t seed = 1, cases = 10'000;
  ProgramOptions generate;
  std::uint64_t most_shrinks = 20'000;  // tries
  PlantedRuntimeBug planted = PlantedRuntimeBug::none;  // in the cut and its executors; the direct session has none
};

struct ProgramQuarry {  // what a hunt brings home
  const ProgramProperty* property = nullptr;
  std::uint64_t number = 0;  // of the program
  Program found;
  ShrunkProgram shrunk;
  std::string wrong;  // of the smallest program
};

struct ProgramReport {
  std::uint64_t cases = 0, judgements = 0, discarded = 0;
  std::uint64_t ended_well = 0;                  // programs all of whose steps do; the others end with an error
  std::map<std::string, std::uint64_t> buckets;  // only when audited
  std::optional<ProgramQuarry> quarry;           // the first
};

[[nodiscard]] Program numbered_program(const ProgramHunt& hunt, std::uint64_t number);
// The schedule under which a program is judged: fixed for its id, so that a saved counterexample fails again.
[[nodiscard]] std::uint64_t schedule_of(const Program& p);

// Stops at the first violation. `progress` is called every so often with the number of programs done.
[[nodiscard]] ProgramReport hunt(const ProgramHunt& hunt, const std::function<void(std::uint64_t)>& progress = {});

// The buckets of `cases` programs, and how many the interpreter refuses, without running them.
[[nodiscard]] ProgramReport audit(const ProgramHunt& hunt);

}  // namespace tarry
