#include "results/page/charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

TEST(StepTimesChart, has_each_step_since_the_one_before_and_the_first_since_it_began) {
  Story s = two_workers();
  s.ended(1, kChief, 1).step(1.5, kChief, 3).ended(3, kChief, 3).ended(4, kOther, 2);
  const Json j = step_times_chart(s.contributions(), kTasks);
  EXPECT_EQ(j["each"], 1);
  EXPECT_EQ(j["rows"][0], (Json{{"worker", "worker 0"}, {"ns", {1'000'000'000, 2'000'000'000}}}));
  EXPECT_EQ(j["rows"][1]["ns"], Json::array({4'000'000'000}));
}

TEST(StepTimesChart, has_means_of_several_steps_where_there_are_too_many) {
  Contributions c;
  c.workers = {{.task = kChief, .step_ended = {}, .first_step = 0}};
  for (std::size_t i = 1; i <= kMostCells + 1; ++i) {
    c.workers[0].step_ended.push_back(static_cast<Nanos>(i * i));
    c.workers[0].step_times.push_back(static_cast<Nanos>(2 * i - 1));
  }
  const Json j = step_times_chart(c, kTasks);
  EXPECT_EQ(j["each"], 2);
  EXPECT_EQ(j["rows"][0]["ns"].size(), kMostCells / 2 + 1);
  EXPECT_EQ(j["rows"][0]["ns"][0], 2);  // (1 + 3) / 2
  EXPECT_EQ(j["rows"][0]["ns"].back(), 2 * kMostCells + 1);
}

TEST(AggregatesChart, says_who_filled_which_and_names_the_variables_that_are_alike) {
  Contributions c;
  c.workers = {{.task = kChief}, {.task = kOther}};
  const AccumulatorStory a{"a", "a", {{1, {2, 0}, 2, 5}, {2, {1, 1}, 2, 7}}, {}, {}, {}, {0, 3}, {}, 2};
  AccumulatorStory same = a, other = a;
  same.variable = "b", other.variable = "c", other.dropped = {1, 3};
  c.accumulators = {a, other, same};
  const Json j = aggregates_chart(c, kTasks);
  ASSERT_EQ(j.size(), 2u);
  EXPECT_EQ(j[0]["variables"], Json::array({"a", "b"}));
  EXPECT_EQ(j[0]["at"], Json::array({5, 7}));
  EXPECT_EQ(j[0]["needs"], 2);
  EXPECT_EQ(j[0]["rows"][1], (Json{{"worker", "worker 1"}, {"gradients", {0, 1}}, {"dropped", 3}}));
  EXPECT_EQ(j[1]["variables"], Json::array({"c"}));
}

TEST(AggregatesChart, adds_up_aggregates_where_there_are_too_many) {
  Contributions c;
  c.workers = {{.task = kChief}};
  c.accumulators = {{"a", "a", {}, {}, {}, {}, {0}, {}, 1}};
  for (std::size_t i = 0; i < kMostCells + 1; ++i) c.accumulators[0].aggregates.push_back({1, {3}, 3, 0});
  const Json j = aggregates_chart(c, kTasks);
  EXPECT_EQ(j[0]["each"], 2);
  EXPECT_EQ(j[0]["rows"][0]["gradients"][0], 6);
  EXPECT_EQ(j[0]["rows"][0]["gradients"].back(), 3);
}

Json curve(const Json& all, const std::string& name) {
  for (const Json& c : all)
    if (c["name"] == name) return c["points"];
  return nullptr;
}

TEST(Curves, go_up_and_down_with_what_they_count) {
  Story s = two_workers();
  s.push(1, 1).ended(2, kChief, 1).push(3, 2).aggregate(4).at(5, ProcessEnded{kOther}).at(6, ProcessBegan{kOther, 1});
  const Json all = curves_chart(s.log, s.contributions());
  EXPECT_EQ(curve(all, "gradients"), Json::parse("[[1000000000,1],[3000000000,2],[4000000000,0]]"));
  EXPECT_EQ(curve(all, "steps"), Json::parse("[[0,2],[2000000000,1],[5000000000,0]]"));
  EXPECT_EQ(curve(all, "processes"), Json::parse("[[5000000000,-1],[6000000000,0]]"));
  EXPECT_EQ(curve(all, "tokens"), nullptr);
}

TEST(Curves, say_what_they_count_and_the_gradients_are_those_of_the_first_accumulator) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "sync_token_q", "w:0/grad_accum"});
  s.push(1, 1).at(2, GradientPushed{kPs, NameId{4u}, StepId{1}, 0, 0, true});
  s.at(3, AggregateTaken{kPs, NameId{4u}, StepId{99}, 1, 1}).at(4, Enqueued{kPs, NameId{3u}, StepId{9}, 0});
  s.at(5, ProcessEnded{kOther});
  Contributions c = s.contributions();
  c.token_queue = "sync_token_q";
  std::map<std::string, std::string> meanings;
  const Json all = curves_chart(s.log, c);
  for (const Json& j : all) meanings[j["name"]] = j["meaning"];
  EXPECT_EQ(meanings,
            (std::map<std::string, std::string>{{"tokens", "in the token queue"},
                                                {"gradients", "accepted by the first accumulator, and not yet taken"},
                                                {"steps", "training steps that have begun and not ended"},
                                                {"processes", "more or fewer than at the start"}}));
  EXPECT_EQ(curve(all, "gradients"), Json::parse("[[1000000000,1]]"));
}

