// Speed over time: a CSV file that grows by a row for each figure of a run of the bench.
//
//   commit           what was measured: the commit's short hash, with "-dirty" where files differed from it
//   machine          the processor's model, and how many processors there were
//   figure           as the bench prints it
//   reference_loops  the processor time of one iteration over that of one reference loop (reference_loop.hpp), which
//                    was measured in the same run, right after the figure; five digits
#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

struct Speed {
  std::string figure;
  double reference_loops = 0;
};

// The text of the file with these rows at its end; an empty file gets its header. Fails: INVALID_ARGUMENT when what is
// there begins with another header.
[[nodiscard]] StatusOr<std::string> with_speeds(std::string kept, const std::string& commit, const std::string& machine,
                                                std::span<const Speed> rows);

// "Intel(R) Xeon(R) Processor x 2". `cpuinfo` is the text of /proc/cpuinfo; where it names no model,
// `architecture` stands in its place.
[[nodiscard]] std::string machine_name(const std::string& cpuinfo, const std::string& architecture,
                                       unsigned processors);

}  // namespace tarry
