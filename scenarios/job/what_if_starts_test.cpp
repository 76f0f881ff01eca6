// A worker that began late is tried where it could begin: as early as the first, or as there is a model.

#include <gtest/gtest.h>

#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

// The chief and a worker that begins after `late`; the chief has a model at `ready`.
WhatIf tried(Nanos late, Nanos ready) {
  ToldRun t(1, 2);
  for (const TaskId task : {TaskId{1u}, TaskId{2u}}) t.job.clients.push_back({task, {}, {}});
  t.job.clients[1].options.start_after = late;
  t.outcome.log.add(ready, SessionMoved{TaskId{1u}, SessionStage::ready, NameId{0u}});
  for (WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::late_start) return std::move(w);
  return {};
}

TEST(LateStart, is_tried_as_early_as_there_is_a_model_for_it) {
  const WhatIf at_model = tried(9000, 3000), at_first = tried(9000, 0), before = tried(2000, 3000);
  EXPECT_EQ(at_model.job.clients[1].options.start_after, 3000);
  EXPECT_EQ(at_model.proof.instead, "with worker 1 as early as the model");
  EXPECT_FALSE(at_model.job.clients[1].options.joins_gate);
  EXPECT_EQ(at_first.job.clients[1].options.start_after, 0);
  EXPECT_EQ(at_first.proof.instead, "with worker 1 as early as the first");
  EXPECT_EQ(before.job.clients[1].options.start_after, 2000) << "earlier it would find none";
}

// Of whom runs without late starts are: "worker 0 and worker 1" where one is of both. These of three workers, all but
// the first of which were to begin late, began a step.
std::vector<std::string> late_ones(const std::vector<TaskId>& began) {
  ToldRun t(1, 3);
  for (const std::size_t task : {1u, 2u, 3u}) t.job.clients.push_back({TaskId{task}, {}, {}});
  t.job.clients[1].options.start_after = t.job.clients[2].options.start_after = 9000;
  t.outcome.log = EventLog();
  for (const TaskId task : began) t.outcome.log.add(9500, StepBegan{task, StepId{task.index()}, Purpose::train});
  std::vector<std::string> out;
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::late_start) out.push_back(w.proof.what.substr(0, w.proof.what.find(" later")));
  return out;
}

TEST(LateStart, of_several_says_that_they_were_to_begin_where_some_never_did) {
  EXPECT_EQ(late_ones({TaskId{2u}, TaskId{3u}}).back(), "worker 1 and worker 2 began");
  EXPECT_EQ(late_ones({TaskId{2u}}).back(), "worker 1 and worker 2 were to begin");
  EXPECT_EQ(late_ones({}).back(), "worker 1 and worker 2 were to begin");
}

TEST(LateStart, of_who_makes_the_model_is_tried_as_early_as_the_first) {
  ToldRun t(1, 2);
  for (const TaskId task : {TaskId{1u}, TaskId{2u}}) t.job.clients.push_back({task, {}, {}});
  t.job.clients[0].options.start_after = 9000;
  t.outcome.log.add(9500, SessionMoved{TaskId{1u}, SessionStage::ready, NameId{0u}});
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::late_start) EXPECT_EQ(w.job.clients[0].options.start_after, 0);
}

// Whose clients look for a model at these times, and a fault happens.
bool are_late_looks_tried(std::vector<Nanos> looks, Nanos fault, const Fault& what = {{}, Kill{TaskId{2u}}}) {
  ToldRun t(1, 2);
  t.job.clients.push_back({TaskId{2u}, {}, {}});
  t.job.start_together = false;
  for (const Nanos at : looks) t.outcome.log.add(at, SessionMoved{TaskId{2u}, SessionStage::waiting, NameId{0u}});
  t.job.faults = {what, what};
  t.outcome.faults_at = {-1, fault};
  return std::ranges::any_of(what_ifs(t.job, t.outcome),
                             [](const WhatIf& w) { return w.proof.cause == Proof::Cause::polls; });
}

TEST(LateStart, of_who_found_no_model_is_no_faults_doing_where_nobody_looks_for_one_after_it) {
  EXPECT_TRUE(are_late_looks_tried({3000}, -1)) << "it never happened";
  EXPECT_TRUE(are_late_looks_tried({3000}, 5000));
  EXPECT_FALSE(are_late_looks_tried({3000, 6000}, 5000)) << "it had trained before, and both waits would be one";
  EXPECT_FALSE(are_late_looks_tried({6000}, 5000));
}

// A fault happens, and a worker that looked at 3000 trains later.
std::string when_looks_were(Nanos fault) {
  ToldRun t(1, 2);
  t.job.start_together = false;
  t.outcome.log = EventLog();
  t.outcome.log.set_names({""});
  t.outcome.log.add(3000, SessionMoved{TaskId{2u}, SessionStage::waiting, NameId{0u}});
  t.step(TaskId{2u}, 7, 4000, 5000);
  t.job.faults = {{{}, Kill{TaskId{2u}}}};
  t.outcome.faults_at = {fault};
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::polls) return w.proof.b;
  return "none";
}

TEST(LateStart, of_who_found_no_model_before_its_first_step_says_whether_all_looked_after_a_fault) {
  EXPECT_EQ(when_looks_were(2000), kAfterFaults);
  EXPECT_EQ(when_looks_were(3001), "");
}

TEST(LateStart, of_who_found_no_model_is_tried_where_a_fault_only_slowed_down) {
  EXPECT_TRUE(are_late_looks_tried({6000}, 5000, {{}, Slow{.task = TaskId{1u}}})) << "it only slows down";
}

// Of two workers; so many gradients make an aggregate.
bool are_tokens_tried(std::size_t tokens, std::int64_t required) {
  ToldRun t(1, 2);
  t.outcome.log.set_names({"", "v:0/grad_accum"});
  t.outcome.log.add(3000, StepBegan{TaskId{1u}, StepId{11}, Purpose::init_tokens});
  for (std::size_t i = 0; i < tokens; ++i) t.outcome.log.add(3000, Enqueued{TaskId{0u}, NameId{0u}, StepId{11}, 0});
  t.outcome.log.add(3000, TakeIssued{TaskId{0u}, NameId{1u}, StepId{12}, required});
  return std::ranges::any_of(what_ifs(t.job, t.outcome),
                             [](const WhatIf& w) { return w.proof.cause == Proof::Cause::tokens; });
}

TEST(ManyTokens, are_those_of_which_a_worker_has_several) {
  EXPECT_TRUE(are_tokens_tried(3, 2));
  EXPECT_FALSE(are_tokens_tried(2, 2));
  EXPECT_FALSE(are_tokens_tried(3, 3)) << "without them nobody could make an aggregate";
}

}  // namespace
}  // namespace tarry
