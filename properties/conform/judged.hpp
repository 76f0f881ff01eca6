// How a recorded run is compared with ours, as its entry `judged` says (a file's name says nothing about it).
//
// An exact run agrees when vectors, drops of each worker, steps and pushes at aggregate G are those of one repetition,
// up to a permutation of workers with equal settings. A run judged by totals agrees when the sums over each group of
// equal workers and the counts of aggregates lie within the range of the repetitions, widened by 5 % or `slack`,
// whichever is more, and its times within 8 %. The recording also says what else must agree, what is not compared, and
// why.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "properties/conform/run_sums.hpp"

namespace tarry {

struct Judged {
  enum class Class { exact, totals } by = Class::exact;
  struct Also {  // must also agree, for the first variable; nullopt = not compared
    std::optional<std::vector<Counts>> vectors;
    std::optional<Counts> dropped;
  };
  std::optional<Also> also;
  bool dropped = true;  // drops are compared
  bool seconds = true;  // times are compared; for totals only
  double slack = 3;     // for totals only
  std::string why;
};

// `aggregates` is G: "the rest" in `also` reaches up to there. Fails: INVALID_ARGUMENT with the key that is missing,
// unknown or wrong.
[[nodiscard]] StatusOr<Judged> read_judged(const nlohmann::json& recorded, int aggregates);

// Fails: INVALID_ARGUMENT when what must also agree is not of so many workers.
[[nodiscard]] Status check_also(const Judged& judged, int workers);

// A repetition, and our run counted as far as that repetition went.
struct RunPair {
  RunSums theirs, ours;
};

// Gives "" when ours agrees; else what differs, theirs and ours. REQUIRES: at least one repetition.
[[nodiscard]] std::string compare_runs(const Judged& judged, std::span<const RunPair> runs, const RecordedConfig& c);

}  // namespace tarry
