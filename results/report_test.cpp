// The numbers of a report, from reports written by hand.

#include "results/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report_of(const Story& s) {
  Report r;
  r.title = "TITLE";
  r.contributions = s.contributions();
  r.tasks = kTasks;
  r.time = s.log.ended_at;
  return r;
}

// The chief ends three steps in 1 s, the other one only one.
Story some_steps() {
  Story s;
  s.step(0, kChief, 1)
      .step(0, kOther, 2)
      .ended(1, kChief, 1)
      .step(1, kChief, 3)
      .ended(1.5, kChief, 3)
      .step(1.5, kChief, 4)
      .ended(2, kChief, 4);
  s.ended(2, kOther, 2);
  return s;
}

std::string row_of(const std::string& text, const std::string& what) {
  const std::size_t at = text.find("\n" + what) + 1;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Report, the_pace_is_that_of_the_steps_between_the_first_end_and_the_last) {
  const std::string text = to_text(report_of(some_steps()));
  EXPECT_EQ(row_of(text, "worker 0"), "worker 0             3         -         -         2.000");
  EXPECT_EQ(row_of(text, "worker 1"), "worker 1             1         -         -             -");
}

TEST(Report, tells_what_was_accepted_and_dropped_of_each_worker) {
  Story s = some_steps();
  s.push(3, 1).push(3, 1).push(3, 1, false).push(3, 2).aggregate(3);
  const Report r = report_of(s);
  EXPECT_EQ(row_of(to_text(r), "worker 0"), "worker 0             3         2         1         2.000");
  EXPECT_EQ(row_of(to_text(r), "worker 1"), "worker 1             1         1         0             -");
  const auto workers = to_json(r)["workers"];
  EXPECT_EQ(workers[0]["accepted"], 2);
  EXPECT_EQ(workers[0]["dropped"], 1);
  EXPECT_EQ(workers[1]["dropped"], 0);
}

TEST(Report, use_is_the_busy_part_of_all_lanes) {
  Report r = report_of(Story());
  r.time = 10 * kSecond;
  r.devices = {{.device = "A", .busy = 5 * kSecond, .kernels = 3, .lanes = 1},
               {.device = "B", .busy = 5 * kSecond, .kernels = 3, .lanes = 4},
               {.device = "C", .busy = 5 * kSecond, .kernels = 3, .lanes = 0}};
  const std::string text = to_text(r);
  EXPECT_THAT(row_of(text, "A"), HasSubstr("5.000 s  50.0 %"));
  EXPECT_THAT(row_of(text, "B"), HasSubstr("5.000 s  12.5 %"));
  EXPECT_THAT(row_of(text, "C"), HasSubstr("5.000 s       -"));
  EXPECT_THAT(text, Not(HasSubstr("peak of memory")));
}

TEST(Report, memory_is_rounded_up_to_mebibytes_where_it_is_counted) {
  Report r = report_of(Story());
  r.devices = {{.device = "A", .peak_bytes = (1u << 20) + 1, .memory_bytes = 8u << 20},
               {.device = "B", .peak_bytes = 1u << 20, .memory_bytes = 8u << 20},
               {.device = "C", .peak_bytes = 5}};
  const std::string text = to_text(r);
  EXPECT_THAT(row_of(text, "A"), HasSubstr("2 of 8 MiB"));
  EXPECT_THAT(row_of(text, "B"), HasSubstr("1 of 8 MiB"));
  EXPECT_THAT(row_of(text, "C"), Not(HasSubstr("MiB")));
}

TEST(Report, equal_aggregates_share_a_row_and_a_lone_one_says_so) {
  Story s = two_workers();
  for (const double t : {1, 2}) s.push(t, 1).push(t, 2).aggregate(t);
  for (const double t : {3, 4}) s.push(t, 1).push(t, 1).aggregate(t);
  const std::string text = to_text(report_of(s));
  EXPECT_THAT(text, HasSubstr("Gradients in each aggregate of v:0 (needs 2), by worker 0, worker 1:\n"
                              "        1-2   [1, 1]   at 1.000 s to 2.000 s\n"
                              "        3-4   [2, 0]  alone   at 3.000 s to 4.000 s\n"));
}

TEST(Report, tells_the_sources_of_costs_only_where_there_is_a_choice) {
  Report r = report_of(Story());
  r.costs = {7, 0, 0, 9};
  EXPECT_THAT(to_text(r), Not(HasSubstr("Op executions")));
  r.costs = {1, 0, 3, 4};
  EXPECT_THAT(to_text(r), HasSubstr("1 scenario, 0 measured, 3 roofline, 4 default"));
  r.costs = {1, 2, 0, 4};
  EXPECT_THAT(to_text(r), HasSubstr("1 scenario, 2 measured, 0 roofline, 4 default"));
}

TEST(Report, lines_of_a_verdict_are_at_most_110_characters_long) {
  Report r = report_of(Story());
  r.verdicts = {{"KIND", std::string(53, 'a') + " " + std::string(54, 'b') + " c"}};
  EXPECT_THAT(to_text(r),
              HasSubstr("Verdict: KIND\n  " + std::string(53, 'a') + " " + std::string(54, 'b') + "\n  c\n"));
  r.verdicts[0].text = std::string(54, 'a') + " " + std::string(54, 'b');
  EXPECT_THAT(to_text(r), HasSubstr("  " + std::string(54, 'a') + "\n  " + std::string(54, 'b') + "\n"));
}

}  // namespace
}  // namespace tarry
