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

TEST(LateStart, of_who_makes_the_model_is_tried_as_early_as_the_first) {
  ToldRun t(1, 2);
  for (const TaskId task : {TaskId{1u}, TaskId{2u}}) t.job.clients.push_back({task, {}, {}});
  t.job.clients[0].options.start_after = 9000;
  t.outcome.log.add(9500, SessionMoved{TaskId{1u}, SessionStage::ready, NameId{0u}});
  for (const WhatIf& w : what_ifs(t.job, t.outcome))
    if (w.proof.cause == Proof::Cause::late_start) EXPECT_EQ(w.job.clients[0].options.start_after, 0);
}

}  // namespace
}  // namespace tarry
