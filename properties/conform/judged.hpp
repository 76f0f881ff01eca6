// How a recorded run says that it is compared with ours: its `judged`. A file's name says nothing.
//
// An exact run agrees when vectors, drops of each worker, steps and pushes at aggregate G are those of one repetition,
// up to exchange of workers with equal settings. Of a run judged by totals, the sums over each group of equal workers
// and the counts of aggregates lie within the range of the repetitions, widened by 5 % or `slack`, whichever is more;
// and its times within 8 %. What else agrees, and what is not compared, the recording says, and why.
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
  struct Also {  // agrees besides, of the first variable; nullopt = whatever it is
    std::optional<std::vector<Counts>> vectors;
    std::optional<Counts> dropped;
  };
  std::optional<Also> also;
  bool dropped = true;  // drops are compared
  bool seconds = true;  // times are compared; of totals only
  double slack = 3;     // of totals only
  std::string why;
};

// `aggregates` is G: to there reaches what `also` calls the rest. Fails: INVALID_ARGUMENT naming the key that is
// missing, unknown or wrong.
[[nodiscard]] StatusOr<Judged> read_judged(const nlohmann::json& recorded, int aggregates);

// A repetition, and our run counted as far as that repetition went.
struct RunPair {
  RunSums theirs, ours;
};

// "" = ours agrees; else what differs, theirs and ours. REQUIRES: at least one repetition.
[[nodiscard]] std::string compare_runs(const Judged& judged, std::span<const RunPair> runs, const RecordedConfig& c);

}  // namespace tarry
