// What a job must keep to: each property broken, and kept by its healthy twin.

#include "results/must.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Breach> broken(const Story& s, const Must& must, const WorkDone* without = nullptr,
                           const WorkDone* done = nullptr) {
  const Contributions c = s.contributions();
  const Evidence e = read_evidence(s.log, c, kTasks);
  return breaches(must, e, judge(s.log, c, kTasks), done != nullptr ? *done : work_done(e, std::nullopt), without);
}

std::string told(const std::vector<Breach>& all) {
  std::string text;
  for (const Breach& b : all) text += b.property + ": " + b.text + "\n";
  return text;
}

// Aggregates of both workers at those seconds; the run ends at 10 s.
Story aggregates_at(std::initializer_list<double> times) {
  Story s = two_workers();
  std::uint64_t step = 1;
  for (const double t : times) {
    s.push(t, step).push(t, step + 1).aggregate(t).ended(t, kChief, step).ended(t, kOther, step + 1);
    step += 2;
    s.step(t, kChief, step).step(t, kOther, step + 1).take(t, 2);
  }
  s.log.ended_at = 10 * kSecond;
  return s;
}

TEST(MustProgress, tells_the_longest_time_without_an_aggregate_the_end_included) {
  const Story s = aggregates_at({1, 2, 6, 7});
  EXPECT_EQ(told(broken(s, {.progress = 4 * kSecond})), "");
  EXPECT_EQ(told(broken(s, {.progress = 4 * kSecond - 1})),
            "progress: No aggregate was complete for 4.000 s, from 2.000 s to 6.000 s; 4.000 s are allowed.\n");
  EXPECT_THAT(told(broken(aggregates_at({1, 2}), {.progress = 4 * kSecond})),
              HasSubstr("for 8.000 s, from 2.000 s to 10.000 s"));
}

TEST(MustProgress, is_broken_where_nothing_is_left_to_happen_however_early_the_run_ends) {
  Story s = aggregates_at({1, 2});
  s.log.ended_at = 3 * kSecond;
  EXPECT_EQ(told(broken(s, {.progress = 60 * kSecond})), "");
  s.log.is_deadlocked = true;
  EXPECT_EQ(told(broken(s, {.progress = 60 * kSecond})),
            "progress: No aggregate was complete after 2.000 s, and none ever will; 60.000 s are allowed.\n");
}

TEST(MustProgress, of_a_job_that_aggregates_nothing_is_that_of_steps) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).ended(3, kChief, 1).step(3, kChief, 2).ended(4, kChief, 2);
  EXPECT_THAT(told(broken(s, {.progress = 2 * kSecond})), HasSubstr("No step ended for 3.000 s, from 0.000 s"));
  EXPECT_THAT(broken(s, {.progress = 3 * kSecond}), IsEmpty());
}

