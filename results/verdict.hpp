// What a run shows, in words: the symptom, its cause, and what to do.
//
// A verdict is a kind (stable, for `expect` and `--json`) and a text that names workers, accumulators and tokens. Every
// kind is a row of one table and a file of results/verdicts/, which judges it. Judges are pure functions of a stored
// log and never look at the scenario.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/evidence.hpp"
#include "results/exit_code.hpp"

namespace tarry {

struct Verdict {
  std::string kind;  // of verdict_table()
  std::string text;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

using Told = std::vector<std::string>;

struct VerdictKind {
  std::string_view kind;
  std::string_view meaning;   // one line
  ExitCode exit_code;         // of a run that expects nothing and gets this verdict
  std::string_view shown_by;  // the case that shows it; "" when none can
  // What is to be said, a text each; nothing when the kind does not fit. `said` are the verdicts of the rows above.
  Told (*judge)(const Evidence& e, std::span<const Verdict> said);
};

// From this kind to that one they tell of causes that cost time.
inline constexpr std::string_view kFirstCause = "slowed", kLastCause = "varied";
// In the order in which verdicts are told; but of causes, those that cost most come first (comes_first, proof.hpp).
[[nodiscard]] std::span<const VerdictKind> verdict_table();
[[nodiscard]] std::vector<std::string> verdict_kinds();

// Whether only a run without a cause can show it: a verdict of a cause that costs time.
[[nodiscard]] bool needs_further_runs(std::string_view kind);

// Without proofs, what only a run without a cause can show is not said; `breaches` (results/laws.hpp) are.
[[nodiscard]] std::vector<Verdict> judge(const EventLog& log, const Contributions& c, const TaskNames& tasks,
                                         std::span<const Proof> proofs = {}, std::span<const BrokenLaw> breaches = {});

[[nodiscard]] std::vector<Verdict> judge(const Evidence& e);

// Whether one of the kinds is among the verdicts.
[[nodiscard]] bool says_any(std::span<const Verdict> said, std::initializer_list<std::string_view> kinds);

// The exit code of a run that expects nothing: that of its worst verdict.
[[nodiscard]] ExitCode exit_code_of(std::span<const Verdict> verdicts);

}  // namespace tarry
