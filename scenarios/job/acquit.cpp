#include "scenarios/job/acquit.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "results/standstill.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

bool is_slowing(const Fault& f) { return slows_down_only(key_of(f)); }

using Read = std::function<void(const Evidence&)>;

void with_evidence(const Outcome& o, const Read& read) {
  const Contributions contributions = read_contributions(o.log);
  read(read_evidence(o.log, contributions, o.tasks));
}

Nanos since_last(const Evidence& e, const std::vector<Nanos>& progress) {
  return e.log.ended_at - e.log.started_at - (progress.empty() ? 0 : progress.back());
}

// How long, up to the end, all of training made no progress, and how long each worker ended no step.
struct Pauses {
  Nanos of_all = 0;
  std::map<TaskId, Nanos> of_workers;

  explicit Pauses(const Outcome& o) {
    with_evidence(o, [this](const Evidence& e) {
      of_all = since_last(e, progress_of(e));
      for (const WorkerStory& w : e.contributions.workers) of_workers[w.task] = since_last(e, w.step_ended);
    });
  }
};

bool are_slow(const std::vector<Trouble>& causes) {
  return !causes.empty() && std::ranges::all_of(causes, only_slows_down);
}

// What stands still to the end for nothing but what slows down: all of training, or workers of it.
struct HeldUp {
  bool is_all = false;
  std::vector<TaskId> workers;

  explicit HeldUp(const Outcome& o) {
    with_evidence(o, [this, &o](const Evidence& e) {
      is_all = o.log.goes_on_at >= 0 && e.is_stuck() && is_by_slow_ones(e.standstills.back().waits.troubles);
      for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
        if (const auto all = read_standstills(e, w);
            !all.empty() && all.back().to < 0 && are_slow(all.back().waits.troubles))
          workers.push_back(e.contributions.workers[w].task);
    });
  }
  [[nodiscard]] bool is_none() const { return !is_all && workers.empty(); }

 private:
  // All else that was wrong is over.
  static bool is_by_slow_ones(const std::vector<Trouble>& causes) {
    return std::ranges::any_of(causes, only_slows_down) &&
           std::ranges::all_of(causes, [](const Trouble& t) { return only_slows_down(t) || t.to >= 0; });
  }
};

}  // namespace

void acquit_slow_faults(const Job& job, Outcome& outcome, KnownJob* known) {
  if (!job.looks_ahead || std::ranges::none_of(job.faults, is_slowing)) return;
  const HeldUp held(outcome);
  if (held.is_none()) return;
  Job other = job;
  std::erase_if(other.faults, is_slowing);
  other.looks_ahead = other.keep_kernels = other.keep_causes = other.audits = false;
  const auto without = run_apart(other, known);
  if (!without.ok() || (job.interrupted && job.interrupted())) return;
  const Pauses with_them(outcome), without_them(*without);
  outcome.log.slows_in_vain = held.is_all && 2 * without_them.of_all >= with_them.of_all;
  for (const TaskId w : held.workers) {
    const auto pause = without_them.of_workers.find(w);
    if (pause != without_them.of_workers.end() && 2 * pause->second >= with_them.of_workers.at(w))
      outcome.log.slowed_in_vain.push_back(w);
  }
}

}  // namespace tarry