TEST(MustFinish, tells_a_run_that_lasts_longer_and_one_that_stands_still) {
  const Story s = aggregates_at({1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(told(broken(s, {.finish = 10 * kSecond})), "");
  EXPECT_EQ(told(broken(s, {.finish = 10 * kSecond - 1})), "finish: Training was not over at 10.000 s.\n");
  Story hangs = aggregates_at({1, 2});
  hangs.log.is_deadlocked = true;
  EXPECT_THAT(told(broken(hangs, {.finish = 20 * kSecond})), HasSubstr("and never would be: it stood still."));
}

TEST(MustLostSteps, adds_all_setbacks) {
  Story s = two_workers();
  for (const std::int64_t value : {5, 3, 4, 1}) s.at(1, ScalarAssigned{kPs, kGlobalStep, StepId{7}, value});
  EXPECT_EQ(told(broken(s, {.lost_steps = 5})), "");
  EXPECT_EQ(told(broken(s, {.lost_steps = 4})), "lost_steps: The global step went back by 5 in all; 4 are allowed.\n");
}

TEST(MustDropped, is_a_share_of_the_gradients_that_came) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2, false).push(1, 1).push(1, 1);
  EXPECT_EQ(told(broken(s, {.dropped = Share{2'500}})), "");
  EXPECT_EQ(told(broken(s, {.dropped = Share{2'499}})),
            "dropped: 1 of 4 gradients were dropped (25 %); 24.99 % are allowed.\n");
}

TEST(MustDropped, says_that_it_counts_the_gradients_of_all_variables) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "w:0/grad_accum"});
  s.push(1, 1).push(1, 2, false).at(1, GradientPushed{kPs, NameId{3u}, StepId{1}, 0, 0, true});
  EXPECT_EQ(told(broken(s, {.dropped = Share{0}})),
            "dropped: 1 of 3 gradients of 2 variables together were dropped (33.33 %); 0 % are allowed.\n");
}

TEST(MustDropped, is_held_against_what_was_dropped_and_not_against_a_rounded_share) {
  Story s = two_workers();
  s.push(1, 2, false);
  for (int i = 0; i < 14; ++i) s.push(1, 1);
  EXPECT_THAT(told(broken(s, {.dropped = Share{666}})), HasSubstr("(6.67 %); 6.66 % are allowed"));
  EXPECT_EQ(told(broken(s, {.dropped = Share{667}})), "");
  for (int i = 0; i < 14; ++i) s.push(1, 1);
  s.push(1, 2, false).push(1, 1);
  EXPECT_EQ(told(broken(s, {.dropped = Share{667}})), "");  // 2 of 31
  Story third = two_workers();
  third.push(1, 1).push(1, 1).push(1, 2, false);
  EXPECT_THAT(told(broken(third, {.dropped = Share{3'333}})), HasSubstr("(33.333333 %); 33.33 % are allowed"));
}

// The chief brings two gradients of the first aggregate, both bring one of the second.
Story chief_brings_three_of_four() {
  Story s = two_workers();
  s.push(1, 1).push(1, 1).aggregate(1).take(1, 2).push(2, 1).push(2, 2).aggregate(2);
  return s;
}

TEST(MustShare, is_asked_of_every_worker_that_lives_since_its_process_began) {
  const Story s = chief_brings_three_of_four();
  EXPECT_EQ(told(broken(s, {.share = Share{2'500}})), "");
  EXPECT_EQ(told(broken(s, {.share = Share{2'600}})),
            "share: worker 1 brought 1 of 4 aggregated gradients since 0.000 s (25 %); at least 26 % is asked for.\n");
  Story dead = chief_brings_three_of_four(), back = chief_brings_three_of_four();
  dead.at(3, ProcessEnded{kOther});
  EXPECT_EQ(told(broken(dead, {.share = Share{2'600}})), "");
  back.at(3, ProcessEnded{kOther}).at(4, ProcessBegan{kOther, 1}).ready(4, kOther).step(4, kOther, 9).take(4, 2);
  back.push(5, 9).push(5, 1).aggregate(5);
  EXPECT_EQ(told(broken(back, {.share = Share{5'000}})), "");
  EXPECT_THAT(told(broken(back, {.share = Share{5'001}})), HasSubstr("worker 1 brought 1 of 2"));
}

// Three steps of the chief's that end at 1, 2 and 3 s, and one of the other's that has begun.
Story three_steps() {
  Story s;
  s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 9);
  s.ended(1, kChief, 1).step(1, kChief, 2).ended(2, kChief, 2).step(2, kChief, 3).ended(3, kChief, 3);
  return s;
}

TEST(MustShare, of_a_job_that_aggregates_nothing_is_one_of_the_steps) {
  Story s = three_steps(), back = three_steps();
  s.ended(4, kOther, 9);
  EXPECT_EQ(told(broken(s, {.share = Share{2'500}})), "");
  EXPECT_EQ(told(broken(s, {.share = Share{2'501}})),
            "share: worker 1 brought 1 of 4 steps since 0.000 s (25 %); at least 25.01 % is asked for.\n");
  back.at(3, ProcessEnded{kOther}).at(3, ProcessBegan{kOther, 1}).ready(3, kOther);
  back.step(3, kOther, 10).ended(4, kOther, 10);
  EXPECT_EQ(told(broken(back, {.share = Share{5'000}})), "");
  EXPECT_EQ(told(broken(back, {.share = Share{5'001}})),
            "share: worker 1 brought 1 of 2 steps since 3.000 s (50 %); at least 50.01 % is asked for.\n")
      << "the chief's step that ended at 3 s counts";
}

TEST(MustShare, is_asked_of_workers_that_left_as_they_were_told_to) {
  const auto left = [](const char* why) {
    Story s = chief_brings_three_of_four();
    s.log.set_names({"v:0/grad_accum", "global_step", "", why});
    return told(broken(s.at(3, SessionMoved{kOther, SessionStage::left_loop, NameId{3u}}), {.share = Share{2'600}}));
  };
  EXPECT_THAT(left(""), HasSubstr("worker 1 brought 1 of 4"));
  EXPECT_EQ(left("sync_token_q is closed"), "");
}

TEST(MustShare, is_of_the_time_until_a_worker_left_as_it_was_told_to) {
  Story s = chief_brings_three_of_four();
  s.at(3, SessionMoved{kOther, SessionStage::left_loop, kNoDetail});
  s.take(3, 2).push(4, 1).push(4, 1).aggregate(4);
  EXPECT_EQ(told(broken(s, {.share = Share{2'500}})), "");
  EXPECT_THAT(told(broken(s, {.share = Share{2'600}})), HasSubstr("worker 1 brought 1 of 4"));
  s.ready(5, kOther);
  EXPECT_EQ(told(broken(s, {.share = Share{1'600}})), "") << "it is back";
  EXPECT_THAT(told(broken(s, {.share = Share{1'700}})), HasSubstr("worker 1 brought 1 of 6"));
}

TEST(MustThroughput, is_compared_with_the_run_without_faults) {
  const Story s = aggregates_at({1, 2, 3, 4, 5});
  const WorkDone twice{10, 5 * kSecond, false}, same{5, 5 * kSecond, false};
  EXPECT_EQ(told(broken(s, {.throughput = Share{5'000}}, &twice)), "");
  EXPECT_EQ(told(broken(s, {.throughput = Share{10'000}}, &same)), "");
  EXPECT_EQ(told(broken(s, {.throughput = Share{5'001}}, &twice)),
            "throughput: Training went at 50 % of its pace without faults; at least 50.01 % is asked for.\n");
  EXPECT_EQ(told(broken(s, {.throughput = Share{10'000}})), "");
}

// A chief that closes its session waits for two minutes.
TEST(MustThroughput, of_a_run_whose_workers_left_is_of_the_time_until_its_last_aggregate) {
  const Story s = aggregates_at({1, 2, 3, 4, 5});
  const WorkDone without{10, 10 * kSecond, false};
  WorkDone done{
      .done = 9, .time = 120 * kSecond, .stands_still = true, .left_waiting = true, .progressed = 9 * kSecond};
  const auto at_full_pace = [&] { return told(broken(s, {.throughput = Share{10'000}}, &without, &done)); };
  EXPECT_EQ(at_full_pace(), "");
  done.done = 8;
  EXPECT_THAT(at_full_pace(), HasSubstr("throughput")) << "not nearly as much";
  done.done = 9, done.left_waiting = false;
  EXPECT_THAT(at_full_pace(), HasSubstr("throughput"));
  WorkDone waits = without;  // the run without faults ends in the same way, at the same time, and is twice as fast
  waits.left_waiting = true, waits.time = 120 * kSecond, waits.progressed = 5 * kSecond;
  done = {.done = 10, .time = 120 * kSecond, .stands_still = true, .left_waiting = true, .progressed = 10 * kSecond};
  EXPECT_THAT(told(broken(s, {.throughput = Share{9'000}}, &waits, &done)), HasSubstr("at 50 % of its pace"));
}

TEST(MustThroughput, of_a_run_that_ends_early_because_it_hangs_is_that_of_the_whole_time) {
  Story hangs = aggregates_at({1, 2});
  hangs.log.ended_at = 2 * kSecond;
  const WorkDone without{10, 10 * kSecond, false};
  EXPECT_EQ(told(broken(hangs, {.throughput = Share{5'000}}, &without)), "");
  hangs.log.is_deadlocked = true;
  EXPECT_THAT(told(broken(hangs, {.throughput = Share{5'000}}, &without)), HasSubstr("at 20 % of its pace"));
}

TEST(WorkDone, of_a_job_that_hangs_takes_all_the_time_that_it_had) {
  Story s = aggregates_at({1, 2});
  const auto time_of = [&](Nanos cut_off) {
    const Contributions c = s.contributions();
    return work_done(read_evidence(s.log, c, kTasks), cut_off).time;
  };
  EXPECT_EQ(time_of(40 * kSecond), 2 * kSecond);
  s.log.is_deadlocked = true;
  EXPECT_EQ(time_of(40 * kSecond), 40 * kSecond);
}

TEST(MustFinish, is_kept_where_all_have_left_though_one_of_them_failed) {
  Story s = aggregates_at({1, 2});
  s.log.ended_at = 3 * kSecond;
  s.at(3, SessionMoved{kOther, SessionStage::failed, kNoDetail})
      .at(4, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  s.at(4, SessionMoved{kChief, SessionStage::closed, kNoDetail});
  s.log.ended_at = 60 * kSecond;
  EXPECT_EQ(told(broken(s, {.finish = 5 * kSecond})), "");
}

TEST(MustNoFailedClient, tells_who_failed) {
  Story s = aggregates_at({1, 2});
  EXPECT_EQ(told(broken(s, {.no_failed_client = true})), "");
  s.log.ended_at = 0;
  s.at(11, SessionMoved{kOther, SessionStage::failed, kNoDetail});
  EXPECT_THAT(told(broken(s, {.no_failed_client = true})),
              HasSubstr("no_failed_client: worker 1 left training with an error at 11.000 s"));
}

TEST(MustNever, tells_the_verdict) {
  Story s = aggregates_at({1, 2});
  s.log.is_deadlocked = true;
  EXPECT_THAT(told(broken(s, usual_must())), HasSubstr("never stuck: "));
  EXPECT_EQ(told(broken(aggregates_at({1, 2}), usual_must())), "");
}

TEST(Fingerprints, leave_numbers_out_and_keep_the_property) {
  const Breach a{"lost_steps", "It went back by 4 at 4.000 s; 2 are allowed."},
      b{"lost_steps", "It went back by 40 at 12 s; 1.5 are allowed."};
  EXPECT_EQ(fingerprint(a), fingerprint(b));
  EXPECT_EQ(fingerprint(a), "lost_steps: It went back by # at # s; # are allowed.");
  EXPECT_NE(fingerprint(a), fingerprint({"finish", a.text}));
  const std::string error = "worker 0 left: q is closed.\n\t [[n]]";
  EXPECT_EQ(fingerprint({"never", error + "\nA fault was behind it: x. Run again"}), fingerprint({"never", error}));
  EXPECT_EQ(fingerprint({"never", error + "\nTo do: start again."}), fingerprint({"never", error}));
}

TEST(Fingerprints, are_the_same_whether_the_run_would_have_gone_on) {
  EXPECT_EQ(fingerprint({"progress", "No step ended for 4.000 s, from 1.000 s to 5.000 s; 2.000 s are allowed."}),
            fingerprint({"progress", "No step ended after 1.000 s, and none ever will; 2.000 s are allowed."}));
  EXPECT_NE(fingerprint({"progress", "No step ended for 4.000 s"}),
            fingerprint({"progress", "No aggregate was complete for 4.000 s"}));
  EXPECT_EQ(fingerprint({"finish", "Training was not over at 9.000 s."}),
            fingerprint({"finish", "Training was not over at 7.000 s, and never would be: it stood still."}));
  EXPECT_EQ(fingerprint({"never stuck", "Nothing moves any more: no step ended after 4.000 s, to the end at 9 s."}),
            fingerprint({"never stuck", "Training stood still: no step ended after 4.5 s, to the end at 9.000 s."}));
  EXPECT_NE(fingerprint({"never stuck", "Training stood still: no step ended"}),
            fingerprint({"never stuck", "Training stood still: no aggregate was complete"}));
}

TEST(Shares, are_rounded_and_shown_without_needless_digits) {
  EXPECT_EQ(in_words(share_of(1, 15)), "6.67 %");
  EXPECT_EQ(share_of(1, 3).value, 3'333);
  EXPECT_EQ(share_of(1, 0).value, 0);
  EXPECT_EQ(in_words(Share{1'250}), "12.5 %");
  EXPECT_EQ(in_words(Share{10'000}), "100 %");
}

}  // namespace
}  // namespace tarry
