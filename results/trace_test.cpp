// The lanes of a trace: what overlaps is drawn side by side.

#include "results/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/told_story.hpp"
#include "results/trace_format.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

// "name of the thread, from, duration" of each span of a kind, in microseconds.
std::vector<std::string> spans(const EventLog& log, std::string_view category) {
  std::map<std::pair<int, int>, std::string> lanes;
  std::vector<std::string> all;
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  for (const Json& e : trace["traceEvents"]) {
    const std::pair lane{e["pid"].get<int>(), e["tid"].get<int>()};
    if (e["name"] == "thread_name") lanes[lane] = e["args"]["name"];
    if (e["ph"] == "X" && e["cat"] == category)
      all.push_back(fmt::format("{} {} {}: {} for {}", lane.first, lane.second, lanes.at(lane), e["ts"].get<double>(),
                                e["dur"].get<double>()));
  }
  return all;
}

EventLog with_kernels() {
  EventLog log(true);
  log.set_names({"/job:worker/replica:0/task:0/device:GPU:0", "node", "MatMul", "RecvTensor reply"});
  return log;
}

TEST(Trace, kernels_that_overlap_have_lanes_of_their_own_and_others_share_one) {
  EventLog log = with_kernels();
  const auto ran = [&](Nanos from, Nanos to) {
    log.add(to, KernelRan{kChief, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, from});
  };
  ran(0, 10'000), ran(5'000, 15'000), ran(10'000, 20'000), ran(14'000, 30'000);
  EXPECT_THAT(spans(log, "kernel"), testing::ElementsAre("1 1 device:GPU:0: 0 for 10", "1 2 device:GPU:0: 5 for 10",
                                                         "1 1 device:GPU:0: 10 for 10", "1 3 device:GPU:0: 14 for 16"));
}

TEST(Trace, a_message_is_at_its_receiver_by_its_sender_and_a_step_at_its_client) {
  EventLog log = with_kernels();
  log.add(1'000, StepBegan{kOther, StepId{1}, Purpose::train});
  log.add(3'000, MessageDelivered{kPs, kChief, NameId{3u}, 10, 1'000});
  log.add(4'000, MessageDelivered{kPs, kOther, NameId{3u}, 10, 2'000});
  log.add(5'000, MessageDelivered{kChief, kOther, NameId{3u}, 10, 2'500});
  log.add(6'500, StepEnded{kOther, StepId{1}, 0});
  EXPECT_THAT(spans(log, "message"),
              testing::ElementsAre("1 1 received from ps 0: 1 for 2", "2 1 received from ps 0: 2 for 2",
                                   "2 2 received from worker 0: 2.5 for 2.5"));
  EXPECT_THAT(spans(log, "step"), testing::ElementsAre("2 3 client steps: 1 for 5.5"));
}

TEST(Trace, a_message_with_a_tensor_has_its_name_and_its_step) {
  EventLog log = with_kernels();
  log.set_names(
      {"RecvTensor reply", "/job:ps/task:0/device:CPU:0;1f;/job:worker/task:0/device:CPU:0;edge_7_w;0:0", "odd"});
  log.add(3'000, MessageDelivered{kPs, kChief, NameId{0u}, 10, 1'000, NameId{1u}, StepId{0xab}});
  log.add(4'000, MessageDelivered{kPs, kChief, NameId{0u}, 10, 3'000});
  log.add(5'000, MessageCutOff{kPs, kChief, NameId{0u}, 10, 4'000, NameId{2u}, StepId{1}});
  std::vector<std::string> told;
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["cat"] == "message")
      told.push_back(e["name"].get<std::string>() + ", step " + e["args"].value("step_id", "none"));
  EXPECT_THAT(told, testing::ElementsAre("RecvTensor reply edge_7_w, step ab", "RecvTensor reply, step none",
                                         "RecvTensor reply odd, step 1"));
}

// ---- what the end of a run cuts off, and faults ----

