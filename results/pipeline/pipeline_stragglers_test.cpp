// What stragglers cost a pipeline, by hand on a small one; a published one is in properties/cli/import_test.cpp.

#include "results/pipeline/pipeline_stragglers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "results/pipeline/made_pipeline.hpp"

namespace tarry {
namespace {

Stragglers stragglers_in(const MadePipeline& made) {
  return stragglers_of(parse_pipeline_trace(made.text(), "t").value()).value();
}
constexpr double kMicro = 1e-6, kExact = 1e-12;

double slowdown_of(const std::vector<SlowdownOf>& all, const std::string& what) {
  const auto found = std::ranges::find(all, what, &SlowdownOf::what);
  return found == all.end() ? 0 : found->slowdown;
}

TEST(Stragglers, cost_nothing_where_all_are_alike) {
  const Stragglers s = stragglers_in({.replicas = 2, .steps = 3});
  EXPECT_NEAR(s.step, 108 * kMicro, kExact);
  EXPECT_NEAR(s.ideal, 108 * kMicro, kExact);
  EXPECT_EQ(s.slowdown, 1);
  EXPECT_EQ(s.slowest_workers.add, 0);
  EXPECT_EQ(s.last_stage.rem, 0);
}

TEST(Stragglers, cannot_be_told_where_nothing_takes_time) {
  MadePipeline made;
  made.takes = [](const MadeOp&) { return 0; };
  const auto found = stragglers_of(parse_pipeline_trace(made.text(), "t").value());
  EXPECT_EQ(std::string(text_of(found.status())), "the ops of the trace take no time");
}

// The backward computations of stage 1 take 40 us instead of 20 in replica 1: their mean is 25.
TEST(Stragglers, cost_what_a_replay_by_hand_says) {
  MadePipeline made;
  made.takes = [](const MadeOp& op) {
    return op.name == "backward-compute" && op.stage == 1 && op.replica == 1 ? 40 : MadePipeline::usual(op);
  };
  const Stragglers s = stragglers_in(made);
  EXPECT_NEAR(s.step, 148 * kMicro, kExact);
  EXPECT_NEAR(s.ideal, 123 * kMicro, kExact);
  EXPECT_NEAR(s.slowdown, 148. / 123, 1e-9);
  EXPECT_EQ(s.by_op[0].what, "backward-compute");
  EXPECT_NEAR(s.by_op[0].slowdown, 148. / 123, 1e-9);
  EXPECT_NEAR(slowdown_of(s.by_replica, "replica 1"), 148. / 123, 1e-9);
  EXPECT_NEAR(slowdown_of(s.by_replica, "replica 0"), 1, 1e-9);
  EXPECT_NEAR(slowdown_of(s.by_stage, "stage 1"), 153. / 123, 1e-9);
  EXPECT_NEAR(slowdown_of(s.by_stage, "stage 0"), 118. / 123, 1e-9);
  EXPECT_EQ(s.slowest_workers.what, "stage 1 of replica 1");
  EXPECT_NEAR(s.slowest_workers.add, 1.2, 1e-9);
  EXPECT_NEAR(s.slowest_workers.rem, 1.2, 1e-9);
  EXPECT_EQ(s.last_stage.what, "stage 1");
  EXPECT_NEAR(s.last_stage.add, 1.2, 1e-9);
}

// One transfer of four takes long: their median does not.
TEST(Stragglers, are_measured_by_the_median_where_ops_communicate) {
  MadePipeline made;
  made.takes = [](const MadeOp& op) {
    return op.name == "forward-send" && op.number == 0 && op.replica == 1 ? 1'000 : MadePipeline::usual(op);
  };
  const Stragglers s = stragglers_in(made);
  EXPECT_NEAR(s.ideal, 108 * kMicro, kExact);
  EXPECT_EQ(slowdown_of(s.by_op, "forward-send"), 0);
  EXPECT_GE(slowdown_of(s.by_op, "forward-send and -recv"), 1);
}

TEST(Stragglers, take_the_mean_of_the_two_in_the_middle_for_the_median_of_four) {
  const auto ideal = [](std::array<int, 4> sends) {
    MadePipeline made;
    made.takes = [sends](const MadeOp& op) {
      return op.name == "forward-send" ? sends[2 * op.replica + op.number] : MadePipeline::usual(op);
    };
    return stragglers_in(made).ideal;
  };
  EXPECT_NEAR(ideal({20, 900, 40, 80}), ideal({60, 60, 60, 60}), kExact);
  EXPECT_LT(ideal({60, 60, 60, 60}), ideal({80, 80, 80, 80}));
}

}  // namespace
}  // namespace tarry
