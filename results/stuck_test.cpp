// What is said of training that stood still to the end, that never began, or that lost a worker; from logs written by
// hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(NotStarted, tells_what_was_wrong_at_the_end) {
  Story s;
  s.at(1, ProcessEnded{kChief});
  EXPECT_THAT(s.told("not_started"), HasSubstr("worker 0 and worker 1 never came. This was wrong to the end: "
                                               "the process of worker 0 ended at 1.000 s "
                                               "and did not come back. To do: restart worker 0"));
}

// The chief is ready; the other worker looks twice after that, and hears of the same variables.
TEST(NotStarted, names_variables_that_each_worker_has_for_itself) {
  const auto told = [](bool is_chief_ready, bool is_server_back) {
    Story s;
    s.log.set_names({"v:0/grad_accum", "global_step", "",
                     "Waiting for model to be ready.  Ready_for_local_init_op:  Variables not initialized: a, b, "
                     "ready: None"});
    if (is_server_back) s.at(0, ProcessEnded{kPs}).at(0, ProcessBegan{kPs, 1});
    if (is_chief_ready) s.ready(1, kChief);
    s.at(2, SessionMoved{kOther, SessionStage::waiting, NameId{3u}});
    return s.at(32, SessionMoved{kOther, SessionStage::waiting, NameId{3u}}).told("not_started");
  };
  EXPECT_THAT(told(true, false),
              HasSubstr("worker 0 is ready, since its own variables have values. Those of the other workers have none: "
                        "a, b. Each worker has them on a device of its own"));
  EXPECT_THAT(told(false, false), Not(HasSubstr("of its own")));
  EXPECT_THAT(told(true, true), Not(HasSubstr("of its own"))) << "a server that has lost them is another cause";
}

TEST(NotStarted, says_first_who_never_came_and_what_all_others_heard_together) {
  Story s;
  s.log.set_names({"v:0/grad_accum", "global_step", "", "no model"});
  s.at(1, SessionMoved{kOther, SessionStage::waiting, NameId{3u}})
      .at(2, SessionMoved{kOther, SessionStage::waiting, NameId{3u}});
  EXPECT_EQ(s.told("not_started"),
            "No training step began. worker 0 never came. worker 1 looked for the model 2 times: no "
            "model. To do: start the workers that are missing.");
  s.at(2, SessionMoved{kChief, SessionStage::waiting, NameId{3u}})
      .at(2, SessionMoved{kChief, SessionStage::waiting, NameId{3u}});
  EXPECT_EQ(s.told("not_started"),
            "No training step began. worker 0 and worker 1 looked for the model 2 times: no model.");
}

TEST(NotStarted, advises_no_longer_run_where_clients_failed) {
  Story s;
  s.at(1, SessionMoved{kOther, SessionStage::created, kNoDetail})
      .at(1, SessionMoved{kChief, SessionStage::created, kNoDetail});
  EXPECT_THAT(s.told("not_started"), HasSubstr("To do: let it run longer."));
  s.at(1, SessionMoved{kOther, SessionStage::failed, kNoDetail})
      .at(1, SessionMoved{kChief, SessionStage::failed, kNoDetail});
  EXPECT_THAT(s.told("not_started"), Not(HasSubstr("longer")));
}

TEST(Stuck, is_not_explained_by_a_circle_where_there_is_none) {
  Story s = two_workers();
  s.push(1, 1).push(1, 2).aggregate(1).take(1, 2).push(1.5, 1).ended(2, kChief, 1).ended(2, kOther, 2);
  EXPECT_EQ(s.told("stuck"), "");
  s.step(2, kOther, 3).at(40, LogLine{kChief, 'I', kNoDetail});
  EXPECT_THAT(s.told("stuck"), HasSubstr("in a step that waits for what nobody will give"));
}

// worker 1 has brought a gradient for the first aggregate, and the second one lacks it.
Story of_own_accumulator() {
  Story s = two_workers();
  s.log.set_names({"acc", "global_step", ""});
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2).step(1, kChief, 3).push(1, 3).take(1, 2);
  s.log.is_deadlocked = true;
  return s;
}

TEST(Stuck, tells_which_of_the_program_s_own_accumulators_lacks_gradients) {
  Story s = of_own_accumulator();
  EXPECT_THAT(
      s.told("stuck"),
      HasSubstr("worker 0 is in a step that waits for an aggregate of the program's own accumulator acc on ps 0: "
                "it needs 2 gradients, and has 1. To do: let the program take fewer gradients for an aggregate."));
  s.push(1, 1);  // enough, and nobody takes them
  EXPECT_THAT(s.told("stuck"), HasSubstr("in a step that waits for what nobody will give"));
}

TEST(Stuck, names_nobody_whose_step_is_gone_with_its_process) {
  Story s = of_own_accumulator();
  s.step(1, kOther, 4).at(2, ProcessEnded{kOther}).at(2, ProcessBegan{kOther, 1}).ready(3, kOther);
  EXPECT_THAT(s.told("stuck"), HasSubstr(" worker 0 is in a step that waits for an aggregate of"));
}