TEST(Trace, draws_to_the_end_of_the_run_what_has_not_ended) {
  EventLog log = with_kernels();
  log.add(1'000, StepBegan{kOther, StepId{1}, Purpose::train});
  log.add(2'000, StepBegan{kOther, StepId{2}, Purpose::train});
  log.add(3'000, StepEnded{kOther, StepId{2}, 0});
  log.add(9'000, KernelCutOff{kChief, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, 4'000});
  log.add(9'000, MessageCutOff{kPs, kChief, NameId{3u}, 10, 8'000});
  log.add(9'000, RunEnded{});
  EXPECT_THAT(spans(log, "kernel"), testing::ElementsAre("1 1 device:GPU:0: 4 for 5"));
  EXPECT_THAT(spans(log, "message"), testing::ElementsAre("1 2 received from ps 0: 8 for 1"));
  EXPECT_THAT(spans(log, "step"), testing::ElementsAre("2 1 client steps: 2 for 1", "2 2 client steps: 1 for 8"));
}

TEST(Trace, draws_steps_to_the_end_of_the_process_of_their_client) {
  EventLog log = with_kernels();
  log.add(1'000, StepBegan{kOther, StepId{1}, Purpose::train});
  log.add(2'000, StepBegan{kChief, StepId{2}, Purpose::train});
  log.add(2'000, StepBegan{kOther, StepId{3}, Purpose::train});
  log.add(2'000, StepEnded{kOther, StepId{3}, 0});
  log.add(3'000, ProcessEnded{kOther});
  log.add(9'000, RunEnded{});
  EXPECT_THAT(spans(log, "step"), testing::ElementsAre("2 1 client steps: 2 for 0", "2 2 client steps: 1 for 2",
                                                       "1 1 client steps: 2 for 7"));
}

TEST(Trace, marks_faults_at_the_task_that_they_are_about_and_the_ends_of_processes) {
  EventLog log;
  log.set_names({"the words of a fault", "slow", kTasks.names[1], "", "host0"});
  log.add(1'000, ConditionChanged{NameId{0u}, NameId{1u}, NameId{2u}, NameId{3u}});
  log.add(2'000, ConditionChanged{NameId{0u}, NameId{1u}, NameId{4u}, NameId{4u}});
  log.add(3'000, ProcessEnded{kOther});
  log.add(4'000, ProcessBegan{kOther, 1});
  std::vector<std::string> marks;
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "i")
      marks.push_back(
          fmt::format("{} {} {}", e["pid"].get<int>(), e["ts"].get<double>(), e["name"].get<std::string>()));
  EXPECT_THAT(marks, testing::ElementsAre("1 1 the words of a fault", "0 2 the words of a fault", "2 3 process ends",
                                          "2 4 process begins"));
}

TEST(Trace, a_step_has_the_name_of_its_purpose_and_a_gradient_of_its_fate) {
  Story s;
  for (int p = 0; p <= static_cast<int>(Purpose::restore); ++p) {
    const StepId id{static_cast<std::uint64_t>(p) + 1};
    s.at(1, StepBegan{kChief, id, static_cast<Purpose>(p)}).at(1, StepEnded{kChief, id, 0});
  }
  s.push(2, 1, true).push(3, 1, false);
  std::vector<std::string> names;
  const Json trace = Json::parse(to_chrome_trace(s.log, kTasks));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] != "M" && e["ph"] != "C") names.push_back(e["name"]);
  EXPECT_THAT(names, testing::ElementsAre("init", "ready check", "local init", "hook init", "initial tokens",
                                          "train step", "sync step", "queue runner", "close queue", "other", "save",
                                          "restore", "gradient accepted", "gradient dropped"));
}

// ---- arrows and counters ----

// "s 0/4 1" and so on: phase, process/lane and time of each end of an arrow, by arrow.
std::map<int, std::vector<std::string>> arrows(const EventLog& log) {
  std::map<int, std::vector<std::string>> ends;
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "s" || e["ph"] == "f")
      ends[e["id"]].push_back(fmt::format("{} {}/{} {}", e["ph"].get<std::string>(), e["pid"].get<int>(),
                                          e["tid"].get<int>(), e["ts"].get<double>()));
  return ends;
}

TEST(Trace, an_arrow_leads_from_a_send_into_the_message_at_its_receiver_unless_that_is_at_once) {
  EventLog log = with_kernels();
  log.add(3'000, MessageDelivered{kPs, kChief, NameId{3u}, 10, 1'000});
  log.add(4'000, MessageDelivered{kPs, kOther, NameId{3u}, 10, 1'000});
  log.add(5'000, MessageDelivered{kPs, kOther, NameId{3u}, 10, 5'000});
  log.add(6'000, MessageCutOff{kPs, kOther, NameId{3u}, 10, 5'000});
  EXPECT_THAT(arrows(log), testing::ElementsAre(testing::Pair(1, testing::ElementsAre("f 1/1 2.999", "s 0/1 1")),
                                                testing::Pair(2, testing::ElementsAre("f 2/1 3.999", "s 0/1 1"))));
  EXPECT_THAT(spans(log, "send"), testing::ElementsAre("0 1 sends: 1 for 0.001"));
  EXPECT_THAT(wrong_in(Json::parse(to_chrome_trace(log, kTasks))), testing::IsEmpty());
}

TEST(Trace, counts_what_is_in_queues_and_on_the_way) {
  EventLog log;
  log.set_names({"q", "RecvTensor reply"});
  log.add(1'000, Enqueued{kPs, NameId{0u}});
  log.add(3'000, MessageDelivered{kPs, kChief, NameId{1u}, 10, 2'000});
  std::vector<std::string> counted;
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "C")
      counted.push_back(fmt::format("{} {} {} {}", e["pid"].get<int>(), e["ts"].get<double>(),
                                    e["name"].get<std::string>(), e["args"]["value"].get<int>()));
  EXPECT_THAT(counted, testing::ElementsAre("0 1 elements in q 1", "1 2 bytes from ps 0 10", "1 3 bytes from ps 0 0"));
}

TEST(Trace, names_its_tracks_and_puts_steps_before_devices_and_messages) {
  EventLog log = with_kernels();
  log.add(2'000, MessageDelivered{kChief, kChief, NameId{3u}, 10, 1'000});
  log.add(3'000, KernelRan{kChief, NameId{0u}, NameId{1u}, NameId{2u}, StepId{1}, 2'000});
  log.add(3'000, StepBegan{kChief, StepId{1}, Purpose::train});
  log.add(4'000, StepEnded{kChief, StepId{1}, 0});
  const Json trace = Json::parse(to_chrome_trace(log, kTasks));
  std::map<int, std::string> names, order;
  for (const Json& e : trace["traceEvents"]) {
    if (e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
    if (e["name"] == "thread_sort_index") order[e["args"]["sort_index"]] = names.at(e["tid"]);
  }
  EXPECT_THAT(order, testing::ElementsAre(testing::Pair(3, "client steps"), testing::Pair(1002, "device:GPU:0"),
                                          testing::Pair(2004, "sends"), testing::Pair(3001, "received from worker 0")));
}

// ---- the format ----

std::vector<std::string> wrong(const std::string& events) {
  return wrong_in(Json::parse("{\"traceEvents\": [" + events + "]}"));
}

TEST(TraceFormat, is_broken_by_what_a_viewer_cannot_draw) {
  const std::string span = R"({"ph":"X","pid":0,"tid":1,"name":"a","ts":5,"dur":4})";
  const std::string named = R"({"ph":"M","pid":0,"tid":1,"name":"thread_name","args":{"name":"lane"}},)";
  EXPECT_THAT(wrong(named + span), testing::IsEmpty());
  for (const char* broken :
       {R"({"ph":"X","pid":0,"tid":1,"name":"a","ts":5})", R"({"ph":"X","pid":0,"tid":1,"ts":5,"dur":1})",
        R"({"ph":"X","pid":0,"tid":1,"name":"a","ts":"5","dur":1})", R"({"ph":"?","pid":0,"tid":1,"name":"a","ts":5})",
        R"({"ph":"X","pid":0,"tid":2,"name":"no name of this lane","ts":5,"dur":1})",
        R"({"ph":"i","pid":0,"tid":1,"name":"a","ts":5})", R"({"ph":"C","pid":0,"tid":1,"name":"a","ts":5,"args":{}})",
        R"({"ph":"s","pid":0,"tid":1,"name":"a","cat":"c","id":1,"ts":5})",
        R"({"ph":"X","pid":0,"tid":1,"name":"a","ts":5,"dur":-1})"})
    EXPECT_THAT(wrong(named + broken), testing::Not(testing::IsEmpty())) << broken;
  EXPECT_EQ(wrong(named + span + R"(,{"ph":"X","pid":0,"tid":1,"name":"b","ts":8,"dur":4})").size(), 1u);
  EXPECT_EQ(wrong(named + span + R"(,{"ph":"X","pid":0,"tid":1,"name":"b","ts":4,"dur":0})").size(), 1u);
  EXPECT_THAT(wrong(named + span + R"(,{"ph":"X","pid":0,"tid":1,"name":"b","ts":6,"dur":3})"), testing::IsEmpty());
  const std::string arrow = R"(,{"ph":"s","pid":0,"tid":1,"name":"a","cat":"c","id":1,"ts":6})";
  EXPECT_THAT(
      wrong(named + span + arrow + R"(,{"ph":"f","bp":"e","pid":0,"tid":1,"name":"a","cat":"c","id":1,"ts":7})"),
      testing::IsEmpty());
  EXPECT_EQ(wrong(named + span + arrow + R"(,{"ph":"f","bp":"e","pid":0,"tid":1,"name":"a","cat":"c","id":1,"ts":11})")
                .size(),
            1u);
}

TEST(Trace, names_tasks_with_their_hosts_and_whose_gradient_came) {
  EventLog log;
  log.set_names({"v:0/grad_accum"});
  log.add(1'000, StepBegan{kOther, StepId{1}, Purpose::train});
  log.add(2'000, GradientPushed{kPs, NameId{0u}, StepId{1}, 3, 4, false});
  std::map<std::string, Json> of_ps;
  const Json trace = Json::parse(to_chrome_trace(log, {kTasks.names, {"server", "", "far"}}));
  std::string labelled;
  for (const Json& e : trace["traceEvents"]) {
    if (e["pid"] == 0) of_ps[e["name"]] = e["args"];
    if (e["name"] == "process_labels") labelled += fmt::format("{} ", e["pid"].get<int>());
  }
  EXPECT_EQ(of_ps["process_name"], (Json{{"name", "/job:ps/replica:0/task:0"}}));
  EXPECT_EQ(of_ps["process_sort_index"], (Json{{"sort_index", 0}}));
  EXPECT_EQ(of_ps["process_labels"], (Json{{"labels", "server"}}));
  EXPECT_EQ(
      of_ps["gradient dropped"],
      (Json{{"accumulator", "v:0/grad_accum"}, {"from", "worker 1"}, {"local_step", 3}, {"accumulator_step", 4}}));
  EXPECT_EQ(labelled, "0 2 ");
}

}  // namespace
}  // namespace tarry
