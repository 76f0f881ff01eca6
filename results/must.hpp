// What a job must keep to, whatever happens to it; and what a run did not keep to.
//
// Users say it under `must` in a scenario. All of it is judged from a stored log; only `throughput` needs another run
// to compare with, the one without faults.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/verdict.hpp"
#include "results/work_done.hpp"

namespace tarry {

// Hundredths of a percent, 0 to 10,000.
struct Share {
  std::int64_t value = 0;
  friend auto operator<=>(const Share&, const Share&) = default;
};
[[nodiscard]] Share share_of(std::int64_t part, std::int64_t whole);  // rounded; of nothing: 0
[[nodiscard]] std::string in_words(Share share);                      // "12.5 %"

struct Must {
  std::optional<Nanos> progress;  // never longer without an aggregate; where nothing aggregates, without a step
  std::optional<Nanos> finish;    // the run is over before that time, and not because it stands still
  std::optional<std::int64_t> lost_steps;  // so many global steps go back at the most, all setbacks together
  std::optional<Share> dropped;            // so many of the gradients are dropped at the most
  std::optional<Share> share;       // so many of the aggregated gradients (where nothing aggregates: of the steps) come
                                    // from each worker that lives at the end, at the least, since its process began
  std::optional<Share> throughput;  // so much of the pace of the run without faults, at the least
  bool no_failed_client = false;    // no client leaves training with an error
  std::vector<std::string> never;   // kinds of verdicts that it does not get
  friend bool operator==(const Must&, const Must&) = default;
};

// What a job must keep to when nobody said: it does not stand still at its end, no client fails, no progress is lost.
[[nodiscard]] Must usual_must();

struct Breach {
  std::string property;  // the key of Must; of `never`: the verdict's kind too
  std::string text;
  friend bool operator==(const Breach&, const Breach&) = default;
};
// The property and the first sentence of its text, without numbers: two runs that broke the same thing in the same way
// have the same.
[[nodiscard]] std::string fingerprint(const Breach& breach);
[[nodiscard]] std::string without_numbers(std::string_view text);  // each run of digits becomes '#'

// In the order of Must's members. `verdicts`: of this run. `without_faults` stands for the run to compare with;
// nullptr: `throughput` is not judged.
[[nodiscard]] std::vector<Breach> breaches(const Must& must, const Evidence& e, std::span<const Verdict> verdicts,
                                           const WorkDone& done, const WorkDone* without_faults);

}  // namespace tarry
