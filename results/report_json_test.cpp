// A report as JSON, to the last field.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/report.hpp"
#include "results/told_story.hpp"

namespace tarry {
namespace {

using Json = nlohmann::ordered_json;

// Two accumulators: the gradients of both workers are taken from the first, the second holds one and dropped one.
Story two_accumulators() {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "w:0/grad_accum"});
  s.push(1, 1).push(1, 2).aggregate(1.5).ended(2, kChief, 1).ended(3, kOther, 2);
  s.step(3, kChief, 3).at(3.5, GradientPushed{kPs, NameId{3u}, StepId{3}, 0, 0, true});
  s.at(3.5, GradientPushed{kPs, NameId{3u}, StepId{3}, 0, 0, false}).ended(4, kChief, 3);
  s.step(4, kChief, 4).ended(9, kChief, 4).at(9, ScalarAssigned{kPs, kGlobalStep, StepId{99}, 7});
  return s;
}

Report full_report() {
  Report r{.title = "TITLE", .hash = "HASH", .flow_engine = "shared", .events = 11, .seed = 5, .time = 9 * kSecond};
  const Story s = two_accumulators();
  r.contributions = s.contributions(), r.tasks = kTasks;
  r.verdicts = {{"fair", "ALL WELL."}};
  r.breaches = std::vector<Breach>{{"finish", "LATE."}};
  r.proofs = {{.what = "WHAT", .instead = "with more", .gain = 0.25, .goes_on = true}};
  r.devices = {{"ps 0 CPU:0", 1'500'000'000, 7, 4, 10, 20}};
  r.links = {{"a", "b", 100, 3, 0, 1}, {"b", "a", 50, 2}};
  r.notes = {"NOTE"};
  r.costs = {1, 2, 3, 4};
  r.unpriced = {{"MatMul", 6}};
  return r;
}

const char* const kExpected = R"({
  "title": "TITLE", "hash": "HASH", "seed": 5, "time_s": 9.0, "events": 11, "flow_engine": "shared",
  "verdicts": [{"kind": "fair", "text": "ALL WELL."}],
  "broken": [{"property": "finish", "text": "LATE."}],
  "what_if": [{"cause": "WHAT", "instead": "with more", "gain": 0.25, "goes_on": true}],
  "aggregates": [{"step": 1, "by_worker": [1, 1], "at_s": 1.5}],
  "accumulators": [
    {"name": "v:0/grad_accum", "variable": "v:0", "dropped": [0, 0], "left": [0, 0],
     "aggregates": [{"step": 1, "by_worker": [1, 1], "at_s": 1.5}]},
    {"name": "w:0/grad_accum", "variable": "w:0", "dropped": [1, 0], "left": [1, 0], "aggregates": []}],
  "workers": [
    {"task": "/job:worker/replica:0/task:0", "steps": 3, "accepted": 1, "dropped": 0, "tokens": [],
     "step_times": {"mean_s": 3.5, "median_s": 5.0, "p95_s": 5.0}},
    {"task": "/job:worker/replica:0/task:1", "steps": 1, "accepted": 1, "dropped": 0, "tokens": [],
     "step_times": null}],
  "global_step": 7,
  "devices": [{"device": "ps 0 CPU:0", "kernels": 7, "busy_s": 1.5, "peak_bytes": 10, "memory_bytes": 20}],
  "costs": {"scenario": 1, "measured": 2, "roofline": 3, "default": 4, "default_ops": {"MatMul": 6}},
  "links": [{"from": "a", "to": "b", "messages": 3, "bytes": 100, "from_nic": 0, "to_nic": 1},
            {"from": "b", "to": "a", "messages": 2, "bytes": 50}],
  "notes": ["NOTE"]
})";

TEST(ReportAsJson, has_every_field_in_this_order) {
  EXPECT_EQ(to_json(full_report()).dump(1), Json::parse(kExpected).dump(1));
}

TEST(ReportAsJson, of_an_asynchronous_run_has_no_gradients_and_leaves_out_what_was_not_asked_for) {
  Report r = full_report();
  r.contributions.accumulators.clear();
  r.breaches.reset(), r.flow_engine.clear();
  const Json j = to_json(r);
  EXPECT_EQ(j["aggregates"], Json::array());
  EXPECT_EQ(j["accumulators"], Json::array());
  EXPECT_EQ(j["workers"][0]["accepted"], 0);
  EXPECT_FALSE(j.contains("broken"));
  EXPECT_FALSE(j.contains("flow_engine"));
}

TEST(ReportAsJson, has_the_middle_of_a_workers_step_times_however_they_came) {
  Report r;
  r.tasks = kTasks;
  WorkerStory w{.task = kChief};
  w.step_times = {9 * kSecond, 3 * kSecond, kSecond, 2 * kSecond};
  r.contributions.workers = {w};
  EXPECT_EQ(to_json(r)["workers"][0]["step_times"], Json({{"mean_s", 2.0}, {"median_s", 2.0}, {"p95_s", 3.0}}))
      << "the first step is left out";
}

}  // namespace
}  // namespace tarry
