// How far workers of a stale-synchronous job were ahead, from logs written by hand.

#include "results/staleness.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr NameId kDone0{1u}, kDone1{2u}, kTokens0{3u}, kTokens1{4u}, kOtherQueue{5u};

struct Stale : Story {
  Stale() {
    log.set_names(
        {"", "stale_done_q_0", "stale_done_q_1", "stale_token_q_0", "stale_token_q_1", "stale_done_q_0_closed"});
    step(0, kChief, 1).step(0, kOther, 2);
  }
  Stale& put(double t, NameId queue, std::uint64_t id) {
    at(t, Enqueued{kPs, queue, StepId{id}, 0});
    return *this;
  }
  Stale& got(double t, NameId queue, std::uint64_t id) {
    at(t, Dequeued{kPs, queue, StepId{id}, 0});
    return *this;
  }
  [[nodiscard]] StaleStory story() const { return read_staleness(log).value(); }
};

TEST(Staleness, a_worker_has_done_what_it_put_into_its_own_queue) {
  Stale s;
  s.put(1, kDone0, 1).put(2, kDone1, 2).put(3, kDone1, 2).put(3, kOtherQueue, 2).put(3, kTokens0, 2);
  EXPECT_THAT(s.story().done, ElementsAre(1, 2));
}

TEST(Staleness, is_how_many_steps_a_worker_was_ahead_of_the_slowest_when_it_began_one) {
  Stale s;
  s.put(1, kDone1, 2).put(2, kDone0, 1).put(3, kDone1, 2).put(4, kDone1, 2);
  EXPECT_EQ(s.story().farthest, 0);  // no step began since
  EXPECT_EQ((s.step(5, kChief, 3), s.story().farthest), 0);
  EXPECT_EQ((s.step(5, kOther, 4), s.story().farthest), 2);
  s.put(6, kDone0, 3).put(6, kDone0, 3).step(7, kOther, 5);
  EXPECT_EQ(s.story().farthest, 2);
}

TEST(Staleness, counts_from_a_worker_that_never_came) {
  Stale s;
  s.at(0, StepBegan{kChief, StepId{9}, Purpose::local_init});
  s.put(0, kTokens0, 9).put(0, kTokens1, 9);
  s.put(1, kDone0, 1).put(2, kDone0, 1).step(3, kChief, 3);
  EXPECT_THAT(s.story().done, ElementsAre(2, 0));
  EXPECT_EQ(s.story().farthest, 2);
}

TEST(Staleness, workers_wait_from_what_they_put_to_the_token_that_they_get) {
  Stale s;
  s.got(0.5, kTokens0, 1);  // before any step was done: nobody waited
  s.put(1, kDone0, 1).got(3, kTokens0, 1).put(2, kDone1, 2).got(2.5, kTokens1, 2);
  s.put(4, kDone0, 1).got(4.5, kTokens0, 1);
  EXPECT_EQ(s.story().waited, 3 * kSecond);
  s.put(5, kDone0, 1).put(6, kDone1, 2).at(8, LogLine{kChief, 'I', NameId{0u}});
  EXPECT_EQ(s.story().waited, 8 * kSecond) << "both to the end of the run";
  s.at(8, SessionMoved{kOther, SessionStage::left_loop, NameId{0u}}).at(8, ProcessEnded{kChief});
  EXPECT_EQ(s.story().waited, 3 * kSecond) << "who is gone waits no longer";
}

TEST(Staleness, who_waits_for_a_token_waits_no_longer_when_the_step_is_cancelled) {
  const auto waited = [](int code) {
    Stale s;
    s.put(1, kDone0, 1)
        .put(1, kDone1, 2)
        .at(3, StepEnded{kOther, StepId{2}, code})
        .at(8, LogLine{kChief, 'I', NameId{0u}});
    return s.story().waited;
  };
  EXPECT_EQ(waited(0), 14 * kSecond);
  EXPECT_EQ(waited(1), 7 * kSecond);
}

TEST(Staleness, the_bound_is_what_one_session_put_into_one_workers_queue) {
  Stale s;
  s.put(1, kDone0, 1).put(1, kDone1, 2);
  for (const std::uint64_t session : {7, 8}) {
    s.at(1, StepBegan{kChief, StepId{session}, Purpose::local_init});
    for (int i = 0; i < 3; ++i) s.put(1, kTokens0, session).put(1, kTokens1, session);
  }
  EXPECT_EQ(s.put(2, kTokens0, 1).story().bound, 3);
  EXPECT_EQ(s.story().fills, 2u);
}

TEST(Staleness, beyond_the_bound_is_told_with_the_sessions_that_put_initial_tokens_in) {
  const auto told = [](std::uint64_t sessions, int ahead) {
    Stale s;
    s.at(0, SessionMoved{kChief, SessionStage::ready, NameId{0u}});
    s.at(0, SessionMoved{kOther, SessionStage::ready, NameId{0u}});
    for (std::uint64_t i = 7; i < 7 + sessions; ++i) {
      s.at(1, StepBegan{kChief, StepId{i}, Purpose::local_init});
      s.put(1, kTokens0, i).put(1, kTokens1, i);
    }
    s.put(1, kDone1, 2);
    for (int i = 0; i < ahead; ++i) s.put(1, kDone0, 1);
    return s.step(2, kChief, 9).told("stale_synchronous");
  };
  EXPECT_THAT(told(2, 3), HasSubstr("nobody began a step more than 2 ahead of the slowest; 1 is allowed, and the chief "
                                    "put initial tokens in 2 times, once in each of its sessions. worker 0 did"));
  EXPECT_THAT(told(2, 2), HasSubstr("1 is allowed. worker 0 did"));
  EXPECT_THAT(told(1, 3), HasSubstr("1 is allowed. worker 0 did"));
}

TEST(Staleness, of_a_job_without_such_queues_is_none) {
  Stale s;
  s.put(1, kOtherQueue, 1).put(1, kTokens0, 1);
  EXPECT_FALSE(read_staleness(s.log).has_value());
}

}  // namespace
}  // namespace tarry