TEST(Curves, a_server_that_ends_takes_its_gradients_and_tokens_with_it) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "sync_token_q"});
  s.at(1, Enqueued{kPs, NameId{3u}, StepId{9}, 0}).push(1, 1).at(2, ProcessEnded{kPs});
  Contributions c = s.contributions();
  c.token_queue = "sync_token_q";
  const Json all = curves_chart(s.log, c);
  EXPECT_EQ(curve(all, "gradients"), Json::parse("[[1000000000,1],[2000000000,0]]"));
  EXPECT_EQ(curve(all, "tokens"), Json::parse("[[1000000000,1],[2000000000,0]]"));
}

TEST(Curves, keep_the_least_and_the_greatest_value_of_each_stretch_where_there_are_too_many_points) {
  EventLog log;
  Nanos at = 0;
  for (std::uint64_t i = 1; i <= 2 * kMostPoints; ++i) {
    log.add(++at, StepBegan{kChief, StepId{2 * i}, Purpose::train});
    log.add(++at, StepBegan{kChief, StepId{2 * i + 1}, Purpose::train});
    log.add(++at, StepEnded{kChief, StepId{2 * i}, 0});
    log.add(++at, StepEnded{kChief, StepId{2 * i + 1}, 0});
  }
  log.ended_at = at;
  const Json j = curves_chart(log, {}).at(0);
  EXPECT_EQ(j["each"], 17);  // 2 * 16,000 / 2,000 + 1, in a run of 16,000 ns
  EXPECT_LE(j["points"].size(), kMostPoints);
  EXPECT_EQ(j["points"][1][1].get<int>() - j["points"][0][1].get<int>(), 2);
}

TEST(StalenessChart, of_gradients_counts_aggregates_since_their_values_were_read) {
  Story s = two_workers();
  s.at(1, GradientPushed{kPs, kAccumulator, StepId{1}, 3, 3, true});
  s.at(2, GradientPushed{kPs, kAccumulator, StepId{2}, 1, 3, false}).aggregate(3);
  const Json j = staleness_chart(s.log, s.contributions());
  EXPECT_EQ(j["unit"], "gradients");
  EXPECT_EQ(j["rows"], Json::parse("[[0,1,0],[2,0,1]]"));
}

TEST(StalenessChart, of_asynchronous_steps_counts_the_updates_of_others_meanwhile) {
  Contributions c;
  c.workers = {{.task = kChief, .updates = {{0, 10}, {10, 40}}},
               {.task = kOther, .updates = {{0, 20}, {20, 30}, {30, 50}}}};
  EXPECT_EQ(Json(staleness_chart(EventLog(), c))["rows"], Json::parse("[[0,1,0],[1,1,0],[2,1,0]]"));
}

TEST(TrafficChart, adds_up_messages_and_bytes_from_task_to_task) {
  Story s;
  s.at(1, MessageDelivered{kPs, kChief, kNoDetail, 10, 0}).at(2, MessageDelivered{kPs, kChief, kNoDetail, 5, 0});
  s.at(3, MessageDelivered{kChief, kPs, kNoDetail, 1, 0});
  const Json j = traffic_chart(s.log, kTasks);
  EXPECT_EQ(j["tasks"], Json::array({"ps 0", "worker 0", "worker 1"}));
  EXPECT_EQ(j["rows"], Json::parse("[[0,1,2,15],[1,0,1,1]]"));
}

