// How much training a run did, and in what time: for comparing runs of one job.
#pragma once

#include <optional>
#include <vector>

#include "results/evidence.hpp"

namespace tarry {

struct WorkDone {
  // Aggregates; where nothing aggregates, steps of all workers. Without those that were lost.
  std::int64_t done = 0;
  // That it took: until the last of it; of a run that was cut off before the next of N, N / (N + 1) of its time at
  // least; of a run that stands still at its end, or was cut off before the first: all the time that it had.
  Nanos time = 0;
  bool stands_still = false;     // at its end, or a client has failed or was cut short for good
  bool left_waiting = false;     // it stands still for no other reason than that workers left as they were told to
  bool reached_its_end = false;  // all of its workers have left as they were told to, and not for want of data
  Nanos progressed = 0;          // when the last of it was done
  std::optional<Nanos> cut_off_at = {};             // when a run was cut off that would have gone on
  std::int64_t lost = 0;                            // done as well, and undone when the global step went back
  std::vector<Nanos> moments = {}, with_lost = {};  // when each of `done`, and of those and the lost ones, was done
  // Pauses that something was wrong for (standstill.hpp): since that began, until the next of it; to = -1: to the end.
  struct Pause {
    Nanos from = 0, to = -1;
  };
  std::vector<Pause> standstills = {};
  bool has_faults = false;  // of its job, all of which come at their times

  [[nodiscard]] bool did_nearly_as_much_as(const WorkDone& other) const {
    return static_cast<double>(done) >= (1 - kWorthTelling) * static_cast<double>(other.done);
  }
  [[nodiscard]] double pace() const { return time <= 0 ? 0 : static_cast<double>(done) / static_cast<double>(time); }
  // That it took for so many of it: as long as it did; for more than it did, at its mean pace. REQUIRES: done > 0.
  [[nodiscard]] Nanos time_for(std::int64_t many) const;
  // That it took for as much as `other` did. Faults come at their times: where the other run stood still for one, and
  // this one had done as much before, this one stands still as well: as long as it did later, or else as the other
  // run. REQUIRES: done > 0.
  [[nodiscard]] Nanos time_for_as_much_as(const WorkDone& other) const;
  // The same with what was lost counted as done.
  [[nodiscard]] WorkDone as_if_nothing_was_lost() const;
};
// `cut_off`: the time at which the run would have been ended at the latest, if there was one. `last_global_step`: where
// all clients stop. Steps that were under way then end later and move it on; they are not of the work.
[[nodiscard]] WorkDone work_done(const Evidence& e, std::optional<Nanos> cut_off,
                                 std::optional<std::int64_t> last_global_step = {});

// When aggregates were taken of all accumulators (where nothing aggregates: when steps ended), in order, up to the end
// of training.
[[nodiscard]] std::vector<Nanos> progress_of(const Evidence& e);
// When the last worker left training, as it was told to or with an error, after others had been lost for good, perhaps;
// where the last one never did, the end of the run.
[[nodiscard]] Nanos training_ended(const Evidence& e);

}  // namespace tarry
