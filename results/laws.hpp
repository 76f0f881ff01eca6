// The laws of the runtime: what holds in every run, whatever faults happen to it.
//
// A law is a pure function of a run's log and, where the log is not enough, of its audit (workers/audit.hpp): it gives
// "" or the first breach in words, with the task, the step, the object and the time. A breach is a defect of tarry, or
// one that a property planted. Laws permit all that TensorFlow permits: messages that were on their way, steps that go
// on at one task after they were aborted at another, what a dead master left behind (docs/rules/runtime.md#C, #D, #E.3,
// #E.7, #F.6, #F.7). Without an audit, laws that need one are silent.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"
#include "workers/audit.hpp"

namespace tarry {

struct AuditedRun;  // results/laws/follow.hpp

struct Law {
  std::string_view name;     // "tokens_conserved"
  std::string_view meaning;  // one line
  std::string (*first_breach)(const AuditedRun& run);
};
[[nodiscard]] std::span<const Law> laws();

struct BrokenLaw {
  std::string law;
  std::string text;  // without a full stop
  friend bool operator==(const BrokenLaw&, const BrokenLaw&) = default;
};

// The first breach of every law that is broken, in the order of the table. `tasks` gives names for the words.
[[nodiscard]] std::vector<BrokenLaw> broken_laws(const EventLog& log, const Audit& audit = {},
                                                 const TaskNames& tasks = {});

}  // namespace tarry
