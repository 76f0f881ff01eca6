// A run's outcome beside the one that is expected, from reports written by hand.

#include "scenarios/file/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// Two workers and three aggregates.
Report some_report() {
  Report r;
  r.hash = "0123";
  r.verdicts = {{"fair", "text"}, {"straggler", "text"}};
  r.tasks.names = {"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"};
  for (const std::size_t w : {0u, 1u}) r.contributions.workers.push_back({.task = TaskId{w}, .steps = 4});
  AccumulatorStory a;
  for (std::int64_t i = 0; i < 3; ++i) a.aggregates.push_back({i + 1, {1, i == 2 ? 0 : 1}});
  a.accepted = {3, 2};
  a.dropped = {0, 1};
  a.left = {0, 0};
  r.contributions.accumulators.push_back(std::move(a));
  return r;
}

template <class Change>
std::string difference(Change change, const std::string& engine = "") {
  Report r = some_report();
  const std::string expected = expected_text(r, engine, "");
  change(r);
  return compare_with_expected(r, engine, expected);
}

TEST(Expected, is_what_was_written) {
  EXPECT_EQ(difference([](Report&) {}), "");
  EXPECT_EQ(difference([](Report&) {}, "simgrid 3.32"), "");
}

TEST(Expected, another_hash_is_another_outcome_even_when_all_else_is_equal) {
  EXPECT_EQ(difference([](Report& r) { r.hash = "4567"; }),
            "hash: expected 0123, got 4567: the same outcome by another course of events");
}

TEST(Expected, names_the_first_difference) {
  EXPECT_EQ(difference([](Report& r) { r.verdicts.pop_back(); }),
            R"(verdicts: expected ["fair","straggler"], got ["fair"])");
  EXPECT_EQ(difference([](Report& r) { r.contributions.accumulators[0].aggregates.pop_back(); }),
            "aggregates: expected [[[1,1],2],[[1,0],1]], got [[[1,1],2]]");
  EXPECT_EQ(difference([](Report& r) { r.contributions.workers[1].steps = 5; }), "steps: expected [4,4], got [4,5]");
  EXPECT_EQ(difference([](Report& r) { r.contributions.accumulators[0].accepted[0] = 4; }),
            "accepted: expected [3,2], got [4,2]");
  EXPECT_EQ(difference([](Report& r) { r.contributions.accumulators[0].dropped[1] = 0; }),
            "dropped: expected [0,1], got [0,0]");
}

TEST(Expected, says_what_is_broken_and_compares_it_where_something_was_asked_for) {
  const auto breaks = [](std::vector<Breach> broken) {
    Report r = some_report();
    r.breaches = std::move(broken);
    return r;
  };
  const Report stuck = breaks({{"never stuck", "a text"}}), sound = breaks({});
  const std::string of_stuck = expected_text(stuck, "", ""), of_sound = expected_text(sound, "", "");
  EXPECT_THAT(of_stuck, HasSubstr(R"("broken": ["never stuck"])"));
  EXPECT_EQ(compare_with_expected(stuck, "", of_stuck), "");
  EXPECT_EQ(compare_with_expected(sound, "", of_sound), "");
  EXPECT_EQ(compare_with_expected(stuck, "", of_sound), R"(broken: expected nothing, got ["never stuck"])");
  EXPECT_EQ(compare_with_expected(sound, "", of_stuck), R"(broken: expected ["never stuck"], got nothing)");
  EXPECT_EQ(compare_with_expected(breaks({{"finish", ""}}), "", of_stuck),
            R"(broken: expected ["never stuck"], got ["finish"])");
  EXPECT_EQ(compare_with_expected(some_report(), "", of_stuck), "");
  EXPECT_EQ(expected_text(some_report(), "", of_stuck), of_stuck);
}

TEST(Expected, keeps_a_hash_for_each_engine_and_asks_for_the_missing_one) {
  Report r = some_report();
  const std::string one = expected_text(r, "simgrid 1", "");
  EXPECT_EQ(compare_with_expected(r, "simgrid 2", one), "no hash is kept for simgrid 2; UPDATE=1 adds it");
  r.hash = "4567";
  const std::string both = expected_text(r, "simgrid 2", one);
  EXPECT_EQ(compare_with_expected(r, "simgrid 2", both), "");
  EXPECT_THAT(compare_with_expected(r, "simgrid 1", both), StartsWith("hash: expected 0123"));
  EXPECT_THAT(compare_with_expected(r, "", expected_text(r, "", both)), "");
  EXPECT_THAT(expected_text(r, "", both), testing::Not(HasSubstr("simgrid")));  // flows are no more
}

