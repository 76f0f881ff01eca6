// What several workers have in common is one verdict, however many they are.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "results/told_story.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kChiefOom[] = "From /job:worker/replica:0/task:0: OOM",
               kOtherOom[] = "From /job:worker/replica:0/task:1: OOM";

// How many verdicts of that kind there are, and what the last says.
std::pair<int, std::string> all_told(const Story& s, std::string_view kind) {
  std::pair<int, std::string> told;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks))
    if (v.kind == kind) ++told.first, told.second = v.text;
  return told;
}

Story both_fail(std::string_view chief_says, std::string_view other_says) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", std::string(chief_says), std::string(other_says)});
  s.at(1, SessionMoved{kChief, SessionStage::failed, NameId{2u}});
  s.at(1, SessionMoved{kOther, SessionStage::failed, NameId{3u}});
  return s;
}

TEST(ToldTogether, are_errors_that_differ_only_in_the_name_of_the_task_that_has_them) {
  const auto [count, text] = all_told(both_fail(kChiefOom, kOtherOom), "failed");
  EXPECT_EQ(count, 1);
  EXPECT_THAT(text, HasSubstr("worker 0 and worker 1 left training at 1.000 s with errors that differ only in the "
                              "task's name; worker 0's: From /job:worker/replica:0/task:0: OOM"));
}

TEST(ToldTogether, are_equal_errors_but_not_errors_of_other_words) {
  EXPECT_THAT(all_told(both_fail(kChiefOom, kChiefOom), "failed").second, HasSubstr("with the same error: From "));
  EXPECT_EQ(all_told(both_fail(kChiefOom, kChiefOom), "failed").first, 1);
  EXPECT_EQ(all_told(both_fail(kChiefOom, "From /job:worker/replica:0/task:1: lost"), "failed").first, 2);
}

TEST(ToldTogether, is_no_task_whose_name_begins_like_that_of_the_client) {
  const std::string of_ten = "From /job:worker/replica:0/task:10: OOM";
  EXPECT_EQ(all_told(both_fail(kChiefOom, of_ten), "failed").first, 2);
}

TEST(ToldTogether, are_workers_whose_gradients_were_dropped) {
  Story s = two_workers();
  for (int i = 0; i < 3; ++i) s.push(1, 1, false).push(1, 2, false);
  const auto [count, text] = all_told(s, "starved");
  EXPECT_EQ(count, 1);
  EXPECT_THAT(text, AllOf(HasSubstr("6 of 6 gradients that worker 0 and worker 1 pushed to v:0 were dropped"),
                          HasSubstr("To do: aggregate more gradients, or take the workers out.")));
}

TEST(ToldTogether, are_more_than_six_by_their_number) {
  TaskNames tasks;
  std::vector<TaskId> workers, all;
  for (unsigned t = 0; t < 8; ++t) {
    tasks.names.push_back(fmt::format("/job:{}/replica:0/task:{}", t < 1 ? "ps" : "worker", t));
    all.push_back(TaskId{t});
    if (t > 0) workers.push_back(TaskId{t});
  }
  const EventLog log;
  const Contributions contributions;
  const Evidence e = read_evidence(log, contributions, tasks);
  EXPECT_EQ(names_of(e, workers), "7 workers");
  EXPECT_EQ(names_of(e, all), "8 tasks");
  workers.pop_back();
  EXPECT_THAT(names_of(e, workers), HasSubstr("worker 5 and worker 6"));
}

TEST(ToldTogether, are_asynchronous_workers_with_as_many_steps) {
  const auto told = [](int last) {
    Story s;
    TaskNames tasks = kTasks;
    std::uint64_t id = 0;
    for (unsigned t = 1; t < 10; ++t) {
      if (t > 2) tasks.names.push_back(fmt::format("/job:worker/replica:0/task:{}", t - 1));
      s.ready(0, TaskId{t});
      for (int n = 0; n < (t == 9 ? last : 2); ++n) ++id, s.step(1, TaskId{t}, id).ended(2, TaskId{t}, id);
    }
    for (const Verdict& v : judge(s.log, s.contributions(), tasks))
      if (v.kind == "asynchronous") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(2), HasSubstr("at its own pace: each of the 9 workers made 2 steps ("));
  EXPECT_THAT(told(3),
              HasSubstr("of 9 workers, worker 0 made 2 steps (0.0), fewest of all, and worker 8 made 3 steps"));
}

}  // namespace
}  // namespace tarry
