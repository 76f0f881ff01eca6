// Schedules of faults for properties of one's own with RapidCheck.
//
//   const Course course = course_of(run_here(job));
//   rc::check("the job goes on whatever happens", [&] {
//     Job faulty = job;
//     faulty.faults = (*fault_schedules(job.cluster, course, 4)).faults;
//     RC_ASSERT(!run_here(faulty).log.is_deadlocked);
//   });
//
// They are drawn and shrunk as hunts do it (schedule.hpp), so a counterexample is the smallest that RapidCheck comes
// to, and is printed as a line for `tarry run SCENARIO --faults`.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "properties/cluster/schedule.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {

struct FaultSchedule : Schedule {
  std::string line;  // as --faults takes it
  friend std::ostream& operator<<(std::ostream& out, const FaultSchedule& s) { return out << s.line; }
};

inline FaultSchedule shown(const Schedule& s, const ClusterSpec& cluster) {
  return {s, faults_line(s.faults, cluster)};
}
inline rc::Seq<FaultSchedule> smaller_schedules(const Schedule& s, const ClusterSpec& cluster) {
  std::vector<FaultSchedule> all;
  for_each_smaller(s, [&](const Schedule& other) {
    if (!other.faults.empty()) all.push_back(shown(other, cluster));
    return false;
  });
  return rc::seq::fromContainer(std::move(all));
}

// Of 1 to `most` faults, more with RapidCheck's size. REQUIRES: the cluster has a task; most > 0; `cluster` and
// `course` outlive the generator and what it makes.
[[nodiscard]] inline rc::Gen<FaultSchedule> fault_schedules(const ClusterSpec& cluster, const Course& course,
                                                            int most) {
  return rc::Gen<FaultSchedule>([&cluster, &course, most](const rc::Random& random, int size) {
    rc::Random seeds(random);
    Random ours(seeds.next());
    const int grown = 1 + (most - 1) * std::min(size, rc::kNominalSize) / rc::kNominalSize;
    return rc::shrinkable::shrinkRecur(shown(draw_schedule(cluster, course, grown, ours), cluster),
                                       [&cluster](const FaultSchedule& s) { return smaller_schedules(s, cluster); });
  });
}

}  // namespace tarry
