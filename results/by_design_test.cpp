// What stands still by design, and what does not, from logs written by hand.

#include "results/by_design.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/hanging_story.hpp"

namespace tarry::audited {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// ---- processes and clients ----

TEST(ByDesign, are_processes_that_ended_or_stand_still) {
  EXPECT_EQ(Hang().gone(6, kOther).why(),
            "E.7; the process of worker 1 ended at 6.000 s and no new one began; a new process, worker 1");
  Hang back = Hang().gone(6, kOther);
  back.at(7, ProcessBegan{kOther, 1});
  EXPECT_EQ(back.why(), "");
  const Hang paused = Hang().condition(2, "pause", kCluster.names[2]);
  EXPECT_EQ(paused.why(),
            "E.3.8; the process of worker 1 stands still since 2.000 s, which nobody notices; a watch that kills "
            "processes that stand still");
  EXPECT_EQ(Hang(paused).condition(3, "pause", kCluster.names[2], "", false).why(), "");
  Hang killed = Hang(paused).gone(3, kOther);
  killed.at(4, ProcessBegan{kOther, 1});
  EXPECT_EQ(killed.why(), "");
}

TEST(ByDesign, are_clients_that_left) {
  EXPECT_EQ(training().stage(3, kOther, SessionStage::left_loop).why(),
            "F.6.5; worker 1 left training at 3.000 s; all workers that leave at the same global step");
  EXPECT_EQ(training().stage(3, kOther, SessionStage::failed, "FIFOQueue 'sync_token_q' is closed and ...").why(),
            "E.6.6; the client of worker 1 left training at 3.000 s, since an earlier session of the chief had closed "
            "the token queue, which lives on at its parameter server; a new process of that parameter server too, or "
            "the queue runner of older releases");
  EXPECT_EQ(training().stage(3, kOther, SessionStage::failed, "a\nb").why(),
            "E.6.5; the client of worker 1 left training at 3.000 s with: a b; a new process of worker 1: only ABORTED "
            "and UNAVAILABLE are tried again");
  const std::string most(200, 'x');
  EXPECT_THAT(training().stage(3, kOther, SessionStage::failed, most).why(), HasSubstr(" with: " + most + "; a new"));
  EXPECT_THAT(training().stage(3, kOther, SessionStage::failed, most + "y").why(),
              HasSubstr(" with: " + most + "...; a new"));
}

// ---- what a worker needs ----

TEST(ByDesign, are_waits_for_tasks_with_which_a_step_speaks) {
  const Hang speaks = training().step(1, kOther, kOthers).sent(1, kOthers, kPs, kOther);
  EXPECT_EQ(Hang(speaks).gone(2, kChief).why(), "") << "no step of worker 1 needs it";
  EXPECT_EQ(Hang(speaks).gone(2, kPs).why(),
            "E.7; worker 1 waits for ps 0, whose process ended at 2.000 s; a new process of ps 0");
  EXPECT_EQ(training().step(1, kOther, kOthers).sent(1, kOthers, kOther, kPs).gone(2, kPs).why().substr(0, 4), "E.7;");
  EXPECT_EQ(training().sent(1, kOthers, kPs, kOther).gone(2, kPs).why(), "") << "a step of nobody";
  EXPECT_EQ(Hang(speaks).condition(2, "pause", kCluster.names[0]).why(),
            "E.3.8; worker 1 waits for ps 0, whose process stands still since 2.000 s; a watch that kills processes "
            "that stand still");
}

TEST(ByDesign, are_paths_on_which_nothing_passes_in_one_direction) {
  const Hang speaks = training().step(1, kOther, kOthers).sent(1, kOthers, kPs, kOther);
  const std::string says =
      "E.3.8; nothing passes between ps 0 and worker 1 since 2.000 s, and a silent peer is never noticed; a network "
      "that is whole again";
  for (const char* kind : {"part", "part_one_way", "part_breaking", "jam"}) {
    EXPECT_EQ(Hang(speaks).condition(2, kind, "server", "host1").why(), says) << kind;
    EXPECT_EQ(Hang(speaks).condition(2, kind, "host1", "server").why(), says) << kind;
    EXPECT_EQ(Hang(speaks).condition(2, kind, "host0", "server").why(), "") << kind;
    EXPECT_EQ(Hang(speaks).condition(2, kind, "host1", "server").condition(3, kind, "host1", "server", false).why(),
              "");
  }
  EXPECT_EQ(Hang(speaks).condition(2, "swizzle", "host1").why(), says);
  EXPECT_EQ(Hang(speaks).condition(2, "swizzle", "server").why(), says);
  EXPECT_EQ(Hang(speaks).condition(2, "swizzle", "host0").why(), "");
  EXPECT_EQ(Hang(speaks).condition(2, "slow", "server", "host1").why(), "");
  Hang servers = Hang(speaks).sent(1, kOthers, kChief, kOther).condition(2, "part", "server", "host0");
  EXPECT_THAT(servers.why(), HasSubstr("nothing passes between ps 0 and worker 0")) << "both of them serve it";
}

TEST(ByDesign, are_sessions_that_wait_for_tasks_that_their_filters_admit) {
  Hang begins = Hang().stage(1, kOther, SessionStage::created);
  EXPECT_EQ(begins.why(), "");
  const std::string says = "E.1.1; worker 1 waits for worker 0, whose process ended at 2.000 s; a new process of ";
  EXPECT_EQ(Hang(begins).gone(2, kChief).why(), says + "worker 0");
  EXPECT_THAT(Hang(begins).condition(2, "jam", "host0", "host1").why(), StartsWith("E.3.8; nothing passes"));
  EXPECT_THAT(Hang().gone(2, kChief).why(), StartsWith("E.7; worker 1 waits for worker 0")) << "no session yet";
  begins.audit.may_call = {{0}, {0, 1}, {0, 2}};
  EXPECT_EQ(Hang(begins).gone(2, kChief).why(), "");
  EXPECT_THAT(Hang(begins).gone(2, kPs).why(), StartsWith("E.1.1; worker 1 waits for ps 0"));
}

TEST(ByDesign, are_sessions_that_wait_for_a_chief_that_stands_still_itself) {
  Hang waits = training().stage(1, kOther, SessionStage::created).gone(2, kChief);
  waits.audit.may_call = {{0}, {0, 1}, {0, 2}};
  EXPECT_EQ(waits.why(), "") << "it found the model ready";
  waits.stage(3, kOther, SessionStage::waiting);
  EXPECT_EQ(waits.why(),
            "E.6; worker 1 waits for a chief that initialises the model, and the process of worker 0 ended at 2.000 s "
            "and no new one began; a new process, worker 0");
  waits.at(4, ProcessBegan{kChief, 1});
  EXPECT_EQ(waits.why(), "");
}

// ---- tokens ----

TEST(ByDesign, is_a_wait_for_a_token_that_nobody_hands_out) {
  Hang none;
  none.at(0, SyncPlanned{kChief, 2, 2, 0});
  none.ready(0, kChief).ready(0, kOther).step(1, kOther, kOthers).pushed(2, kOthers);
  EXPECT_EQ(none.why(),
            "F.2.2; no sync thread ever asked for an aggregate: the chief's queue runner was not started; the chief's "
            "queue runner");
  const Hang waits = in_steps();
  EXPECT_EQ(Hang(waits).stage(3, kChief, SessionStage::left_loop).why(),
            "F.6.6; worker 1 waits for a token, and nobody takes aggregates: worker 0 left training at 3.000 s; all "
            "workers that leave at the same global step");
  EXPECT_EQ(
      Hang(waits).gone(3, kChief).why(),
      "E.7; worker 1 waits for a token, and nobody takes aggregates: the process of worker 0 ended at 3.000 s and "
      "no new one began; a new process, worker 0");
  EXPECT_EQ(Hang(waits).sent(1, kTakes, kPs, kChief).condition(3, "part", "server", "host0").why().substr(0, 29),
            "E.3.8; nothing passes between");
}

TEST(ByDesign, is_no_wait_at_a_queue_that_serves_or_is_closed) {
  const Hang waits = in_steps().gone(3, kChief);
  EXPECT_NE(waits.why(), "");
  Hang closed = waits, open = waits, other = waits;
  closed.rest({.what = Rest::queue, .task = kPs, .name = kTokensText, .c = 1});
  open.rest({.what = Rest::queue, .task = kPs, .name = kTokensText, .c = 0});
  other.rest({.what = Rest::queue, .task = kPs, .name = kModel, .c = 1});
  EXPECT_EQ(closed.why(), "");
  EXPECT_EQ(open.why(), waits.why());
  EXPECT_EQ(other.why(), waits.why());
  EXPECT_EQ(in_steps().token(2, 0).gone(3, kChief).why(), "") << "there is a token";
  Hang wrong = in_steps();
  wrong.fact({.what = What::run_cancelled, .task = kPs, .step = kTakes});
  EXPECT_EQ(wrong.took(2, kTakes, 1).gone(3, kChief).why(), "") << "the runtime was wrong before";
  EXPECT_EQ(training().step(1, kOther, kOthers).gone(3, kChief).why(), "") << "it still computes";
}

TEST(ByDesign, is_a_sync_thread_that_ended_while_its_client_waits) {
  const Hang waits = in_steps().pushed(2, kChiefs);
  EXPECT_EQ(waits.why(kChief), "");
  EXPECT_EQ(Hang(waits).over(3, kChief, kTakes).why(kChief), "");
  const std::string says =
      "E.6.8; the sync thread of worker 0 ended with an error, and its client waits for a token, so "
      "that it does not see that; a new process of worker 0";
  EXPECT_EQ(Hang(waits).over(3, kChief, kTakes, 2).why(kChief), says);
  EXPECT_THAT(Hang(waits).over(3, kChief, kTakes, 2).why(), StartsWith("E.7; worker 1 waits for a token, and nobody"));
}

// ---- credits ----

TEST(ByDesign, is_an_aggregate_whose_credits_were_lost) {
  Hang dead = in_steps();
  dead.at(2, SyncPlanned{kChief, 2, 3, 0});
  const std::string lacks = "the next aggregate needs 3 gradients, and no more than 2 can come";
  dead.at(2, TakeIssued{kPs, kGradients, kTakes, 3});
  EXPECT_EQ(Hang(dead).why(),
            "F.5.2; " + lacks +
                ": 1 of 3 workers never began, and there were 0 initial tokens; all workers, or initial "
                "tokens");
  Hang none = dead;
  none.at(2, SyncPlanned{kChief, 2, 2, 0});
  EXPECT_EQ(none.why(), "F.5.2; " + lacks + "; all workers, or initial tokens");
  EXPECT_EQ(Hang(none).stage(0, kOther, SessionStage::ready).why(), "") << "it is idle";
  EXPECT_EQ(none.pushed(3, kSync).why(), "") << "three can come";
}

// Three gradients are needed; the chief and worker 1 have pushed theirs.
Hang of_three() {
  Hang h = training();
  h.at(0, TakeIssued{kPs, kGradients, kTakes, 3});
  h.ready(0, kThird).step(1, kChief, kChiefs).step(1, kOther, kOthers).step(1, kThird, kThirds);
  return h.pushed(2, kOthers).pushed(2, kChiefs);
}
const std::string kLack = "the next aggregate needs 3 gradients, and no more than 2 can come: ",
                  kSpare =
                      "; more workers than gradients that an aggregate needs, or new processes for those that are "
                      "gone",
                  kData = "; the same number of steps for all";

TEST(ByDesign, is_an_aggregate_that_lacks_what_was_lost) {
  EXPECT_EQ(of_three().why(), "");
  EXPECT_EQ(
      of_three().gone(3, kThird).why(),
      "F.6.4; " + kLack + "the process of worker 2 ended at 3.000 s while it computed, with its token 0" + kSpare);
  const Hang had = of_three().pushed(2, kThirds, -1, 0).gets(3, 0, kThirds).over(3, kThird, kThirds);
  EXPECT_EQ(had.why(), "");
  EXPECT_EQ(Hang(had).stage(4, kThird, SessionStage::left_loop).why(),
            "F.6.5; " + kLack + "worker 2 left training at 4.000 s with its token 0" + kData);
  Hang handed_out = in_steps().pushed(2, kChiefs).took(3, kTakes, 1).over(3, kChief, kTakes, 2);
  handed_out.began(4, kChief, kTakes, Purpose::sync);
  EXPECT_EQ(handed_out.why(),
            "F.6.4; the next aggregate needs 2 gradients, and no more than 0 can come: worker 0 was "
            "lost at 3.000 s between an aggregate and its 2 tokens" +
                kSpare);
}

TEST(ByDesign, names_the_last_three_losses) {
  Hang h = of_three();
  const auto lose = [&](double t) {
    h.gone(t, kThird).at(t, ProcessBegan{kThird, 1});
    h.ready(t, kThird).step(t, kThird, StepId{static_cast<std::uint64_t>(100 * t)});
  };
  for (const double t : {3, 4}) lose(t);
  EXPECT_EQ(h.why(), "") << "it is there again";
  const auto line = [](int t) {
    return fmt::format("the process of worker 2 ended at {}.000 s while it computed, with its token 0", t);
  };
  EXPECT_EQ(Hang(h).gone(5, kThird).why(), "F.6.4; " + kLack + line(3) + "; " + line(4) + "; " + line(5) + kSpare);
  lose(5);
  EXPECT_EQ(h.gone(6, kThird).why(),
            "F.6.4; " + kLack + line(4) + "; " + line(5) + "; " + line(6) + "; and 1 losses before" + kSpare);
}

TEST(ByDesign, is_a_credit_whose_holder_stands_still) {
  const Hang paused = of_three().condition(2, "pause", kCluster.names[3]);
  EXPECT_EQ(
      paused.why(),
      "F.6.4; the next aggregate needs 3 gradients and has 2; the process of worker 2 stands still since 2.000 s, "
      "which nobody notices; a watch that kills processes that stand still");
  EXPECT_EQ(Hang(paused).pushed(3, kThirds).why(), "") << "it has pushed";
  EXPECT_EQ(Hang(paused).pushed(3, kSync).why(), "") << "a gradient to spare";
  Hang two = of_three().pushed(2, kThirds);
  two.at(2, TakeIssued{kPs, kOtherQueue, kTakes, 3});
  EXPECT_EQ(two.pushed(2, kOthers, 0, 0, kOtherQueue).pushed(2, kChiefs, 0, 0, kOtherQueue).why(), "");
  EXPECT_THAT(two.condition(2, "pause", kCluster.names[3]).why(), HasSubstr("needs 3 gradients and has 2"))
      << "the second";
}

TEST(ByDesign, is_a_wait_for_an_accumulator_that_nobody_asked_for_what_the_plan_says) {
  Hang h;
  h.at(0, SyncPlanned{kChief, 3, 2, 0});
  h.ready(0, kChief).ready(0, kOther).began(0, kChief, kTakes, Purpose::sync);
  h.step(1, kChief, kChiefs).step(1, kOther, kOthers).pushed(2, kOthers).pushed(2, kChiefs);
  EXPECT_EQ(h.why(), "F.5.2; " + kLack.substr(0, kLack.size() - 2) + "; all workers, or initial tokens");
}

TEST(ByDesign, is_a_step_that_takes_what_others_put) {
  Hang h = Hang().ready(0, kChief).ready(0, kOther).ready(0, kThird).step(1, kOther, kOthers);
  h.at(1, Dequeued{kPs, kOtherQueue, kOthers, 0});
  EXPECT_EQ(h.why(), "");
  h.gone(2, kThird);
  EXPECT_EQ(
      h.why(),
      "C.9.1.1; worker 1 waits for the others, and the process of worker 2 ended at 2.000 s and no new one began; "
      "a new process, worker 2");
  EXPECT_EQ(Hang(h).over(3, kOther, kOthers).why(), "") << "it does not wait";
  EXPECT_THAT(h.pushed(3, kOthers, 1, 1).why(), StartsWith("F.2.2")) << "it waits for a token, then";
  EXPECT_EQ(in_words(ByDesign{"F.1", "so", "do"}), "TensorFlow does so by design (docs/rules/runtime.md#F.1): so");
}

}  // namespace
}  // namespace tarry::audited