TEST(Stuck, tells_who_never_came_and_that_gradients_do_not_suffice) {
  Story one, two = two_workers();
  one.ready(0, kChief).step(0, kChief, 1).take(0, 2).push(1, 1);
  two.push(1, 1).push(1, 1).push(1, 2).aggregate(1).push(1, 1);
  one.log.is_deadlocked = two.log.is_deadlocked = true;
  EXPECT_THAT(one.told("stuck"),
              HasSubstr("An aggregate needs 2 gradients, and 1 worker trains; each worker brings one. "
                        "Never came: worker 1. Tokens"));
  EXPECT_THAT(two.told("stuck"), HasSubstr("One round has lost more tokens than there are to spare."));
}

TEST(Stuck, tells_that_nobody_takes) {
  Story s;
  s.ready(0, kChief).step(0, kChief, 1).push(1, 1);
  s.log.is_deadlocked = true;
  EXPECT_THAT(s.told("stuck"), HasSubstr("1 gradient waits in the accumulator of v:0, and nobody ever asked"));
}

TEST(Stuck, names_a_fault_that_was_over_when_without_it_the_job_goes_on) {
  Story s;
  s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2).ended(1, kChief, 1).ended(1, kOther, 2);
  s.at(2, ProcessEnded{kOther}).at(2, ProcessBegan{kOther}).ready(3, kOther).step(3, kOther, 3);
  s.at(5, SessionMoved{kChief, SessionStage::left_loop, kNoDetail});
  s.log.is_deadlocked = true;
  const auto told = [&](bool goes_on) {
    const std::vector<Proof> proofs{{.task = kOther, .instead = "without it", .gain = 0.5, .goes_on = goes_on}};
    for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
      if (v.kind == "stuck") return v.text;
    return std::string();
  };
  EXPECT_THAT(told(true), HasSubstr("The cause: the process of worker 1 ended at 2.000 s"));
  EXPECT_THAT(told(false), Not(HasSubstr("the process of worker 1 ended")));
}

TEST(WentOn, tells_whether_the_lost_worker_never_came_back_or_was_never_ready_again) {
  const auto told = [](bool began) {
    Story s = two_workers();
    s.push(1, 1).push(1, 2).aggregate(1).at(2, ProcessEnded{kOther});
    if (began) s.at(3, ProcessBegan{kOther});
    return s.aggregate(4).aggregate(5).told("went_on");
  };
  EXPECT_THAT(told(false), HasSubstr("It did not come back."));
  EXPECT_THAT(told(true), HasSubstr("Its next process began at 3.000 s and was never ready."));
}

TEST(Stuck, advises_fewer_gradients_only_where_all_workers_are_needed) {
  const auto told = [](std::int64_t required) {
    Story s;
    s.ready(0, kChief).ready(0, kOther).step(0, kChief, 1).step(0, kOther, 2).take(0, required).push(1, 1);
    s.at(2, ProcessEnded{kChief}).at(2, ProcessEnded{kOther});
    return s.told("stuck");
  };
  EXPECT_THAT(told(2), HasSubstr("restart worker 0, or aggregate fewer gradients than there are workers; watch"));
  EXPECT_THAT(told(1), HasSubstr("restart worker 0; watch"));
}

// An aggregate needs two gradients. The chief waits for its token, and the other worker is ready and has not begun.
TEST(Stuck, is_not_said_while_a_worker_is_ready_to_begin) {
  const auto told = [](bool is_another_ready) {
    Story s;
    s.ready(0, kChief).at(0, SyncPlanned{kChief, 2, 2, 0}).at(0, StepBegan{kChief, StepId{99}, Purpose::sync});
    if (is_another_ready) s.ready(0, kOther);
    s.take(0, 2).step(0, kChief, 1).push(1, 1).at(20, LogLine{kChief, 'I', kNoDetail});
    return s.told("stuck");
  };
  EXPECT_EQ(told(true), "");
  EXPECT_THAT(told(false), HasSubstr("each waits for the other"));
}

// Both workers are lost. Run again without the faults of whom, the job goes on.
TEST(Stuck, names_no_loss_without_which_training_stands_still_all_the_same) {
  const auto told = [](const std::vector<TaskId>& decisive) {
    Story s = two_workers();
    s.push(1, 1).push(1, 2).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2).step(1, kChief, 3).step(1, kOther, 4);
    s.take(1, 2).at(2, ProcessEnded{kOther}).at(3, ProcessEnded{kChief});
    std::vector<Proof> proofs;
    for (const TaskId task : decisive) proofs.push_back({.task = task, .instead = "without it", .goes_on = true});
    for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
      if (v.kind == "stuck") return v.text;
    return std::string();
  };
  const auto one = HasSubstr("the process of worker 0 ended"), other = HasSubstr("the process of worker 1 ended");
  EXPECT_THAT(told({kOther}), testing::AllOf(other, Not(one)));
  EXPECT_THAT(told({kChief}), testing::AllOf(one, Not(other)));
  EXPECT_THAT(told({kChief, kOther}), testing::AllOf(one, other));
  EXPECT_THAT(told({}), testing::AllOf(one, other)) << "only without both";
}

