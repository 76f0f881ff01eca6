// The credits of synchronous training, followed through a run: who may still bring a gradient that counts, and who
// lost the right to.
//
// A credit is the right to push one gradient. A worker's session brings one, each token is one, and a push spends one
// (docs/rules/runtime.md#F.5). The ledger is kept from what was given out and from the losses that TensorFlow permits
// (docs/rules/runtime.md#F.6): it says what must still be there, not what a queue or an accumulator holds. So a credit
// that the runtime loses stays in the ledger. It is made for judging verdicts and shares no code with them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"
#include "workers/audit.hpp"

namespace tarry {

struct LostCredit {
  enum class How : std::uint8_t {
    died_computing,        // the worker's process ended before its push
    died_with_token,       // it had its next token
    token_for_nobody,      // a token left the queue for a step that was over, before the news of that had come
    token_of_failed_step,  // the step failed after its token was delivered; a new session brings another
    left_with_it,          // the client left training
    never_handed_out,      // the chief was lost between an aggregate and its tokens; `worker`: the chief
  } how = How::died_computing;
  TaskId worker;
  Nanos at = 0;             // since the start
  std::int64_t credit = 0;  // its value: a local step
  std::int64_t count = 1;
};

struct WorkerCredit {
  enum class Phase : std::uint8_t {
    gone,     // no process
    session,  // its client makes a session
    idle,     // its session is ready, and no training step is open
    step,     // a training step is open
    over      // its client left training, or failed
  } phase = Phase::session;
  Nanos since = 0;                     // the phase, since the start
  std::optional<std::int64_t> credit;  // the local step; of `step`: spent where it pushed to
  StepId step = {};
  std::set<NameId> pushed;            // accumulators, by the open step
  std::optional<std::int64_t> token;  // that the open step has taken
  bool looked_in_vain = false;        // its last session found the model not ready
  std::string error;                  // of `over`: with which it left; "" = as it was told to
  // The session is to bring a credit, or the credit is not spent at this accumulator, or the next one is there.
  [[nodiscard]] bool may_push_to(NameId accumulator, std::int64_t its_step) const;
};

struct AccumulatorCredits {
  NameId name;
  TaskId task;
  std::int64_t step = 0, required = 0;
  std::int64_t gradients = 0;  // that count: pushed with a local step that is not behind
  std::int64_t awaited = 0;    // tokens that its last aggregate is still to give out
};

struct SyncThread {  // whose steps take aggregates and give out tokens
  TaskId client;
  StepId open = {};       // 0 = none
  std::int32_t code = 0;  // with which the last one ended
};

struct Credits {
  std::map<TaskId, WorkerCredit> workers;  // that ever made a session
  std::vector<AccumulatorCredits> accumulators;
  std::vector<std::int64_t> tokens;  // that entered the queue and did not leave it
  std::vector<LostCredit> lost;      // in the order of time
  std::optional<SyncPlanned> plan;
  std::optional<SyncThread> thread;
  std::string not_permitted;  // what the runtime gave to a step that was cancelled there before, in words; "" = nothing
  // Tokens and live workers that may still fill it, its gradients among them.
  [[nodiscard]] std::int64_t due(const AccumulatorCredits& a) const;
};

// After everything that happened. Without an audit, each token that left for a step that was over counts as permitted.
[[nodiscard]] Credits read_credits(const EventLog& log, const Audit& audit = {});

// "worker 2's process ended at 6.000 s while it computed, with its token 1".
[[nodiscard]] std::string in_words(const LostCredit& lost, const TaskNames& tasks);

}  // namespace tarry
