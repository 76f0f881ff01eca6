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

// ---- the headline ----

std::string second_line(const Report& r) {
  const std::string text = to_text(r);
  const std::size_t from = text.find('\n') + 1;
  return text.substr(from, text.find('\n', from) - from);
}

TEST(Headline, is_the_pace_of_steps_and_of_examples_where_a_batch_is_known) {
  Report r = report_of(some_steps());  // four steps in 2 s
  EXPECT_EQ(second_line(r), "4 steps, 2 a second.");
  r.batch = 32;
  EXPECT_EQ(second_line(r), "4 steps, 2 a second; 64 examples a second.");
}

TEST(Headline, of_synchronous_training_is_the_pace_of_aggregates) {
  Story s = two_workers();
  for (const double t : {1, 2, 3}) s.push(t, 1).push(t, 2).aggregate(t);
  s.ended(4, kChief, 1);
  EXPECT_EQ(second_line(report_of(s)), "3 aggregates, 0.75 a second.");
}

TEST(Headline, is_absent_where_no_step_has_ended) { EXPECT_EQ(second_line(report_of(two_workers())), ""); }

// ---- many different aggregates ----

// Runs of equal aggregates: the other worker's share in each of the rows is 1, 2, 3, ...
Report with_rows(std::int64_t rows) {
  Story s = two_workers();
  for (std::int64_t k = 1; k <= rows; ++k) {
    for (std::int64_t n = 0; n < k; ++n) s.push(static_cast<double>(k), 2);
    s.aggregate(static_cast<double>(k), k);
  }
  s.push(99, 2).aggregate(99, 1);  // like the first
  return report_of(s);
}

TEST(Report, lists_up_to_twelve_rows_of_aggregates_and_counts_patterns_of_more) {
  EXPECT_THAT(to_text(with_rows(11)), HasSubstr("         12   [0, 1]   at 99.000 s\n"));
  const std::string text = to_text(with_rows(12));
  EXPECT_THAT(text, HasSubstr("by worker 0, worker 1:\n"
                              "      2 of 13   [0, 1]\n"
                              "      1 of 13   [0, 2]\n"));
  EXPECT_THAT(text, HasSubstr("      1 of 13   [0, 8]\n"
                              "      4 of 13   in 4 other ways\n"
                              "  (--details lists every aggregate)\n"));
}

TEST(Report, lists_every_aggregate_where_details_are_asked_for) {
  const std::string text = to_text(with_rows(12), Detail::all);
  EXPECT_THAT(text, HasSubstr("         13   [0, 1]   at 99.000 s\n"));
  EXPECT_THAT(text, Not(HasSubstr("--details")));
}

// ---- step times ----

TEST(StepTimes, are_those_between_a_workers_ends_of_steps) {
  Story s;
  s.step(0, kChief, 1).step(0, kOther, 2).ended(0, kOther, 2);
  double at = 0;
  for (std::uint64_t k = 0; k <= 20; ++k) {  // intervals of 1, 2, ... 20 s
    at += static_cast<double>(k);
    s.step(at, kChief, 100 + k).ended(at, kChief, 100 + k);
  }
  const auto workers = to_json(report_of(s))["workers"];
  EXPECT_EQ(workers[0]["step_times"]["mean_s"], 10.5);
  EXPECT_EQ(workers[0]["step_times"]["median_s"], 11.0);
  EXPECT_EQ(workers[0]["step_times"]["p95_s"], 20.0);
  EXPECT_TRUE(workers[1]["step_times"].is_null());  // one step has no interval
}

}  // namespace
}  // namespace tarry
