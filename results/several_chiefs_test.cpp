// What is said of workers that take themselves for the chief.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr TaskId kFirstChief{1u}, kSecondChief{2u};
constexpr NameId kOtherAccumulator{3u}, kTokenQueue{4u};

// Two workers train; each of the chiefs prepares training, puts two tokens, and begins a sync step: 10 and 11.
Story with_chiefs(const std::vector<TaskId>& chiefs) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "w:0/grad_accum", "sync_token_q"});
  std::uint64_t id = 10;
  for (const TaskId chief : chiefs) {
    s.at(0, StepBegan{chief, StepId{id + 10}, Purpose::init}).at(0, StepEnded{chief, StepId{id + 10}, 0});
    s.at(0, SyncPlanned{chief, 2, 2, 2}).at(0, StepBegan{chief, StepId{id + 20}, Purpose::init_tokens});
    for (int token = 0; token < 2; ++token) s.at(0, Enqueued{kPs, kTokenQueue, StepId{id + 20}, 0});
    s.at(0, StepEnded{chief, StepId{id + 20}, 0});
    s.at(0, StepBegan{chief, StepId{id}, Purpose::sync});
    for (const NameId accumulator : {kAccumulator, kOtherAccumulator})
      s.at(0, TakeIssued{kPs, accumulator, StepId{id}, 2});
    ++id;
  }
  s.ready(0, kFirstChief).ready(0, kSecondChief).step(0, kFirstChief, 1).step(0, kSecondChief, 2);
  return s;
}

Story& take(Story& s, double t, NameId accumulator, std::uint64_t step) {
  for (const std::uint64_t worker : {1u, 2u}) s.at(t, GradientPushed{kPs, accumulator, StepId{worker}, 0, 0, true});
  return s.at(t, AggregateTaken{kPs, accumulator, StepId{step}, 2, 1});
}

TEST(SeveralChiefs, are_named_with_what_each_of_them_did) {
  Story s = with_chiefs({kFirstChief, kSecondChief});
  const std::string told = take(s, 1, kAccumulator, 11).told("several_chiefs");
  EXPECT_THAT(
      told, HasSubstr("worker 0 and worker 1 take themselves for the chief. Each of them initialised or restored the"));
  EXPECT_THAT(told, HasSubstr("initial tokens into the queue, 4 together"));
  EXPECT_THAT(told, HasSubstr("of v:0 they took: worker 0 0, worker 1 1. 0 gradients were dropped as stale. To do: "
                              "let one worker alone be the chief (is_chief=True)."));
}

TEST(SeveralChiefs, are_no_chief_that_comes_back) {
  Story s = with_chiefs({kFirstChief});
  EXPECT_EQ(take(s, 1, kAccumulator, 10).told("several_chiefs"), "");
  s.at(2, SyncPlanned{kFirstChief, 2, 2, 2});
  EXPECT_EQ(s.told("several_chiefs"), "");
}

TEST(SeveralChiefs, are_each_told_with_what_they_did_where_another_one_hands_out_tokens) {
  const auto told = [](Story s) {
    take(s, 1, kAccumulator, 10);
    take(s, 1, kOtherAccumulator, 10);
    s.at(3, ProcessEnded{kSecondChief});
    return s.at(60, StepBegan{kFirstChief, StepId{3}, Purpose::train}).told("stuck");
  };
  const std::string alone = "its sync thread takes the aggregates and hands out the tokens, and nobody else does";
  EXPECT_THAT(told(with_chiefs({kSecondChief})), HasSubstr(alone));
  EXPECT_THAT(told(with_chiefs({kFirstChief, kSecondChief})), HasSubstr("did not come back (while it"));
  EXPECT_THAT(told(with_chiefs({kSecondChief})), HasSubstr("To do: restart worker 1, the chief, and save checkpoints"));
  EXPECT_THAT(told(with_chiefs({kFirstChief, kSecondChief})),
              HasSubstr("To do: restart worker 1, one of the chiefs, and save checkpoints"));
  Story left = with_chiefs({kFirstChief, kSecondChief});
  left.at(1, SessionMoved{kFirstChief, SessionStage::left_loop, kNoDetail});
  EXPECT_THAT(told(std::move(left)), HasSubstr(alone));
}

TEST(SeveralChiefs, cost_what_a_run_with_one_of_them_shows) {
  const Story s = with_chiefs({kFirstChief, kSecondChief});
  const std::vector<Proof> proofs{
      {.cause = Proof::Cause::chiefs, .instead = "with one worker as the chief", .gain = .5}};
  EXPECT_THAT(judge(s.log, s.contributions(), kTasks, proofs).front().text,
              HasSubstr("Run again with one worker as the chief (same seed), the same work takes 50.0 % less time."));
}

TEST(SeveralChiefs, do_not_hang_by_this_where_one_has_all_of_them) {
  Story s = with_chiefs({kFirstChief, kSecondChief});
  take(s, 1, kAccumulator, 10), take(s, 1, kOtherAccumulator, 10), take(s, 2, kAccumulator, 11);
  s.log.is_deadlocked = true;
  EXPECT_THAT(s.told("stuck"), Not(HasSubstr("several chiefs")));
}

TEST(SeveralChiefs, hang_where_each_has_some_of_the_aggregates_of_a_step) {
  const auto stuck = [](std::uint64_t first, std::uint64_t second) {
    Story s = with_chiefs({kFirstChief, kSecondChief});
    take(s, 1, kAccumulator, first), take(s, 1, kOtherAccumulator, second);
    s.log.is_deadlocked = true;
    return s.told("stuck");
  };
  EXPECT_THAT(stuck(10, 11), HasSubstr("of those of 2 variables that of worker 0 has 1, that of worker 1 has 1."));
  EXPECT_THAT(stuck(10, 10), Not(HasSubstr("several chiefs")));
  Story none = with_chiefs({kFirstChief, kSecondChief});  // the second one has taken none
  take(none, 1, kAccumulator, 10).log.is_deadlocked = true;
  EXPECT_THAT(none.told("stuck"), Not(HasSubstr("several chiefs")));
}

}  // namespace
}  // namespace tarry
