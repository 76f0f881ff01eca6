// What is said of cures that were tried, from results written by hand.

#include "scenarios/file/tried_cures.hpp"

#include <gtest/gtest.h>

namespace tarry {
namespace {

TEST(TriedCures, are_in_words_what_they_gain) {
  TriedCures all{.done = 10, .lost = 5};
  TriedCure c{.verdict = "uneven", .done = 10, .lost = 5};
  EXPECT_EQ(result_in_words(all, c), "no less time");
  EXPECT_FALSE(all.helps(c));
  c.gain.gain = 0.125;
  EXPECT_EQ(result_in_words(all, c), "12.5 % less time");
  EXPECT_TRUE(all.helps(c));
  c.unlike = " for as many aggregates of 2 gradients";
  EXPECT_EQ(result_in_words(all, c), "12.5 % less time for as many aggregates of 2 gradients");
  c.unlike = "", c.gain.gain = -0.2, c.gone = true;
  EXPECT_EQ(result_in_words(all, c), "20.0 % more time, uneven is gone");
  EXPECT_TRUE(all.helps(c));
  c.gone = false, c.lost = 1;
  EXPECT_EQ(result_in_words(all, c), "20.0 % more time, 1 global step lost in place of 5, uneven stays");
  EXPECT_TRUE(all.helps(c));
  all.done = 0, c = {.verdict = "no_aggregate", .done = 3, .lost = 5};
  c.gain.gain = 1;
  EXPECT_EQ(result_in_words(all, c), "3 aggregates left in place of none") << "others were done, and lost";
  all.lost = c.lost = 0, c.unlike = " for as many";
  EXPECT_EQ(result_in_words(all, c), "3 aggregates in place of none for as many");
  all.are_steps = true, c.done = 1;
  EXPECT_EQ(result_in_words(all, c), "1 step in place of none for as many");
}

TEST(TriedCures, after_which_a_job_still_fails_help_where_what_they_are_for_is_gone) {
  TriedCures all{.done = 3, .hangs = true};
  TriedCure c{.verdict = "stuck", .done = 10, .hangs = true, .gone = true};
  EXPECT_TRUE(all.helps(c));
  EXPECT_EQ(result_in_words(all, c), "stuck is gone (10 aggregates in place of 3), and the job hangs or fails later");
  c.done = 3;
  EXPECT_FALSE(all.helps(c)) << "no more was done";
  c.done = 10, c.gone = false, c.gain.gain = 0.25;
  EXPECT_FALSE(all.helps(c)) << "it is still stuck";
  EXPECT_EQ(result_in_words(all, c), "the job hangs or fails all the same (10 aggregates in place of 3)");
  all.done = 10, c.done = 11;
  EXPECT_EQ(result_in_words(all, c), "the job hangs or fails as without it");
  c.is_of_time = true;
  EXPECT_TRUE(all.helps(c)) << "its verdict says that the same work takes less time";
  EXPECT_EQ(result_in_words(all, c), "25.0 % less time, and the job hangs or fails later as without it");
  c.gain.gain = 0;
  EXPECT_FALSE(all.helps(c));
  all.hangs = false, c.gone = true;
  EXPECT_FALSE(all.helps(c)) << "the job did not hang before";
}

TEST(TriedCures, that_take_much_longer_or_make_the_job_fail_do_not_help) {
  TriedCures all{.done = 3, .lost = 5};
  TriedCure c{.verdict = "stalled", .done = 3, .gone = true};
  EXPECT_TRUE(all.helps(c));
  c.gain.gain = -0.49;
  EXPECT_TRUE(all.helps(c));
  c.gain.gain = -0.5;
  EXPECT_FALSE(all.helps(c));
  EXPECT_EQ(result_in_words(all, c), "50.0 % more time, 0 global steps lost in place of 5, stalled is gone");
  all.hangs = c.gain.goes_on = true;
  EXPECT_TRUE(all.helps(c)) << "longer than a hang is no harm";
  all.hangs = false, c.gain = {}, c.brings = {"uneven"};
  EXPECT_TRUE(all.helps(c));
  c.brings = {"no_aggregate"};
  EXPECT_FALSE(all.helps(c));
}

TEST(TriedCures, after_which_a_job_still_fails_help_where_less_progress_is_lost) {
  TriedCures all{.done = 3, .lost = 30, .hangs = true};
  TriedCure c{.verdict = "progress_lost", .done = 3, .hangs = true, .lost = 7, .gone = false};
  EXPECT_TRUE(all.helps(c));
  EXPECT_EQ(result_in_words(all, c), "7 global steps lost in place of 30, and the job hangs or fails as without it");
  c.done = 2;
  EXPECT_FALSE(all.helps(c)) << "it hangs earlier";
  c.done = 3, c.lost = 30;
  EXPECT_FALSE(all.helps(c)) << "as many are lost";
  c.lost = 7, c.verdict = "stuck";
  EXPECT_FALSE(all.helps(c)) << "it is still stuck";
}

}  // namespace
}  // namespace tarry