// Worker 1 is lost, is back, and leaves later; `by` a fault of its own, or as it was told to.
std::string left_after_a_loss(bool by_a_fault) {
  Story s = two_workers();
  s.log.set_names({"v:0/grad_accum", "global_step", "", "leave", kTasks.names[kOther.index()]});
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, kChief, 1).ended(1, kOther, 2);
  s.at(2, ProcessEnded{kOther}).at(2, ProcessBegan{kOther}).ready(2, kOther);
  s.step(2, kChief, 3).step(2, kOther, 4).push(3, 3).push(3, 4).aggregate(3).ended(3, kChief, 3).ended(3, kOther, 4);
  s.step(3, kChief, 5).push(4, 5).take(4, 2);
  if (by_a_fault) s.at(5, ConditionChanged{NameId{3u}, NameId{3u}, NameId{4u}, kNoDetail, true});
  s.at(5, SessionMoved{kOther, SessionStage::left_loop, kNoDetail});
  s.at(20, LogLine{kChief, 'I', kNoDetail});
  s.log.is_deadlocked = true;
  const std::vector<Proof> proofs{{.task = kOther, .instead = "without it", .goes_on = true}};
  std::string told;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == "stuck") told = v.text;
  return told;
}

TEST(Stuck, names_a_fault_before_the_workers_that_left_because_of_it) {
  EXPECT_THAT(left_after_a_loss(false), HasSubstr("The cause: the process of worker 1 ended at 2.000 s"));
  EXPECT_THAT(left_after_a_loss(false), HasSubstr("; and worker 1 left training at 5.000 s"));
  EXPECT_THAT(left_after_a_loss(true), HasSubstr("The cause: worker 1 left training at 5.000 s")) << "told to";
}

TEST(Stuck, names_a_client_that_failed_before_its_first_step_where_each_waits_for_all) {
  const auto told = [](Training training) {
    Facts f(training, 2, 2);
    f.log.is_deadlocked = true;
    f.at(0, StepBegan{kChief, StepId{1}, Purpose::train}).stage(1, kThird, SessionStage::ready);
    f.stage(2, kThird, SessionStage::failed);
    f.e.troubles = {{.kind = Trouble::Kind::failed, .task = kThird, .from = 2 * kSecond, .text = "x; No such file"}};
    return waits_for(f.e, 10 * kSecond).troubles.size();
  };
  EXPECT_EQ(told(Training::stale_synchronous), 1u);
  EXPECT_EQ(told(Training::replicated), 1u);
  EXPECT_EQ(told(Training::asynchronous), 0u);
}

TEST(NotStarted, and_no_aggregate_say_what_the_first_examples_take_where_without_that_the_job_goes_on) {
  for (const auto& [training, kind] :
       {std::pair(Training::synchronous, "no_aggregate"), std::pair(Training::asynchronous, "not_started")}) {
    Facts f(training);
    for (WorkerStory& w : f.c.workers) w.steps = 0;
    Proof input = proof(Proof::Cause::input, 0.5);
    EXPECT_THAT(f.with(kind, {input}), Not(HasSubstr("examples")));
    input.goes_on = true;
    EXPECT_THAT(f.with(kind, {input}),
                testing::EndsWith(" The first steps wait for examples: WHAT. Run again INSTEAD (same seed), the "
                                  "job goes on. To do: let it run longer, or have more threads prepare examples "
                                  "(num_threads of batch and shuffle_batch), or prepare them beforehand."));
    input.b = "reads", input.what = "q keeps 9 examples back (min_after_dequeue)";
    EXPECT_THAT(f.with(kind, {input}), HasSubstr("or have several readers, each with a thread of its own "
                                                 "(shuffle_batch_join), or have the queue keep fewer examples back."));
  }
}

TEST(NotStarted, names_a_client_that_was_to_come_later_where_all_wait_for_it) {
  Facts f(Training::none);
  Proof late = proof(Proof::Cause::late_start, 0, kChief);
  EXPECT_THAT(f.with("not_started", {late}), Not(HasSubstr("The cause"))) << "nothing goes on";
  late.goes_on = true;
  EXPECT_EQ(f.with("not_started", {late}),
            "No training step began. worker 0, worker 1 and worker 2 never came. The cause: WHAT, and the others wait "
            "for the model that it makes before all start together. Run again INSTEAD "
            "(same seed), the job goes on. To do: start the workers together (training.start: natural lets the others "
            "look for the model again and again).");
  f.stage(1, kChief, SessionStage::created);
  EXPECT_THAT(f.with("not_started", {late}), Not(HasSubstr("The cause"))) << "it came";
}

}  // namespace
}  // namespace tarry
