// Random fault schedules for a job, and smaller ones that may break it as well.
//
// A schedule is drawn against what the job did without faults: its length, and how often each moment came to each
// client. Each draw first decides which kinds of faults and which tasks are possible at all, so that schedules differ
// much from one another (swarm testing); without swarm, everything is possible in each.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "placer/core/random.hpp"
#include "scenarios/job/job.hpp"

namespace tarry {

struct Schedule {
  std::vector<Fault> faults;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// What a run without faults did.
struct Course {
  struct Came {
    Nanos at = 0;                 // since the start
    std::size_t event = 0;        // the index in the log
    std::uint64_t situation = 0;  // of the run (situation.hpp)
    std::uint64_t turn = 0;       // Outcome::turns; 0 = not known
  };
  // Faults that wait for any of these moments come at the same place among the events of the run.
  struct Turn {
    Trigger first;
    std::size_t moments = 0;
  };
  Nanos time = 0;                                                  // since the start
  std::size_t events = 0;                                          // of the log
  std::map<std::pair<Moment, TaskId>, std::vector<Came>> moments;  // in their order
  std::set<std::pair<TaskId, TaskId>> talks;                       // who sent messages to whom
  std::map<std::pair<Nanos, std::uint64_t>, Turn> turns;           // by time and turn
};
[[nodiscard]] Course course_of(const Outcome& outcome);

// The schedule whose run has the same events, among those with one fault at moments of the same turn: that of the first
// of these moments. nullopt: no other schedule is known to be like it.
[[nodiscard]] std::optional<Schedule> first_alike(const Schedule& schedule, const Course& course);

enum class Swarm : bool { off, on };

// Between one and `most` faults of the cluster's tasks and hosts. REQUIRES: the cluster has a task; most > 0.
[[nodiscard]] Schedule draw_schedule(const ClusterSpec& cluster, const Course& course, int most, Random& random,
                                     Swarm swarm = Swarm::on);

// Calls `each` with smaller schedules until it returns true: first those without several of the faults, then those
// without one, then those with one that is simpler (scenarios/job/fault_shrink.hpp).
void for_each_smaller(const Schedule& schedule, const std::function<bool(const Schedule&)>& each);

}  // namespace tarry
