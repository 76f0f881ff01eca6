// A property over faults, as a user of the library writes it.

#include "properties/cluster/arbitrary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

const Job& dying() {
  static const Job job = [] {
    Job j = job_for(shipped("040_worker_dies")).value();
    j.faults.clear();
    j.keep_kernels = false;
    return j;
  }();
  return job;
}
const Course& its_course() {
  static const Course course = course_of(run_here(dying()));
  return course;
}

RC_GTEST_PROP(FaultSchedules, have_one_to_the_most_faults_and_a_line_that_reads_back, ()) {
  const FaultSchedule s = *fault_schedules(dying().cluster, its_course(), 4);
  RC_ASSERT(!s.faults.empty() && s.faults.size() <= 4);
  RC_ASSERT(s.line == faults_line(s.faults, dying().cluster));
}

// Of two kills in any moments of the run, one is enough to hang it.
TEST(FaultSchedules, are_shrunk_to_the_one_fault_that_a_property_needs) {
  const auto kills = [](const FaultSchedule& s) {
    return std::ranges::count_if(s.faults, [](const Fault& f) { return std::holds_alternative<Kill>(f.what); });
  };
  FaultSchedule smallest;
  const auto result = rc::detail::checkTestable([&] {
    const FaultSchedule s = *fault_schedules(dying().cluster, its_course(), 6);
    if (kills(s) > 0) smallest = s;
    RC_ASSERT(kills(s) == 0);
  });
  rc::detail::FailureResult failure;
  ASSERT_TRUE(result.match(failure));
  EXPECT_EQ(smallest.faults.size(), 1u) << smallest.line;
  EXPECT_EQ(smallest.line.find_first_of("#+"), std::string::npos) << smallest.line;  // the first time, at once
  ASSERT_FALSE(failure.counterExample.empty());
  EXPECT_THAT(failure.counterExample[0].second, testing::HasSubstr("kill "));
}

}  // namespace
}  // namespace tarry
