// The facts of a run that verdicts need, read once from its log.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "results/at_work.hpp"
#include "results/contributions.hpp"
#include "results/laws.hpp"
#include "results/losses.hpp"
#include "results/moment.hpp"
#include "results/proof.hpp"
#include "results/session_waits.hpp"
#include "results/staleness.hpp"
#include "results/step_times.hpp"
#include "results/task_names.hpp"
#include "results/waits.hpp"

namespace tarry {

enum class Training {
  none,               // no training step began
  synchronous,        // workers' gradients meet in accumulators
  stale_synchronous,  // workers wait for tokens that bound how far they are ahead
  replicated,         // workers meet in queues of each variable before any reads it again
  in_graph,           // one client runs parts on other tasks' workers
  asynchronous        // every worker trains by itself
};

struct Evidence {
  const EventLog& log;
  const Contributions& contributions;
  const TaskNames& tasks;
  Losses losses;
  std::optional<StaleStory> stale;  // set for a stale-synchronous job
  std::set<TaskId> driven;          // tasks, not parameter servers, that run parts of other tasks' steps
  Training training = Training::none;
  std::optional<Nanos> over;  // when all had left for good (after_training.hpp); what came later is left out below
  AccumulatorStory no_accumulator;  // stands for the first one until there is one
  std::vector<Trouble> troubles;
  std::vector<SessionWait> session_waits;
  AtEnd at_end;                              // of the run
  std::vector<Standstill> standstills;       // of all training, in order (standstill.hpp)
  TaskId closer;                             // the chief whose leaving closes, or would close, the queues of tokens
  std::vector<CutShort> cut_short;           // who would have trained on, had the chief not closed their queue
  std::span<const Proof> proofs;             // the owner of the evidence fills these in
  std::span<const BrokenLaw> breaches = {};  // of laws

  // The job's state at `at`, as moment_at gives it. Valid until it is asked for another moment: one worker after the
  // other is looked at.
  [[nodiscard]] const JobState& moment(Nanos at) const;

  [[nodiscard]] std::string worker(std::size_t w) const { return tasks.show(contributions.workers[w].task); }
  [[nodiscard]] bool is_worker(TaskId task) const;
  // Training stood still, to the end of the run.
  [[nodiscard]] bool is_stuck() const { return !standstills.empty() && standstills.back().to < 0; }
  // A worker that never began a step was parted from others when training began.
  [[nodiscard]] bool has_cut_off_worker() const;
  // Without what closing sessions took when all had left.
  [[nodiscard]] Nanos trained_for() const { return training_time(contributions, log.ended_at - log.started_at); }
  // REQUIRES: synchronous training.
  [[nodiscard]] const AccumulatorStory& first_accumulator() const {
    return contributions.accumulators.empty() ? no_accumulator : contributions.accumulators.front();
  }

  mutable std::optional<std::pair<Nanos, JobState>> last_moment = {};
};

// REQUIRES: `log`, `contributions` and `tasks` outlive the result.
[[nodiscard]] Evidence read_evidence(const EventLog& log, const Contributions& contributions, const TaskNames& tasks);
// All workers have left since their data was at its end.
[[nodiscard]] bool ran_out_of_data(const Evidence& e);
// Its workers put tokens into the queues of replicated variables (workers/train/build/replicated.hpp).
[[nodiscard]] bool meet_at_variables(const EventLog& log);

// Whether a client whose queue was closed had done more than nine tenths of what it was told to, by its own steps or by
// the global step at the end.
[[nodiscard]] bool is_nearly_done(const CutShort& cut, std::int64_t global_step);

[[nodiscard]] std::int64_t sum(const std::vector<std::int64_t>& counts);

// For a report's sentence about a loss: "while it computed: the token that it had taken is gone
// with it". Only synchronous training has tokens.
[[nodiscard]] const char* in_words(Loss::Doing doing, Training training);

// "3 gradients were", "1 gradient was", "1 aggregate": a count with its noun.
[[nodiscard]] std::string counted(std::int64_t n, const char* singular, const char* plural);

}  // namespace tarry
