// One job under many schedules of faults: each run is held against what the job must keep to and against the laws of
// the runtime, and what does not depend on the schedule is made once.
#pragma once

#include <memory>
#include <set>

#include "properties/cluster/heal.hpp"
#include "properties/cluster/schedule.hpp"
#include "results/must.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

// What a run showed: pairs of events that followed one another at a task, fill of queues and accumulators, verdicts;
// each as a hash. For finding schedules that reach something new.
using Features = std::set<std::uint64_t>;

struct Trial {
  std::vector<Breach> broken;
  std::vector<Verdict> verdicts;  // empty unless something is broken or they were asked for
  Hash128 hash;
  Features features;  // empty unless they were asked for
  bool is_deadlocked = false;
  Marks marks = {};    // that the run came by
  Healed healed = {};  // of trials that heal
};

// How a schedule is run.
struct TrialOptions {
  bool wants_features = false, wants_verdicts = false;
  bool twice = false;                             // run again, which must give the same
  std::optional<PlantedClusterBug> planted = {};  // in place of the job's own
  std::optional<std::uint64_t> seed = {};         // likewise
  // Asked now and then within the run, which is given up when it is so. Empty = never.
  std::function<bool()> is_time_up = {};
  bool must_run = true;  // else it is told without a run, where nothing in it would differ (no_effect.hpp), and has no
                         // hash then
};
// The failure of a run that was given up.
[[nodiscard]] bool is_given_up(const Status& s);

// The property of a breach: an instant of the run has no end, so that there is no outcome.
inline constexpr std::string_view kEndless = "endless";

// Whether the run of that number is one of the share, in percent, that is run twice.
[[nodiscard]] constexpr bool is_run_twice(std::uint64_t number, std::uint64_t percent) {
  return number * percent / 100 != (number + 1) * percent / 100;
}
inline constexpr std::uint64_t kUsualCheckShare = 5;

// The property of a breach: two runs under the same faults differ.
inline constexpr std::string_view kDeterminism = "determinism";

// "law staleness" and its text, for each.
[[nodiscard]] std::vector<Breach> law_breaches(const Outcome& outcome);

class Trials {
 public:
  // The job's own faults are left out. Nothing in `must`: only the laws are held against its runs.
  Trials(Job job, Must must);
  // From now on a run is healed (heal.hpp) and held against that and the laws only.
  void heal() { heals_ = true; }
  ~Trials();

  // Runs the job without faults. To be called first. Fails: INVALID_ARGUMENT when an instant of the run has no end.
  [[nodiscard]] StatusOr<Trial> without_faults(const TrialOptions& how = {});
  // The same. Fails: INVALID_ARGUMENT when the job breaks something by itself, too.
  [[nodiscard]] Status look_without_faults();
  [[nodiscard]] const Course& course() const;
  [[nodiscard]] const ClusterSpec& cluster() const;
  // Fails: INVALID_ARGUMENT with the faults when an instant of the run has no end.
  [[nodiscard]] StatusOr<Outcome> outcome(const Schedule& schedule);
  // Fails likewise; and as is_given_up() tells.
  [[nodiscard]] StatusOr<Trial> run(const Schedule& schedule, const TrialOptions& how = {});

 private:
  struct State;

  std::unique_ptr<State> state_;
  bool heals_ = false;
};

}  // namespace tarry
