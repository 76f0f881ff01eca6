// Compares our cut of random programs with that of another partitioner, such as TensorFlow's (`tarry hunt
// partition.same_as`).
//
// A program (programs/program.hpp) becomes a case of the recordings' form (conform/data/README.md): it has soft
// placement, and in half of the programs a GPU in place of every CPU except each task's first. Its id also determines
// whether it is cut by task, by device, or by task and then by device, and whether receives are scheduled. The other
// side places and cuts it; we cut the same placement.
#pragma once

#include <functional>

#include "properties/conform/partition.hpp"
#include "properties/programs/judge.hpp"

namespace tarry {

[[nodiscard]] Json cut_question(const Program& p);

// Another partitioner: gives an outcome of the recordings' form for a case; {"code", "msg"} when it refuses, {"crash"}
// when it died.
using AskPartitioner = std::function<StatusOr<Json>(const Json& the_case)>;

struct SameCutCounts {  // numbers of programs
  std::uint64_t compared = 0;
  std::uint64_t refused = 0;  // by the other side, since an old release lacks some ops
  std::uint64_t unstable =
      0;  // whose answer changes when asked again after other questions, since it depends on memory addresses
  std::uint64_t unknown =
      0;  // with ops without recorded kernels of the release: their memory types would be another release's
};

// The property `same_as`. `ask_again`, which is another process, is asked when the answer of `ask` differs from ours.
// REQUIRES: `release` and `counts` outlive the property.
[[nodiscard]] ProgramProperty same_cut(AskPartitioner ask, AskPartitioner ask_again, const WholeRelease& release,
                                       SameCutCounts& counts);

}  // namespace tarry
