// What a run gains over another one, from what both did.

#include <gtest/gtest.h>

#include "scenarios/job/prove.hpp"

namespace tarry {
namespace {

TEST(Gain, of_a_job_that_did_nothing_is_none) {
  const auto gain = [](std::int64_t done, bool stands_still) {
    Proof p;
    set_gain(p, {.done = done, .time = kSecond, .stands_still = stands_still},
             {.done = 4, .time = kSecond, .stands_still = true});
    return p.gain;
  };
  EXPECT_EQ(gain(0, true), 0);
  EXPECT_EQ(gain(2, true), 0.5);
  EXPECT_EQ(gain(0, false), 0);
}

// One of two that stand still does more before, or as much sooner; one that ended did less.
TEST(Gain, is_of_work_or_of_time_and_none_where_less_was_done) {
  const auto proof = [](std::int64_t done, Nanos progressed, bool stands_still) {
    Proof p{.cause = Proof::Cause::faults};
    set_gain(p, {.done = 4, .time = 13, .stands_still = true, .progressed = 2},
             {.done = done, .time = 13, .stands_still = stands_still, .progressed = progressed});
    return p;
  };
  EXPECT_TRUE(proof(8, 4, true).does_more);
  EXPECT_FALSE(proof(4, 1, true).does_more);
  EXPECT_FALSE(proof(2, 1, true).does_more) << "it gains nothing";
  EXPECT_EQ(proof(2, 1, false).gain, 0);
  EXPECT_TRUE(proof(8, 4, false).goes_on);
}

// In a second, at one pace.
WorkDone steps(std::int64_t left, std::int64_t lost) {
  WorkDone w{.done = left, .time = kSecond, .lost = lost};
  for (std::int64_t i = 1; i <= left + lost; ++i) w.with_lost.push_back(kSecond * i / (left + lost));
  return w;
}

// Of one run 3 steps are left, and 16 were lost; the other one did one more.
TEST(Gain, counts_what_was_lost_as_well_but_of_causes_that_lose_it) {
  const auto gain = [](Proof::Cause cause, const WorkDone& base, const WorkDone& with) {
    Proof p{.cause = cause};
    set_gain(p, base, with);
    return p.gain;
  };
  const WorkDone base = steps(3, 16), more = steps(4, 16), all = steps(20, 0);
  EXPECT_NEAR(gain(Proof::Cause::latency, base, more), 0.05, 1e-9);
  for (const auto cause : {Proof::Cause::faults, Proof::Cause::checkpoints, Proof::Cause::chiefs})
    EXPECT_DOUBLE_EQ(gain(cause, base, more), 0.25);
  EXPECT_DOUBLE_EQ(gain(Proof::Cause::faults, base, all), 0.85);
  EXPECT_DOUBLE_EQ(gain(Proof::Cause::faults, steps(0, 16), all), 0.2);
}

// Five were done in 22 s, the last after a pause of 20 s; the other run had done five before that pause. Then both
// paused until they were cut off.
TEST(Gain, is_no_larger_than_that_of_all_that_both_did) {
  Proof p;
  set_gain(
      p, {.done = 5, .time = 30 * kSecond, .cut_off_at = 30 * kSecond},
      {.done = 6, .time = 30 * kSecond, .moments = {kSecond, kSecond, kSecond, kSecond, 2 * kSecond, 22 * kSecond}});
  EXPECT_NEAR(p.gain, 1.0 / 6, 1e-9);
}

// The other run has six where this one has four, and had four at 7 s: a pause made it late.
TEST(Gain, is_of_the_time_in_which_the_other_run_did_as_much) {
  Proof p;
  set_gain(p, {.done = 4, .time = 8 * kSecond},
           {.done = 6,
            .time = 8 * kSecond,
            .moments = {kSecond / 2, 5 * kSecond, 6 * kSecond, 7 * kSecond, 15 * kSecond / 2, 8 * kSecond}});
  EXPECT_DOUBLE_EQ(p.gain, 0.125);
}

// Four were done before something stopped training from 5 s to 35 s, and two after it. What of it the other run is
// given depends on what that had done before 5 s.
WorkDone with_standstill(const std::vector<Nanos>& moments, bool stands_still = false) {
  const Nanos last = moments.back();
  return {.done = std::ssize(moments),
          .time = last,
          .stands_still = stands_still,
          .progressed = last,
          .moments = moments,
          .standstills = {{5 * kSecond, 35 * kSecond}},
          .has_faults = true};
}
const std::vector<Nanos> kSlowly = {kSecond, 2 * kSecond, 3 * kSecond, 4 * kSecond, 35 * kSecond, 36 * kSecond};

double gain_without_load(const WorkDone& base, const WorkDone& with) {
  Proof p{.cause = Proof::Cause::network};
  set_gain(p, base, with);
  return p.gain;
}

TEST(Gain, holds_no_standstill_that_the_other_run_has_as_well_after_as_much) {
  const std::vector<Nanos> quickly = {kSecond / 2,     kSecond,     3 * kSecond / 2, 2 * kSecond,
                                      5 * kSecond / 2, 3 * kSecond, 7 * kSecond / 2, 35 * kSecond};
  for (const bool stands_still : {false, true})
    EXPECT_DOUBLE_EQ(gain_without_load(with_standstill(kSlowly, stands_still), with_standstill(quickly, stands_still)),
                     3.0 / 36);
  WorkDone over_before = with_standstill({kSecond / 2, kSecond, kSecond, 2 * kSecond, 2 * kSecond, 3 * kSecond});
  over_before.standstills.clear();
  EXPECT_DOUBLE_EQ(gain_without_load(with_standstill(kSlowly), over_before), 3.0 / 36);
}

TEST(Gain, holds_a_standstill_that_the_other_run_did_not_have) {
  WorkDone goes_on = with_standstill({kSecond, 2 * kSecond, 3 * kSecond, 4 * kSecond, 11 * kSecond, 12 * kSecond});
  goes_on.standstills.clear();
  EXPECT_DOUBLE_EQ(gain_without_load(with_standstill(kSlowly), goes_on), 24.0 / 36);
  goes_on.standstills = {{8 * kSecond, 11 * kSecond}};
  EXPECT_DOUBLE_EQ(gain_without_load(with_standstill(kSlowly), goes_on), 24.0 / 36) << "it was over sooner";
}

TEST(Gain, of_a_job_that_took_no_time_is_none) {
  Proof p;
  set_gain(p, {.done = 4, .time = 0}, {.done = 4, .time = 0});
  EXPECT_EQ(p.gain, 0);
}

TEST(Gain, of_a_job_that_stands_still_as_well_does_not_depend_on_when_its_run_ended) {
  const auto gain = [](std::int64_t done, Nanos ended, Nanos progressed) {
    Proof p;
    set_gain(p, {.done = 4, .time = 13, .stands_still = true, .progressed = 2},
             {.done = done, .time = ended, .stands_still = true, .progressed = progressed});
    return p.gain;
  };
  EXPECT_EQ(gain(4, 3, 2), 0);
  EXPECT_EQ(gain(4, 100, 2), 0);
  EXPECT_EQ(gain(4, 3, 1), 0.5) << "it did the same sooner";
  EXPECT_EQ(gain(8, 3, 2), 0.5) << "it did more";
  EXPECT_EQ(gain(2, 13, 1), -1) << "it did less, at the same pace or a higher one";
  EXPECT_EQ(gain(8, 13, 4), 0.5) << "it did more, at the same pace";
}

// Both end early, and the other one does ten times as much by then, since a worker gets more of the others' data.
TEST(Gain, of_a_load_is_of_time_where_a_race_lets_a_job_that_ends_early_do_more) {
  const auto gain = [](Proof::Cause cause) {
    Proof p{.cause = cause};
    set_gain(p, {.done = 4, .time = 8, .stands_still = true, .progressed = 8},
             {.done = 40, .time = 60, .stands_still = true, .progressed = 60});
    return p.gain;
  };
  for (const auto cause : {Proof::Cause::latency, Proof::Cause::slow_worker}) EXPECT_DOUBLE_EQ(gain(cause), 0.25);
  for (const auto cause : {Proof::Cause::faults, Proof::Cause::data, Proof::Cause::tokens})
    EXPECT_DOUBLE_EQ(gain(cause), 0.9);
}

// Both end early: the other one a little earlier, since its workers come to their last steps in another order.
TEST(Gain, of_a_load_is_of_what_both_did_where_a_job_that_ends_early_did_nearly_as_much) {
  WorkDone base{.done = 20, .time = 2000, .stands_still = true, .progressed = 2000};
  for (Nanos i = 1; i <= 20; ++i) base.moments.push_back(100 * i);
  const auto gain = [&](Proof::Cause cause, std::int64_t done, Nanos progressed) {
    Proof p{.cause = cause};
    set_gain(p, base, {.done = done, .time = progressed, .stands_still = true, .progressed = progressed});
    return p.gain;
  };
  EXPECT_DOUBLE_EQ(gain(Proof::Cause::slow_worker, 18, 900), 0.5);
  EXPECT_LT(gain(Proof::Cause::slow_worker, 17, 850), 0) << "that is much less";
  EXPECT_LT(gain(Proof::Cause::faults, 18, 900), 0) << "and without a fault other work was done";
  std::ranges::fill(base.moments, 0);
  EXPECT_LT(gain(Proof::Cause::slow_worker, 18, 900), 0) << "nothing is known of what took no time";
}

TEST(Gain, is_that_a_job_goes_on_where_it_does_as_much_and_does_not_stand_still) {
  const auto goes_on = [](std::int64_t done, bool stands_still) {
    Proof p;
    set_gain(p, {.done = 3, .time = kSecond, .stands_still = true},
             {.done = done, .time = kSecond, .stands_still = stands_still});
    return p.goes_on;
  };
  EXPECT_TRUE(goes_on(3, false));
  EXPECT_FALSE(goes_on(2, false));
  EXPECT_FALSE(goes_on(3, true));
}

}  // namespace
}  // namespace tarry
