// What the verdicts of shipped scenarios say is to be done, tried: beside the gain that the verdict states, or the
// sibling that has the cure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/outcome.hpp"
#include "scenarios/file/tried_cures.hpp"

namespace tarry {
namespace {

TriedCures cures_of_case(const std::string& name) {
  const Scenario s = shipped(name);
  const RunOptions options{kGraphs, false, {}};
  const Job job = make_job(s, options).value();
  const Outcome outcome = run_apart(job).value();
  const Report report = make_report(s, job, outcome, prove(job, outcome).value());
  return try_cures({s, options, job, outcome}, report.verdicts).value();
}

const TriedCure& find(const TriedCures& all, std::string_view verdict, std::string_view advice) {
  static const TriedCure kNone;
  for (const TriedCure& c : all.all)
    if (c.verdict == verdict && c.advice == advice) return c;
  ADD_FAILURE() << verdict << ": " << advice;
  return kNone;
}

struct Load {
  const char *name, *verdict, *advice;
  double gain;  // as the verdict states it, or a run of the edited scenario shows it
};

class CureOfALoad : public testing::TestWithParam<Load> {};
TEST_P(CureOfALoad, gains_what_the_verdict_states) {
  const TriedCures all = cures_of_case(GetParam().name);
  const TriedCure& c = find(all, GetParam().verdict, GetParam().advice);
  EXPECT_NEAR(c.gain.gain, GetParam().gain, 0.0006) << result_in_words(all, c);
  EXPECT_EQ(all.helps(c), GetParam().gain > 0);
}
INSTANTIATE_TEST_SUITE_P(
    Shipped, CureOfALoad,
    testing::Values(Load{"085_one_busy_ps", "ps_imbalance", "split the bytes evenly over the parameter servers", 0.487},
                    Load{"085_one_busy_ps", "network_bound", "have a network of unlimited bandwidth", 0.834},
                    Load{"103_slow_card", "slow_card", "give it a card like the others'", 0.802},
                    Load{"010_uneven_ps", "latency_bound", "have a network without latency", 0.943}),
    [](const auto& info) { return std::string(info.param.verdict) + std::to_string(info.index); });

struct Hang {
  const char *name, *verdict, *advice;
};

class CureOfAHang : public testing::TestWithParam<Hang> {};
TEST_P(CureOfAHang, lets_the_job_go_on) {
  const TriedCures all = cures_of_case(GetParam().name);
  const TriedCure& c = find(all, GetParam().verdict, GetParam().advice);
  EXPECT_TRUE(c.gain.goes_on);
  EXPECT_TRUE(all.helps(c));
}
INSTANTIATE_TEST_SUITE_P(Shipped, CureOfAHang,
                         testing::Values(Hang{"034_absent_no_tokens", "stuck", "start the workers that are missing"},
                                         Hang{"044_worker_leaves", "stuck", "let all workers train equally long"},
                                         Hang{"070_uneven_shards", "stuck", "let all workers train equally long"},
                                         Hang{"076_no_sync_thread", "stuck", "have the chief start the queue runner"},
                                         Hang{"083_extra_take", "stuck",
                                              "fetch no aggregated gradient in a training step"}),
                         [](const auto& info) { return "case" + std::string(info.param.name); });

TEST(CureOfCase, that_makes_the_job_even_costs_it_time) {
  const TriedCures all = cures_of_case("010_uneven_ps");
  const TriedCure& c = find(all, "uneven", "start without initial tokens");
  EXPECT_EQ(c.gone, true);
  EXPECT_LT(c.gain.gain, 0);
  EXPECT_TRUE(all.helps(c));
}

TEST(CureOfCase, that_is_healthy_is_none) {
  for (const char* name : {"077_sync_thread", "084_no_extra_take", "079_one_chief", "015_workers64_backup4"})
    EXPECT_TRUE(cures_of_case(name).all.empty()) << name;
}

}  // namespace
}  // namespace tarry
