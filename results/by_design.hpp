// Why a worker that makes no further step stands still: by design of TensorFlow, or not.
//
// An oracle over the rules of docs/rules/runtime.md. It follows who waits for what at the end of a run: a worker for
// its token, the token for the sync thread, the thread for as many fresh gradients as are required, and these for the
// credits that are left (credits.hpp); a session for the tasks that it needs and for the chief that initialises the
// model; a step for the processes and paths that it needs. Where that ends at something that TensorFlow does not heal
// by itself, the standstill is by design. Where everything that is needed is there, no rule explains it: it is a defect
// of the runtime. That something died is no reason by itself. It shares no code with the verdicts, which it judges.
#pragma once

#include <optional>
#include <string>

#include "results/log.hpp"
#include "results/task_names.hpp"
#include "workers/audit.hpp"

namespace tarry {

struct ByDesign {
  std::string section;   // of docs/rules/runtime.md: "F.6.4"
  std::string sentence;  // names workers, tokens and times; without a full stop
  std::string cure;      // one clause: what would have kept the job going
  friend bool operator==(const ByDesign&, const ByDesign&) = default;
};

// Why the client of `worker` makes no step after the end of the run. nullopt: no rule explains it. REQUIRES: the run's
// end came so late that what only takes time was over. Without an audit, all tasks count as ones that its session
// waits for, and a token that left the queue for a step that was over counts as permitted.
[[nodiscard]] std::optional<ByDesign> why_by_design(const EventLog& log, const Audit& audit, const TaskNames& tasks,
                                                    TaskId worker);

// "TensorFlow does so by design (docs/rules/runtime.md#F.6.4): ...".
[[nodiscard]] std::string in_words(const ByDesign& why);

}  // namespace tarry
