// The numbers of a report, from reports written by hand.

#include "results/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/core/check.hpp"
#include "results/text_table.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

Report report_of(const Story& s) {
  Report r;
  r.title = "TITLE", r.tasks = kTasks;
  r.contributions = s.contributions();
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

TEST(Report, says_what_shared_bandwidth_where_it_has_a_limit) {
  Report r = report_of(some_steps());
  EXPECT_THAT(to_text(r), Not(HasSubstr("Bandwidth")));
  EXPECT_FALSE(to_json(r).contains("flow_engine"));
  r.flow_engine = "simgrid 3.32";
  EXPECT_THAT(to_text(r), HasSubstr("\nBandwidth was shared by simgrid 3.32.\n"));
  r.flow_engine = "shared";
  EXPECT_THAT(to_text(r), HasSubstr("\nBandwidth was shared by tarry's own engine (shared).\n"));
  EXPECT_EQ(to_json(r)["flow_engine"], "shared");
}

TEST(Report, tells_what_is_broken_and_not_again_what_a_verdict_has_told) {
  Report r = report_of(some_steps());
  r.verdicts = {{"stuck", "It stands."}, {"progress_lost", "It lost 1."}, {"progress_lost", "It lost 2."}};
  r.breaches = {{"finish", "It was late."},
                {"never stuck", "It stands."},
                {"never progress_lost", "It lost 1."},
                {"never progress_lost", "It lost 2."}};
  const std::string text = to_text(r);
  EXPECT_THAT(text, HasSubstr("Broken: finish\n  It was late.\n\nBroken: never stuck\n  The verdict above says why.\n\n"
                              "Broken: never progress_lost\n  The verdict above says why.\n\n"));
  EXPECT_EQ(text.find("It stands."), text.rfind("It stands."));
  EXPECT_EQ(text.find("Broken: never progress_lost"), text.rfind("Broken: never progress_lost"));
  EXPECT_EQ(to_json(r)["broken"].size(), 4u);
}

TEST(Report, says_that_a_job_kept_to_what_it_must) {
  Report r = report_of(some_steps());
  EXPECT_THAT(to_text(r), Not(HasSubstr("kept to")));
  r.breaches.emplace();
  EXPECT_THAT(to_text(r), HasSubstr("\nThe job kept to everything in `must`.\n"));
}

TEST(Report, the_pace_is_that_of_the_steps_between_the_first_end_and_the_last) {
  const std::string text = to_text(report_of(some_steps()));
  EXPECT_THAT(row_of(text, "worker 0"), HasSubstr("worker 0      3    2.000  75.0 %"));
  EXPECT_THAT(row_of(text, "worker 1"), HasSubstr("worker 1      1        -  25.0 %"));
}

TEST(Report, tells_what_was_accepted_and_dropped_of_each_worker) {
  Story s = some_steps();
  s.push(3, 1).push(3, 1).push(3, 1, false).push(3, 2).aggregate(3);
  const Report r = report_of(s);
  EXPECT_THAT(row_of(to_text(r), "worker 0"), HasSubstr("worker 0      3         2        1    2.000  66.7 %"));
  EXPECT_THAT(row_of(to_text(r), "worker 1"), HasSubstr("worker 1      1         1        0        -  33.3 %"));
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
  EXPECT_THAT(row_of(text, "A"), HasSubstr("5.000 s  50.0 %  ██████████"));
  EXPECT_THAT(row_of(text, "B"), HasSubstr("5.000 s  12.5 %  ██▌"));
  EXPECT_THAT(row_of(text, "C"), HasSubstr("5.000 s       -"));
  r.contributions.left = 8 * kSecond;
  EXPECT_THAT(row_of(to_text(r), "A"), HasSubstr("5.000 s  62.5 %")) << "closing sessions is no training";
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

// ---- how it is shown ----

TEST(Report, lines_of_a_verdict_are_as_long_as_the_width_and_at_most_110_characters) {
  Report r = report_of(Story());
  for (const auto& [width, longest] : {std::pair(100u, 100u), {70u, 70u}, {300u, 110u}, {10u, 60u}}) {
    const std::string fits(longest - 3 - 20, 'a');
    r.verdicts = {{"KIND", fits + " " + std::string(20, 'b') + " c"}};
    EXPECT_THAT(to_text(r, {.width = width}), HasSubstr("  " + fits + " " + std::string(20, 'b') + "\n  c\n"));
    r.verdicts = {{"KIND", fits + "a " + std::string(20, 'b')}};
    EXPECT_THAT(to_text(r, {.width = width}), HasSubstr("  " + fits + "a\n  " + std::string(20, 'b') + "\n"));
  }
}

TEST(Report, why_and_what_to_do_begin_lines_of_their_own) {
  Report r = report_of(Story());
  r.verdicts = {{"KIND", "It hangs. The cause: nobody knows. Run again without it (same seed), it runs. To do: rest."}};
  EXPECT_THAT(to_text(r), HasSubstr("Verdict: KIND\n"
                                    "  It hangs.\n"
                                    "  The cause: nobody knows.\n"
                                    "  Run again without it (same seed), it runs.\n"
                                    "  To do: rest.\n"));
}

TEST(Report, has_colours_only_where_they_are_asked_for_by_how_bad_a_verdict_is) {
  Report r = report_of(Story());
  r.verdicts = {{"stuck", "a"}, {"uneven", "b. To do: c"}, {"fair", "d"}};
  EXPECT_THAT(to_text(r), Not(HasSubstr("\033")));
  const std::string text = to_text(r, {.colour = true});
  EXPECT_THAT(text, HasSubstr("\033[1;31mVerdict: stuck\033[0m\n"));
  EXPECT_THAT(text, HasSubstr("\033[1;33mVerdict: uneven\033[0m\n  b.\n  \033[1mTo do:\033[0m c\n"));
  EXPECT_THAT(text, HasSubstr("\033[1;32mVerdict: fair\033[0m\n"));
}

// A synchronous job of many workers, of one at least: each brings a gradient to each of 20 aggregates, but worker
// k mod 20 to none.
Report of_many(std::size_t workers) {
  check(workers > 0, "of_many: no workers");
  Report r;
  r.time = 20 * kSecond;
  AccumulatorStory a{.variable = "v:0", .required = static_cast<std::int64_t>(workers) - 1};
  a.accepted.assign(workers, 20), a.dropped.assign(workers, 0), a.pushed.assign(workers, 20);
  for (std::size_t w = 0; w < workers; ++w) {
    r.tasks.names.push_back("/job:worker/replica:0/task:" + std::to_string(w));
    r.contributions.workers.push_back({.task = TaskId{w}, .steps = 20, .step_ended = {0, 4 * kSecond}});
  }
  for (std::size_t k = 0; k < 20; ++k) {
    Aggregate g{.by_worker = std::vector<std::int64_t>(workers, 1), .at = static_cast<Nanos>(k) * kSecond};
    g.by_worker[k % workers] = 0;
    a.aggregates.push_back(std::move(g));
  }
  r.contributions.accumulators.push_back(std::move(a));
  return r;
}

TEST(Report, of_many_workers_says_how_many_have_how_many_gradients_in_an_aggregate) {
  EXPECT_THAT(to_text(of_many(64)),
              HasSubstr("(needs 63), by how many of the 64 workers they come from:\n"
                        "       1-20   1 from 63 workers, none from 1   at 0.000 s to 19.000 s\n"));
  Report alone = of_many(64);
  alone.contributions.accumulators[0].aggregates[0].by_worker.assign(64, 0);
  alone.contributions.accumulators[0].aggregates[0].by_worker[7] = 63;
  EXPECT_THAT(to_text(alone), HasSubstr("          1   63 from worker 7 alone   at 0.000 s\n"));
  EXPECT_THAT(to_text(of_many(64), {.everything = true}), HasSubstr("          1   [0, 1, 1, 1,"));
}

TEST(Report, names_a_few_workers_of_an_aggregate_and_of_more_the_first_and_the_last) {
  EXPECT_THAT(to_text(of_many(8)), HasSubstr("worker 6, worker 7:\n"));
  EXPECT_THAT(to_text(of_many(9)), HasSubstr("by worker 0 to worker 8:\n"));
  EXPECT_THAT(to_text(of_many(18)), HasSubstr("by worker 0 to worker 17:\n"));
  EXPECT_THAT(to_text(of_many(19)), HasSubstr("by how many of the 19 workers"));
  EXPECT_THAT(to_text(of_many(19), {.width = 102}), HasSubstr("by worker 0 to worker 18:\n"));
}

TEST(Report, of_many_workers_shows_the_ten_that_differ_most_from_the_median_and_the_sum_of_the_others) {
  Report r = of_many(64);
  AccumulatorStory& a = r.contributions.accumulators[0];
  a.accepted[60] = 25, a.accepted[7] = 3, a.dropped[63] = 2, a.dropped[7] = 17;
  a.aggregates[0].by_worker[60] = 6;
  for (std::size_t k = 0; k < 17; ++k) a.aggregates[k].by_worker[7] = 0;
  const std::string text = to_text(r);
  EXPECT_THAT(row_of(text, "worker 7 "), HasSubstr("worker 7      20         3       17"));
  EXPECT_THAT(row_of(text, "worker 60 "), HasSubstr("worker 60     20        25        0"));
  EXPECT_THAT(row_of(text, "worker 6 "), HasSubstr("worker 6 "));
  EXPECT_THAT(text, Not(HasSubstr("worker 63 ")));
  EXPECT_EQ(row_of(text, "54 others"), "54 others   1080      1080        2    0.250  85.6 %");
  const std::string all = to_text(r, {.everything = true});
  EXPECT_THAT(all, HasSubstr("worker 63 "));
  EXPECT_THAT(all, Not(HasSubstr("others")));
}

TEST(Report, aggregates_of_several_variables_are_complete_when_the_last_one_is) {
  Report r = of_many(2);
  AccumulatorStory later = r.contributions.accumulators[0];
  later.variable = "w:0";
  for (Aggregate& a : later.aggregates) a.at += kSecond / 2;
  later.aggregates.back().at = 0;
  r.contributions.accumulators.push_back(later);
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("of v:0, w:0 (needs 1)"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("          1   [0, 1]   at 0.500 s\n"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("         20   [1, 0]   at 19.000 s\n"));
}

TEST(Report, shares_are_those_of_aggregated_gradients_and_not_of_ones_that_still_wait) {
  Report r = of_many(4);
  r.contributions.accumulators[0].accepted = {16, 16, 15, 15};
  EXPECT_THAT(to_text(r), HasSubstr("\nworker    steps  accepted  steps/s\nworker 0     20        16    0.250\n"));
  r.contributions.accumulators[0].aggregates.resize(1);
  EXPECT_THAT(row_of(to_text(r), "worker 1 "), HasSubstr("33.3 %"));
  EXPECT_THAT(row_of(to_text(r), "worker 0 "), HasSubstr("0.0 %"));
}

TEST(Report, a_column_in_which_nobody_has_anything_is_left_out) {
  Report r = of_many(3);
  r.contributions.accumulators[0].aggregates.resize(18);
  EXPECT_THAT(to_text(r), HasSubstr("\nworker    steps  accepted  steps/s\nworker 0     20        20    0.250\n"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("\nworker    steps  accepted  dropped  steps/s  share\n"));
}

TEST(Report, of_many_links_shows_the_ten_that_carry_most_with_their_share) {
  Report r = report_of(Story());
  for (std::uint64_t i = 1; i <= 12; ++i) r.links.push_back({"h", "to" + std::to_string(i), i * 1'000'000, i});
  const std::string text = to_text(r);
  EXPECT_THAT(text, HasSubstr("\nfrom host to host  messages      MB   share\n"
                              "h -> to12                12  12.000  15.4 %  " +
                              bar_of(1, 20) + "\nh -> to11                11  11.000  14.1 %  " +
                              bar_of(11.0 / 12, 20) + "\n"));
  EXPECT_THAT(text, HasSubstr("2 others                  3   3.000   3.8 %\n"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("h -> to1                  1   1.000   1.3 %"));
}

TEST(Report, of_many_devices_shows_the_ten_that_are_busiest_by_their_short_names) {
  Report r = report_of(Story());
  r.time = 100 * kSecond;
  for (int i = 0; i < 12; ++i)
    r.devices.push_back({.device = "/job:worker/replica:0/task:" + std::to_string(i) + "/device:GPU:0",
                         .busy = (i + 1) * kSecond,
                         .kernels = 2,
                         .lanes = 1});
  const std::string text = to_text(r);
  EXPECT_THAT(text, HasSubstr("\ndevice           kernels      busy             use\n"
                              "worker 11 GPU:0        2  12.000 s          12.0 %  ██▍\n"));
  EXPECT_THAT(text, HasSubstr("2 others               4   3.000 s  1.0 % to 2.0 %\n"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("/job:worker/replica:0/task:0/device:GPU:0  "));
}

TEST(Report, says_that_no_aggregate_was_complete) {
  EXPECT_THAT(to_text(report_of(two_workers())), HasSubstr("by worker 0, worker 1:\n  none was complete\n"));
}

TEST(Report, of_many_variables_names_three) {
  Report r = of_many(2);
  const AccumulatorStory a = r.contributions.accumulators[0];
  for (int i = 0; i < 4; ++i) r.contributions.accumulators.push_back(a);
  EXPECT_THAT(to_text(r), HasSubstr("aggregate of v:0, v:0, v:0 and 2 more (needs 1)"));
  EXPECT_THAT(to_text(r, {.everything = true}), HasSubstr("aggregate of v:0, v:0, v:0, v:0, v:0 (needs 1)"));
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

TEST(Headline, has_four_digits_and_from_ten_thousand_on_all) {
  Report r = report_of(some_steps());
  r.batch = 4'999;
  EXPECT_EQ(second_line(r), "4 steps, 2 a second; 9998 examples a second.");
  r.batch = 8'070;
  EXPECT_EQ(second_line(r), "4 steps, 2 a second; 16140 examples a second.");
}

TEST(Headline, of_a_job_that_stands_still_for_good_has_no_pace) {
  Report r = report_of(some_steps());
  r.verdicts = {{"fair", ""}};
  EXPECT_EQ(second_line(r), "4 steps, 2 a second.");
  r.verdicts = {{"fair", ""}, {"stuck", ""}};
  EXPECT_EQ(second_line(r), "4 steps, then no more.");
}

TEST(Headline, of_synchronous_training_is_the_pace_of_aggregates) {
  Story s = two_workers();
  for (const double t : {1, 2, 3}) s.push(t, 1).push(t, 2).aggregate(t);
  s.ended(4, kChief, 1);
  EXPECT_EQ(second_line(report_of(s)), "3 aggregates, 0.75 a second.");
}

TEST(Headline, counts_examples_of_gradients_that_were_used_and_the_time_until_all_had_left) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, kOther, 2).step(1, kOther, 3).push(2, 3, false);
  s.ended(2, kChief, 1).ended(2, kOther, 3);
  for (const TaskId w : {kChief, kOther}) s.at(2, SessionMoved{w, SessionStage::left_loop, kNoDetail});
  s.at(122, SessionMoved{kChief, SessionStage::closed, kNoDetail});
  Report r = report_of(s);
  r.batch = 10;
  EXPECT_EQ(second_line(r), "1 aggregate, 0.5 a second; 10 examples a second.");
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
                              "      1 of 13   [0, 2]  alone\n"));
  EXPECT_THAT(text, HasSubstr("      1 of 13   [0, 8]  alone\n"
                              "      4 of 13   in 4 other ways\n"
                              "  (--details lists every aggregate)\n"));
}

TEST(Report, lists_every_aggregate_where_details_are_asked_for) {
  const std::string text = to_text(with_rows(12), {.every_aggregate = true});
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
