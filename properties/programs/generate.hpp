// Random programs: nested loops and branches, scalars and small tensors, TensorArrays, variables, queues, failing
// assertions.
//
// Everything is drawn from one seeded stream, so a program is named by (seed, size). The features that the distribution
// must reach are declared as buckets and audited
// (`tarry hunt 'programs.*' --audit`): each has to hold at least 1 % of the programs.
#pragma once

#include <string>
#include <vector>

#include "placer/core/random.hpp"
#include "properties/programs/program.hpp"

namespace tarry {

struct ProgramOptions {
  int max_statements = 10;
  int most_devices = 3;  // over at most two tasks
};

// PROMISES: the importer accepts the graph; every loop ends.
[[nodiscard]] Program generate_program(const ProgramOptions& options, Random& random);

// The buckets that the program falls into (names as in program_buckets()).
[[nodiscard]] std::vector<std::string> buckets_of(const Program& p);
[[nodiscard]] const std::vector<std::string>& program_buckets();

}  // namespace tarry
