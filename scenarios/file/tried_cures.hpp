// What the cures of a run gain: each is tried by running the job again, with the same seed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "results/report.hpp"
#include "scenarios/file/cures.hpp"
#include "scenarios/job/prove.hpp"

namespace tarry {

struct TriedCure {
  std::string verdict, advice, keys;
  std::string why_not;         // it was not tried, and why; then nothing below is known
  Proof gain;                  // gain and goes_on
  std::int64_t done = 0;       // aggregates; where nothing aggregates, steps
  bool hangs = false;          // it stands still or fails
  std::int64_t lost = 0;       // global steps that it goes back
  std::string unlike = {};     // as of CuredJob
  bool without_waits = false;  // the gain leaves out waits of clients for a model, as its verdict's does
  bool is_of_time = false;     // its verdict says how much less time the same work takes
  std::optional<bool> gone;    // whether the verdict is not said any more; nullopt: only further runs would tell
  std::vector<std::string> brings =
      {};  // verdicts of trouble that the run with it has, and the one without it has not; none of one that hangs
};

struct TriedCures {
  std::vector<TriedCure> all;
  std::int64_t done = 0, lost = 0;  // of the run without them
  bool are_steps = false;           // what is done: not aggregates
  bool hangs = false;               // that run stands still or fails
  bool stands_still = false;        // it does: `stuck` is said, or `failed` is not
  // It goes on, takes less time, loses less, or the verdict is gone; it takes less than half as much time again, brings
  // no verdict of a run that fails, and does not hang. Where the run without it hangs, too, it may hang later: if it
  // takes less time for the same work, as the verdict says of its cause, or loses fewer global steps, where
  // `progress_lost` asks for it, or the verdict is gone and more is done.
  [[nodiscard]] bool helps(const TriedCure& cure) const;
};

// Each job runs in a process of its own; those that several verdicts ask for run once. Fails: as cures_of and
// run_apart.
[[nodiscard]] StatusOr<TriedCures> try_cures(const Patient& patient, std::span<const Verdict> verdicts,
                                             const ProofWatch& watch = {});

// "goes on instead of hanging", "12.0 % less time, and uneven is gone".
[[nodiscard]] std::string result_in_words(const TriedCures& cures, const TriedCure& cure);

// Two lines for each, by verdict; one line where no verdict asks for anything.
[[nodiscard]] std::string to_text(const TriedCures& cures, const Shown& shown);
// [{verdict, advice, keys, tried, why_not, helps, gain, goes_on, hangs, done, lost_steps, verdict_gone}].
[[nodiscard]] nlohmann::ordered_json to_json(const TriedCures& cures);

}  // namespace tarry