TEST(Expected, that_is_no_json_is_said_to_be_none) {
  EXPECT_EQ(compare_with_expected(some_report(), "", "["), "the expected outcome is not JSON");
  EXPECT_EQ(compare_with_expected(some_report(), "", "[]"), "the expected outcome is not JSON");
  EXPECT_EQ(compare_with_expected(some_report(), "", "{\"a\": " + std::string(100'000, '[')),
            "the expected outcome is not JSON");
}

// ---- verdicts that a scenario names ----

bool meets(std::vector<std::string> wanted, const std::vector<std::string>& got) {
  Scenario s;
  s.expect.verdicts = std::move(wanted);
  Report r;
  for (const std::string& kind : got) r.verdicts.push_back({kind, ""});
  return meets_expectation(s, r);
}

TEST(Expectation, is_all_kinds_in_any_order_however_often_each_is_told) {
  EXPECT_TRUE(meets({"stuck", "absent"}, {"absent", "stuck"}));
  EXPECT_TRUE(meets({"stuck"}, {"stuck", "stuck"}));
  EXPECT_TRUE(meets({}, {"stuck"}));
}

TEST(Expectation, is_missed_by_a_verdict_more_and_by_one_less) {
  EXPECT_FALSE(meets({"stuck"}, {"stuck", "absent"}));
  EXPECT_FALSE(meets({"stuck", "absent"}, {"stuck"}));
  EXPECT_FALSE(meets({"stuck"}, {}));
}

// ---- the report of a run ----

Scenario two_hosts() {
  Scenario s;
  s.cluster.hosts = {{"a"}, {"b"}};
  return s;
}

TEST(MakeReport, tells_devices_that_did_something_and_links_between_hosts_that_were_used) {
  Outcome o;
  o.stats.devices = {{.name = "ran", .kernels = 1}, {.name = "held", .peak_bytes = 1}, {.name = "idle"}};
  const HostId a{0u}, b{1u};
  o.stats.traffic = {{a, a, 10, 1}, {a, b, 20, 2}, {b, a, 0, 3}};
  const Report r = make_report(two_hosts(), {}, o, {});
  ASSERT_EQ(r.devices.size(), 2u);
  EXPECT_EQ(r.devices[0].device + r.devices[1].device, "ranheld");
  ASSERT_EQ(r.links.size(), 1u);
  EXPECT_EQ(std::tuple(r.links[0].from, r.links[0].to, r.links[0].bytes, r.links[0].messages),
            std::tuple("a", "b", 20u, 2u));
}

TEST(MakeReport, names_the_eight_ops_of_most_kernels_that_had_no_cost) {
  Outcome o;
  for (int i = 0; i < 8; ++i) o.stats.unpriced[std::string(1, static_cast<char>('a' + i))] = 1;
  Scenario s = two_hosts();
  EXPECT_EQ(make_report(s, {}, o, {}).notes,
            std::vector<std::string>{"8 kernels of 8 ops had no cost and took no time: a, b, c, d, e, f, g, h."});
  o.stats.unpriced["z"] = 2;
  s.costs.otherwise = Constant{1};
  EXPECT_EQ(make_report(s, {}, o, {}).notes,
            std::vector<std::string>{
                "10 kernels of 9 ops had no cost and took the default cost: z, a, b, c, d, e, f, g, ...."});
}

TEST(MakeReport, says_which_rows_are_read_where_ids_are_zeros) {
  const auto told = [](std::vector<Feed> feeds, std::int64_t rows) {
    NodeSpec table{"table", "VariableV2", "", {}, {{"dtype", DataType::kFloat}, {"shape", Shape{rows, 8}}}};
    Job job;
    ClientProgram& p = job.clients.emplace_back().program;
    p.graph = std::make_shared<const GraphSpec>(
        GraphSpec{{table, {"a/look", "Gather", "", {"table", "a"}, {}}, {"b/look", "Gather", "", {"table", "b"}, {}}}});
    p.feeds = std::move(feeds);
    return make_report(two_hosts(), job, Outcome(), {}).notes;
  };
  const Feed a{.tensor = "a:0", .dtype = DataType::kInt64}, b{.tensor = "b:0", .dtype = DataType::kInt64};
  EXPECT_EQ(told({a}, 50), std::vector<std::string>{
                               "a:0 is fed with zeros and says which rows of table are read: always the first. 'feeds: "
                               "{values: {\"a:0\": {uniform: {high: 50}}}}' draws from all of them."});
  EXPECT_THAT(told({a, b}, -1).at(0), testing::AllOf(testing::StartsWith("a:0, b:0 are fed with zeros and say which "),
                                                     testing::HasSubstr("{high: ROWS}")));
  EXPECT_EQ(told({}, 50), std::vector<std::string>());
}

TEST(MakeReport, counts_time_from_the_start_and_tells_the_first_twenty_events) {
  Outcome o;
  std::vector<std::string> lines{"Graph was finalized."}, told;
  for (int i = 0; i < 21; ++i) lines.push_back(fmt::format("line {}", i));
  o.log.set_names(lines);
  o.log.started_at = kSecond;
  o.tasks.names = {"/job:worker/replica:0/task:0"};
  for (unsigned i = 0; i < 21; ++i) {
    o.log.add(2 * kSecond, LogLine{TaskId{0u}, 'I', NameId{i + 1}});
    o.log.add(2 * kSecond, LogLine{TaskId{0u}, 'I', NameId{0u}});
    if (i < 20) told.push_back(fmt::format("1.000 s worker 0: line {}", i));
  }
  told.emplace_back("... and more: --csv FOLDER writes all (log_lines.csv, faults.csv)");
  o.log.ended_at = 4 * kSecond;
  const Report r = make_report(two_hosts(), {}, o, {});
  EXPECT_EQ(r.time, 3 * kSecond);
  EXPECT_EQ(r.waits, told);
}

TEST(MakeReport, folds_what_is_said_again_before_anything_happens_to_the_cluster) {
  Outcome o;
  o.log.set_names({"no model", "another", "never", ""});
  o.log.started_at = 5 * kSecond;
  o.tasks.names = {"/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1"};
  const auto said = [&](Nanos at, unsigned task, unsigned text) {
    o.log.add(at * kSecond, LogLine{TaskId{task}, 'I', NameId{text}});
  };
  for (const Nanos at : {1, 4}) said(at, 0, 0), said(at, 1, 0);
  for (int i = 0; i < 3; ++i) said(6, 1, 1);
  said(8, 0, 0);
  o.log.add(9 * kSecond, ProcessEnded{TaskId{1u}});
  said(10, 0, 0);
  o.log.add(10 * kSecond, ConditionChanged{NameId{1u}, NameId{2u}, NameId{3u}, NameId{3u}, true});
  EXPECT_THAT(make_report(two_hosts(), {}, o, {}).waits,
              ElementsAre("4.000 s before the start: worker 0, worker 1: (3 times, the last at 3.000 s) no model",
                          "1.000 s worker 1: (3 times) another", "4.000 s worker 1: its process ends",
                          "5.000 s worker 0: no model"));
}

TEST(MakeReport, names_faults_that_never_happened) {
  Scenario s = two_hosts();
  s.cluster.tasks = {{"/job:worker/replica:0/task:0", HostId{0u}}};
  Job job;
  Outcome o;
  o.log.ended_at = 9 * kSecond;
  for (const Nanos at : {12, 10, 14, 13, 15}) job.faults.push_back({at * kSecond, Kill{TaskId{0u}}});
  o.faults_at = {-1, kSecond, kSecond, kSecond, kSecond};
  EXPECT_EQ(make_report(s, job, o, {}).notes,
            std::vector<std::string>{"1 fault never happened before the run ended at 9.000 s: kill worker/0 at 12s."});
  o.faults_at = {kSecond, -1, -1, -1, -1};
  EXPECT_EQ(make_report(s, job, o, {}).notes,
            std::vector<std::string>{"4 faults never happened before the run ended at 9.000 s: kill worker/0 at 10s; "
                                     "kill worker/0 at 14s; kill worker/0 at 13s; ...."});
  o.faults_at = {0, 1, 1, 1, 1};
  EXPECT_THAT(make_report(s, job, o, {}).notes, testing::IsEmpty());
}

TEST(MakeReport, notes_that_a_run_was_ended_though_its_stop_was_not_there) {
  Job job;
  Outcome o;
  o.log.ended_at = job.max_time;
  EXPECT_THAT(make_report(two_hosts(), job, o, {}).notes,
              testing::ElementsAre(testing::StartsWith("The run was ended after about a month of simulated time")));
  job.stop.time = job.max_time;
  EXPECT_THAT(make_report(two_hosts(), job, o, {}).notes, testing::IsEmpty()) << "as it was told to";
  job.stop.time = {};
  --o.log.ended_at;
  EXPECT_THAT(make_report(two_hosts(), job, o, {}).notes, testing::IsEmpty());
}

TEST(MakeReport, notes_chiefs_without_a_client) {
  const auto notes = [](const std::string& task, const std::string& job) {
    const Scenario s = parse_scenario("title: t\ncluster:\n  hosts: [a]\n  tasks: {ps/0: a, worker/0: a, " + task +
                                          ": a}\n" + job + "\nstop: {steps: 1}\n",
                                      "s.yaml")
                           .value();
    Outcome o;
    for (const TaskSpec& t : s.cluster.tasks) o.tasks.names.push_back(t.name);
    return make_report(s, {}, o, {}).notes;
  };
  const std::string build = "build: {graph: softmax_async_ps1_task0, protocol: async}";
  EXPECT_THAT(
      notes("chief/0", build),
      ElementsAre("No client runs on chief/0: 'build' gives one to each task of the job worker, and worker/0 is "
                  "the chief. Call it worker, to have it train."));
  EXPECT_THAT(notes("worker/1", build), testing::IsEmpty());
  EXPECT_THAT(notes("chief/0", "programs: [{task: worker/0, graph: softmax_async_ps1_task0}]"), testing::IsEmpty());
}

TEST(MakeReport, counts_saves_that_differ_in_their_step) {
  Outcome o;
  o.log.set_names({"Saving checkpoints for 0 into a.", "Saving checkpoints for 100 into a.",
                   "Saving checkpoints for 200 into b.", "Saving 1", "Saving 2"});
  o.tasks.names = {"/job:worker/replica:0/task:0"};
  for (unsigned i = 0; i < 5; ++i) o.log.add(i * kSecond, LogLine{TaskId{0u}, 'I', NameId{i}});
  EXPECT_THAT(make_report(two_hosts(), {}, o, {}).waits,
              ElementsAre("0.000 s worker 0: (2 times, the last at 1.000 s) Saving checkpoints for 0, ..., 100 into a.",
                          "2.000 s worker 0: Saving checkpoints for 200 into b.", "3.000 s worker 0: Saving 1",
                          "4.000 s worker 0: Saving 2"));
}

TEST(MakeReport, tells_what_several_tasks_say_one_after_the_other_in_one_line) {
  Outcome o;
  o.log.set_names({"no model", "another"});
  for (int w = 0; w < 6; ++w) o.tasks.names.push_back(fmt::format("/job:worker/replica:0/task:{}", w));
  const auto said = [&](unsigned task, unsigned text) { o.log.add(0, LogLine{TaskId{task}, 'I', NameId{text}}); };
  for (unsigned w : {0u, 1u, 2u, 3u}) said(w, 0);
  for (unsigned w : {3u, 4u}) said(w, 1);
  for (unsigned w : {4u, 5u}) said(w, 0);
  EXPECT_THAT(make_report(two_hosts(), {}, o, {}).waits,
              ElementsAre("0.000 s worker 0, worker 1, worker 2, worker 3: no model",
                          "0.000 s worker 3, worker 4: another", "0.000 s worker 4, worker 5: no model"));
}

TEST(MakeReport, says_of_what_was_before_the_start_how_long_before) {
  Outcome o;
  o.log.set_names({"a line", "another"});
  o.log.started_at = 3 * kSecond;
  o.tasks.names = {"/job:worker/replica:0/task:0"};
  o.log.add(kSecond, LogLine{TaskId{0u}, 'I', NameId{0u}});
  o.log.add(3 * kSecond, LogLine{TaskId{0u}, 'I', NameId{1u}});
  EXPECT_THAT(make_report(two_hosts(), {}, o, {}).waits,
              testing::ElementsAre("2.000 s before the start: worker 0: a line", "0.000 s worker 0: another"));
}

}  // namespace
}  // namespace tarry
