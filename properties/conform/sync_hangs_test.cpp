// The recorded time lines of failures: which of them hang, and by which rule (results/by_design.hpp).

#include <gtest/gtest.h>

#include <filesystem>

#include "placer/graph/read.hpp"
#include "properties/conform/checked.hpp"
#include "properties/conform/shipped.hpp"
#include "properties/conform/sync_failures.hpp"
#include "results/by_design.hpp"
#include "results/contributions.hpp"
#include "results/credits.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;

constexpr double kLongPause = 8;  // seconds: no step of any recording takes that long while all is well

std::string stem_of(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename();
  return name.substr(0, name.find('.'));
}

// Of those that hang for good; the others go on, or end.
const std::map<std::string, std::string> kRules = {{"chief_finishes_first_old", "F.6.6"},
                                                   {"ps_dies_for_good", "E.1.1"},
                                                   {"stop_num_steps", "F.6.5"},
                                                   {"worker_leaves_after_10", "F.6.5"}};

// What the recorded workers did: one that had not left made no step for long.
bool hangs(const Json& recorded) {
  std::map<std::string, double> last;
  for (const Json& e : recorded.at("timeline")) {
    const std::string who = e.at(1), what = e.at(2);
    if (what == "step" || what == "session_up") last[who] = e.at(0);
    if (what == "loop_left" || what == "session_closed" || what == "raised") last.erase(who);
  }
  for (const Json& f : recorded.at("faults"))
    if (f.at(2) == "killed") {
      const std::string who = f.at(1);
      std::erase_if(last, [&](const auto& l) { return l.first.starts_with(who) && l.second < f.at(0); });
    }
  const double end = recorded.at("timeline").back().at(0);
  return std::ranges::any_of(last, [&](const auto& l) { return l.second < end - kLongPause; });
}

// Workers of ours that have neither left nor made a step for long.
std::vector<TaskId> standing(const Outcome& o) {
  std::vector<TaskId> still;
  const Credits credits = read_credits(o.log);
  for (const WorkerStory& w : read_contributions(o.log).workers) {
    const WorkerCredit::Phase phase = credits.workers.at(w.task).phase;
    if (phase == WorkerCredit::Phase::over || phase == WorkerCredit::Phase::gone) continue;
    const Nanos last = w.step_ended.empty() ? 0 : w.step_ended.back();
    if (o.log.is_deadlocked || in_seconds(o.log.ended_at - o.log.started_at - last) > kLongPause)
      still.push_back(w.task);
  }
  return still;
}

StatusOr<Job> job_of(const Json& recorded) {
  TARRY_ASSIGN(const RecordedConfig config, read_config(recorded.at("config")));
  TARRY_ASSIGN(Job job, job_of_time_line(recorded, config, kGraphs));
  job.audits = true;
  return job;
}

class RecordedHang : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Sync, RecordedHang, ::testing::ValuesIn(shipped("failures")),
                         [](const auto& info) { return name_of(info); });

TEST_P(RecordedHang, is_one_by_the_rule_that_the_recording_is_known_for) {
  const Json recorded = parse_recording<Json>(read_file(GetParam()).value()).value();
  const auto rule = kRules.find(stem_of(GetParam()));
  EXPECT_EQ(hangs(recorded), rule != kRules.end());
  const Outcome o = run_here(job_of(recorded).value());
  const std::vector<TaskId> still = standing(o);
  EXPECT_EQ(!still.empty(), rule != kRules.end());
  for (const TaskId worker : still) {
    const auto why = why_by_design(o.log, o.audit, o.tasks, worker);
    ASSERT_TRUE(why) << o.tasks.show(worker);
    EXPECT_EQ(why->section, rule->second) << why->sentence;
  }
}

// Until the worker is back.
TEST(RecordedHang, of_a_worker_that_dies_computing_is_one_of_lost_credits_until_it_is_back) {
  const std::string file =
      std::string(TARRY_SOURCE_DIR) + "/properties/conform/data/failures/worker_dies_computing.json.zst";
  const Json recorded = parse_recording<Json>(read_file(file).value()).value();
  Job job = job_of(recorded).value();
  job.stop.time = 17 * kSecond;
  const Outcome o = run_here(job);
  const auto why = why_by_design(o.log, o.audit, o.tasks, TaskId{1u});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->section, "F.6.4");
  EXPECT_NE(why->sentence.find("the process of worker 2 ended at"), std::string::npos) << why->sentence;
}

}  // namespace
}  // namespace tarry
