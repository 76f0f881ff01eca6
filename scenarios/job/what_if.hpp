// Jobs that differ from one that has run in one thing each: a cause is taken away.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "results/proof.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

// A job that differs in one thing, and what that is.
struct WhatIf {
  Proof proof;  // without its gain
  Job job;
  double excess = 0;          // of a slow worker: by how much of the median's time a step of it takes longer
  std::string amount;         // in words, of what is worse than the others': "0.300 s a step", "by 10.000 s", "50 ms"
  std::string usual = {};     // what others have of it: "usual is 1 ms"; "" where its words say all
  bool is_of_absent = false;  // it is about a worker that never began a step
};

enum class Scope : std::uint8_t { likely, all };  // those of which a verdict may tell; all that may cost something

// What may have cost the run something: its faults, by whom they are about; clients that began late; workers, cards
// and paths that are worse than the others'; parameter servers that send unequal amounts; what all wait for
// (overheads.hpp). `by_chance`: workers that count as no slow ones (luck.hpp).
[[nodiscard]] std::vector<WhatIf> what_ifs(const Job& job, const Outcome& outcome, Scope scope = Scope::likely,
                                           const std::set<TaskId>& by_chance = {});

}  // namespace tarry
