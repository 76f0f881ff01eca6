// The contribution of every worker to every aggregate, read from a log.
//
// Workers are the tasks that began training steps, in task order. Everything is counted per accumulator, since
// aggregates of different variables may take different sets of workers (docs/rules/runtime.md#F.7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/log.hpp"

namespace tarry {

struct Aggregate {
  std::int64_t step = 0;                // 1-based: the accumulator's takes so far
  std::vector<std::int64_t> by_worker;  // gradients of each worker in it
  std::int64_t averaged = 0;            // the count by which the sum was divided
  Nanos at = 0;                         // since the start
  [[nodiscard]] std::int64_t total() const;
  [[nodiscard]] bool lacks_a_worker() const;
  [[nodiscard]] bool is_lone() const;  // one worker filled it alone, with several gradients
};

struct AccumulatorStory {
  std::string name;
  std::string variable;
  std::vector<Aggregate> aggregates;
  std::vector<std::int64_t> left;                       // accepted, not yet taken, per worker
  std::vector<std::int64_t> pushed, accepted, dropped;  // per worker
  std::vector<std::int64_t> over_accepted;  // per aggregate: gradients in excess of the take's required count
  std::int64_t required = 0;                // of the last take issued
};

// An accumulator that the program has for itself: no optimizer hands out tokens for its aggregates.
struct OwnAccumulator {
  std::string name;
  TaskId task;                            // that holds it
  std::int64_t required = 0;              // of the last take issued; 0 = none was
  std::int64_t open_takes = 0;            // issued and not answered
  std::vector<std::int64_t> given, left;  // accepted, and of those not yet taken, per worker
};

// An accumulator's name without "/grad_accum".
[[nodiscard]] std::string variable_of(std::string_view accumulator);

// What a training step changed in the variables. Times since the start.
struct Update {
  Nanos began = 0;  // the step
  Nanos at = 0;     // when it had changed them: when it ended, or, in stale-synchronous training, before it waited for
                    // its token
};

struct WorkerStory {
  TaskId task;
  std::int64_t steps = 0;            // finished
  std::vector<std::int64_t> tokens;  // values taken, in order
  std::vector<Nanos> step_ended;     // since the start
  std::vector<Nanos> step_times;     // of the same: since the one before ended; in a new session, since it began
  std::vector<Update> updates;       // where nothing aggregates; of steps that were cut off while they waited, too
  Nanos first_step = -1;             // when its first step began, since the start; -1 = never
  Nanos nearest_ps = -1;             // smallest one-way time of a message from it to a task that holds an accumulator
};

struct Contributions {
  std::vector<WorkerStory> workers;
  std::vector<AccumulatorStory> accumulators;
  std::vector<OwnAccumulator> own;           // of the program, in the order of their first use
  std::vector<std::int64_t> initial_tokens;  // values enqueued by the initial tokens op, since the process of
                                             // their queue began
  std::int64_t tokens_enqueued = 0, tokens_dequeued = 0;
  std::string token_queue;
  std::int64_t planned_workers = 0;  // workers that the graph was built for; 0 = not synchronous
  TaskId sync_client;                // whose thread takes aggregates and hands out tokens; none = nobody's
  TaskId initialiser;                // the first that initialised or restored the model; none = nobody did
  std::int64_t global_step = 0;      // last value seen
  Nanos left = -1;  // when the last worker left training, or was lost, since the start; -1 = some worker did neither
  std::int64_t sessions = 0;  // how many sessions of training workers became ready to train; each brings a credit
};

// Reads the log up to the event that completes aggregate `last_aggregate` of the first accumulator; 0 = the whole log.
[[nodiscard]] Contributions read_contributions(const EventLog& log, std::int64_t last_aggregate = 0);

// How many updates of others fall into the step of each update before that one, by worker: the staleness of gradients
// where nothing aggregates (docs/rules/runtime.md#G.1).
[[nodiscard]] std::vector<std::vector<std::int64_t>> staleness_of_updates(const Contributions& c);
// Their mean, without that of the first step, in which all begin at once. 0 of fewer than two.
[[nodiscard]] double mean_after_first(const std::vector<std::int64_t>& numbers);

// The program takes aggregates of its own: its workers may wait for each other though nothing synchronises them.
[[nodiscard]] bool takes_own_aggregates(const Contributions& c);

// Gradients that became part of the variables: those of the first accumulator's aggregates; where nothing aggregates,
// one of each update.
[[nodiscard]] std::int64_t gradients_used(const Contributions& c);

// How long training took in a run of this length: what closing sessions takes when all have left is not of it.
[[nodiscard]] Nanos training_time(const Contributions& c, Nanos run);

// The credit law of docs/rules/runtime.md#F.5: accepted + dropped pushes of every accumulator never exceed the credits
// that were given out (workers started + initial tokens + tokens of each aggregate). "" = it holds; else the first
// violation, in words.
[[nodiscard]] std::string check_credit_law(const Contributions& c);

}  // namespace tarry
