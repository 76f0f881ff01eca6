// Our cut of random programs beside another partitioner's, such as the one that TensorFlow has (`tarry hunt
// partition.same_as`).
//
// A program (programs/program.hpp) becomes a case of the recordings' form (conform/data/README.md): soft placement, in
// half of the programs a GPU instead of every CPU but its tasks' first; by its id also whether it is cut by task, by
// device, or by one and then the other, and whether receives are scheduled. The other side places it and cuts it; we
// cut what it placed.
#pragma once

#include <functional>

#include "properties/conform/partition.hpp"
#include "properties/programs/judge.hpp"

namespace tarry {

[[nodiscard]] Json cut_question(const Program& p);

// Another partitioner: an outcome of the recordings' form for a case; {"code", "msg"} when it refuses, {"crash"} when
// it died.
using AskPartitioner = std::function<StatusOr<Json>(const Json& the_case)>;

struct SameCutCounts {  // of programs
  std::uint64_t compared = 0;
  std::uint64_t refused = 0;  // by the other side: an old release does not know every op
  std::uint64_t unstable =
      0;  // whose answer changes when it is asked again behind other questions: it depends on memory addresses
  std::uint64_t unknown =
      0;  // with ops that have no recorded kernels of the release: their memory types would be another release's
};

// Named `same_as`. `ask_again`, a process of its own, is asked where `ask` differs from us. REQUIRES: `release` and
// `counts` outlive the property.
[[nodiscard]] ProgramProperty same_cut(AskPartitioner ask, AskPartitioner ask_again, const WholeRelease& release,
                                       SameCutCounts& counts);

}  // namespace tarry
