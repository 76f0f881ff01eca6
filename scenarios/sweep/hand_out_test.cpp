#include "scenarios/sweep/hand_out.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tarry {
namespace {

TEST(HandOut, gives_every_task_once_in_order_while_there_are_any) {
  HandOut work(3);
  EXPECT_EQ(work.next(1), 0);
  EXPECT_EQ(work.next(2), 1);
  EXPECT_TRUE(work.answered(0));
  EXPECT_EQ(work.next(1), 2);
  EXPECT_FALSE(work.all_answered());
}

TEST(HandOut, gives_what_nobody_has_answered_to_another_who_has_nothing_to_do) {
  HandOut work(2);
  (void)work.next(1), (void)work.next(2);
  EXPECT_TRUE(work.answered(1));
  EXPECT_EQ(work.next(2), 0) << "helper 1 may be dead";
  EXPECT_EQ(work.next(2), std::nullopt) << "it has that task";
}

TEST(HandOut, spreads_copies_evenly) {
  HandOut work(3);
  for (const int helper : {1, 2, 3}) (void)work.next(helper);
  EXPECT_EQ(work.next(4), 0);
  EXPECT_EQ(work.next(5), 1);
  EXPECT_EQ(work.next(6), 2);
  EXPECT_EQ(work.next(7), 0);
}

TEST(HandOut, takes_the_first_answer_only) {
  HandOut work(1);
  (void)work.next(1), (void)work.next(2);
  EXPECT_TRUE(work.answered(0));
  EXPECT_TRUE(work.all_answered());
  EXPECT_FALSE(work.answered(0));
}

TEST(HandOut, of_nothing_is_all_answered) {
  HandOut work(0);
  EXPECT_TRUE(work.all_answered());
  EXPECT_EQ(work.next(1), std::nullopt);
}

RC_GTEST_PROP(HandOut, answers_every_task_as_long_as_one_helper_lives, ()) {
  const int helpers = *rc::gen::inRange(1, 6), tasks = *rc::gen::inRange(0, 20);
  HandOut work(tasks);
  std::set<int> alive, done;
  for (int h = 0; h < helpers; ++h) alive.insert(h);
  while (!work.all_answered()) {
    const int helper = *rc::gen::elementOf(std::vector<int>(alive.begin(), alive.end()));
    const auto task = work.next(helper);
    const bool dies = alive.size() > 1 && *rc::gen::inRange(0, 4) == 0;
    if (dies) alive.erase(helper);
    if (!dies && task && work.answered(*task)) RC_ASSERT(done.insert(*task).second);
  }
  RC_ASSERT(std::ssize(done) == tasks);
}

}  // namespace
}  // namespace tarry