TEST(Marks, are_faults_and_processes_that_end_or_begin_anew) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "host a is slow", "slow"});
  s.at(0, ProcessBegan{kChief, 0}).at(1, ConditionChanged{NameId{3u}, NameId{4u}, kNoDetail, kNoDetail, true});
  s.at(2, ProcessEnded{kChief}).at(3, ProcessBegan{kChief, 1});
  const Json j = marks_chart(s.log, kTasks);
  ASSERT_EQ(j.size(), 3u);
  EXPECT_EQ(j[0], (Json{{"ns", kSecond}, {"what", "host a is slow"}, {"kind", "fault"}}));
  EXPECT_EQ(j[1], (Json{{"ns", 2 * kSecond}, {"what", "worker 0: its process ends"}, {"kind", "ends"}}));
  EXPECT_EQ(j[2], (Json{{"ns", 3 * kSecond}, {"what", "worker 0: a new process begins"}, {"kind", "begins"}}));
}

// A path of timers of worker 0 and worker 1, by turns, each of 10 ns.
CriticalPath path_of_timers(int n) {
  CriticalPath p{0, 10 * n, {}, {}};
  for (int i = 0; i < n; ++i)
    p.parts.push_back({PathKind::timer, 10 * i, 10 * i + 10, kNoEntry, kNoEntry, i % 2 == 0 ? kChief : kOther});
  return p;
}

TEST(PathChart, is_cut_at_each_aggregate_into_pieces_that_add_up_to_all_of_it) {
  Contributions c;
  c.accumulators = {{"a", "a", {{1, {1}, 1, 25}, {2, {1}, 1, 40}, {3, {1}, 1, 99}}, {}, {}, {}, {}, {}, 1}};
  const Json j = path_chart(path_of_timers(6), EventLog(), c, kTasks);
  EXPECT_EQ(j["cut_at"], "aggregate");
  ASSERT_EQ(j["pieces"].size(), 3u);
  const auto timer = static_cast<std::size_t>(PathKind::timer);
  EXPECT_EQ(j["pieces"][0], (Json{{"to_ns", 25}, {"ns", j["pieces"][0]["ns"]}, {"most", "timer: worker 0"}}));
  EXPECT_EQ(j["pieces"][0]["ns"][timer], 25);
  EXPECT_EQ(j["pieces"][1]["ns"][timer], 15);
  EXPECT_EQ(j["pieces"][2]["ns"][timer], 20);
  EXPECT_EQ(j["sums"][0]["ns"], 30);
}

TEST(PathChart, of_an_asynchronous_run_is_cut_at_the_steps_of_the_worker_that_ends_it) {
  Contributions c;
  c.workers = {{.task = kChief, .step_ended = {5, 50}}, {.task = kOther, .step_ended = {20, 60}}};
  const Json j = path_chart(path_of_timers(6), EventLog(), c, kTasks);
  ASSERT_EQ(j["pieces"].size(), 2u);
  EXPECT_EQ(j["pieces"][0]["to_ns"], 20);
}

TEST(PathChart, joins_pieces_and_short_parts_where_there_are_too_many) {
  Contributions c;
  c.accumulators = {{"a", "a", {}, {}, {}, {}, {}, {}, 1}};
  for (int i = 1; i <= 500; ++i) c.accumulators[0].aggregates.push_back({i, {1}, 1, 100 * i});
  const Json few = path_chart(path_of_timers(4'000), EventLog(), c, kTasks);
  EXPECT_EQ(few["parts"].size(), 4'000u);
  EXPECT_EQ(few["shorter_joined_ns"], 0);
  const Json j = path_chart(path_of_timers(5'000), EventLog(), c, kTasks);
  EXPECT_EQ(j["each"], 3);
  EXPECT_EQ(j["pieces"].size(), 167u);
  EXPECT_EQ(j["pieces"].back()["to_ns"], 50'000);
  EXPECT_EQ(j["shorter_joined_ns"], 12);
  EXPECT_EQ(j["parts"].size(), 1u);
}

}  // namespace
}  // namespace tarry
