// What of a worker's speed is taken away when it is made like another, and when that cannot be done.

#include "scenarios/job/made_like.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/difference.hpp"
#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TaskId kUsual{1u}, kSlow{2u};
constexpr const char kOfUsual[] = "/job:worker/replica:0/task:0", kOfSlow[] = "/job:worker/replica:0/task:1";

CostRule rule(const char* op, const char* task, Nanos time) {
  return {.op = op, .task = task, .amount = Constant{time}};
}

Job two_workers() { return ToldRun(1, 2).job; }

TEST(MadeLike, costs_of_its_own_are_gone_and_those_of_the_other_are_its_too) {
  Job job = two_workers();
  const CostRule own = rule("MatMul", kOfSlow, 9), others = rule("Add", kOfUsual, 3), all = rule("MatMul", "", 2);
  job.costs.rules = {own, others, all};
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->costs.rules, ElementsAre(others, rule("Add", kOfSlow, 3), all));
}

TEST(MadeLike, so_it_is_with_variations_and_what_takes_a_part_of_it) {
  Job job = two_workers();
  const Variation others{.task = kUsual, .law = Amount{Constant{2'000'000}}};
  job.costs.variations = {{.task = kSlow, .law = Switching{}}, others};
  job.costs.interference = {{.task = kSlow, .percent = 900}, {.task = kUsual}};
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  Variation same = others;
  same.task = kSlow;
  EXPECT_THAT(made->costs.variations, ElementsAre(others, same));
  EXPECT_THAT(made->costs.interference, ElementsAre(Interference{.task = kUsual}, Interference{.task = kSlow}));
}

// Else it would be as lucky as the other one, step by step.
TEST(MadeLike, it_draws_what_it_drew_by_the_laws_of_the_other) {
  Job job = two_workers();
  const Variation own{.task = kSlow, .law = Amount{Uniform{2, 4}}, .stream = 0},
      others{.task = kUsual, .law = Amount{Uniform{1, 2}}, .stream = 1};
  job.costs.variations = {own, others};
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->costs.variations, ElementsAre(others, Variation{.task = kSlow, .law = others.law, .stream = 0}));
}

TEST(MadeLike, measured_factors_stay_its_own_with_the_mean_of_the_others) {
  Job job = two_workers();
  const Variation others{.task = kUsual, .law = Amount{Listed{{1'000'000, 3'000'000}}}, .stream = 1};
  job.costs.variations = {{.task = kSlow, .law = Amount{Listed{{2'000'000, 8'000'000, 2'000'000}}}}, others};
  CostRule own = rule("MatMul", kOfSlow, 9), usual = rule("MatMul", kOfUsual, 9);
  own.factors = {5'000'000, 3'000'000}, usual.factors = {1'000'000};
  job.costs.rules = {own, usual};
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->costs.variations,
              ElementsAre(others, Variation{.task = kSlow, .law = Amount{Listed{{1'000'000, 4'000'000, 1'000'000}}}}));
  own.factors = {1'250'000, 750'000};
  EXPECT_THAT(made->costs.rules, ElementsAre(usual, own));
}

// Of the 3 steps that it came by its factor was 3.
TEST(MadeLike, of_measured_factors_those_count_that_the_run_came_by) {
  Job job = two_workers();
  const Variation others{.task = kUsual, .law = Amount{Listed{{1'000'000}}}, .stream = 1};
  job.costs.variations = {{.task = kSlow, .law = Amount{Listed{{3'000'000, 3'000'000, 3'000'000, 0, 0}}}}, others};
  const Variation made = made_like(job, kSlow, kUsual, 3)->costs.variations.back();
  EXPECT_EQ(made.law, FactorLaw(Amount{Listed{{1'000'000, 1'000'000, 1'000'000, 0, 0}}}));
}

// It would run as before: what makes it slow is chance.
TEST(MadeLike, a_worker_with_a_law_of_its_own_that_is_the_others_stays_as_it_is) {
  Job job = two_workers();
  job.costs.variations = {{.task = kUsual, .law = Amount{Uniform{1, 2}}},
                          {.task = kSlow, .law = Amount{Uniform{1, 2}}, .stream = 1}};
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->costs, job.costs);
}

TEST(MadeLike, factors_that_are_all_zero_have_no_mean_to_change) {
  Job job = two_workers();
  const Variation others{.task = kUsual, .law = Amount{Listed{{1'000'000}}}};
  job.costs.variations = {{.task = kSlow, .law = Amount{Listed{{0, 0}}}}, others};
  EXPECT_EQ(made_like(job, kSlow, kUsual)->costs.variations.back().law, others.law);
}

// What a later one takes away is away, however it was changed before.
TEST(MadeLike, beside_a_run_without_any_variation_it_has_none) {
  Job job = two_workers();
  const Variation general{.law = Amount{Uniform{1, 2}}, .stream = 2};
  job.costs.variations = {{.task = kSlow, .law = Amount{Listed{{4, 2}}}, .stream = 0},
                          {.task = kUsual, .law = Amount{Listed{{1, 2}}}, .stream = 1},
                          general};
  CostRule own = rule("MatMul", kOfSlow, 9), usual = rule("MatMul", kOfUsual, 3);
  own.factors = {5}, usual.factors = {1};
  job.costs.rules = {own, usual};
  Job without = job;
  without.costs.variations = {general};
  for (CostRule& r : without.costs.rules) r.factors.clear();
  const Job like = made_like(job, kSlow, kUsual).value();
  Job both = job, again = without;
  make_difference(both, job, like);
  make_difference(both, job, without);
  EXPECT_THAT(both.costs.variations, ElementsAre(general));
  for (const CostRule& r : both.costs.rules) EXPECT_THAT(r.factors, IsEmpty());
  make_difference(again, like, job);
  EXPECT_THAT(again.costs.variations, testing::UnorderedElementsAre(general, job.costs.variations[0])) << "it alone";
  EXPECT_EQ(again.costs.rules[0].factors, own.factors);
}

// The changed ones stand where they stood.
TEST(MadeLike, put_back_it_has_its_own_again_where_others_have_none) {
  Job job = two_workers();
  const Variation own{.task = kSlow, .law = Amount{Listed{{4, 2}}}, .stream = 1};
  job.costs.variations = {{.task = kUsual, .law = Amount{Listed{{1, 2}}}}, own};
  CostRule usual = rule("MatMul", kOfUsual, 3), rule_of_own = rule("MatMul", kOfSlow, 9);
  usual.factors = {1}, rule_of_own.factors = {5};
  job.costs.rules = {usual, rule_of_own};
  Job without = job;
  without.costs.variations.clear();
  for (CostRule& r : without.costs.rules) r.factors.clear();
  make_difference(without, made_like(job, kSlow, kUsual).value(), job);
  EXPECT_THAT(without.costs.variations, ElementsAre(own));
  EXPECT_EQ(without.costs.rules[1], rule_of_own);
}

TEST(MadeLike, without_the_faults_that_slow_it_down_and_with_all_others) {
  Job job = two_workers();
  const Fault kill{Nanos{5}, Kill{kSlow}};
  const auto left_of = [&](FaultKinds what) {
    job.faults = {kill, {Nanos{6}, std::move(what)}};
    const auto made = made_like(job, kSlow, kUsual);
    return made ? made->faults : std::vector<Fault>();
  };
  EXPECT_THAT(left_of(Slow{kSlow, {300}, {}}), ElementsAre(kill));
  EXPECT_THAT(left_of(Throttle{.task = kSlow, .percent = {300}}), ElementsAre(kill));
  EXPECT_THAT(left_of(HeavyTail{.task = kSlow, .percent = {300}}), ElementsAre(kill));
  EXPECT_THAT(left_of(Kill{kSlow}), IsEmpty()) << "nothing slows it down";
}

TEST(MadeLike, what_slows_down_the_other_one_slows_down_both) {
  Job job = two_workers();
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  const Fault own{Nanos{1}, Slow{kUsual, {300}, {}}}, kill{Nanos{5}, Kill{kUsual}};
  job.faults = {own, kill};
  const Fault same{Nanos{1}, Slow{kSlow, {300}, {}}};
  EXPECT_THAT(made_like(job, kSlow, kUsual)->faults, ElementsAre(own, same, kill));
}

TEST(MadeLike, what_slows_down_its_host_is_gone_where_it_is_there_alone) {
  Job job = two_workers();
  job.costs.interference = {{.host = job.cluster.tasks[kSlow.index()].host}};
  EXPECT_TRUE(made_like(job, kSlow, kUsual)->costs.interference.empty());
  const HostId host = job.cluster.tasks[kSlow.index()].host;
  job.faults = {{Nanos{0}, SlowHost{host, {300}, {}}}};
  EXPECT_THAT(made_like(job, kSlow, kUsual)->faults, IsEmpty());
  job.cluster.tasks[0].host = host;
  EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "other tasks are slow as well";
  job.costs.interference.clear();
  EXPECT_FALSE(made_like(job, kSlow, kUsual));
  job.faults.clear();
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  EXPECT_TRUE(made_like(job, kSlow, kUsual));
}

TEST(MadeLike, its_devices_are_as_fast_and_have_their_own_memories_and_copy_engines) {
  Job job = two_workers();
  TaskSpec &usual = job.cluster.tasks[kUsual.index()], &slow = job.cluster.tasks[kSlow.index()];
  usual.gpus = {{.memory_bytes = 9, .rates = {.flops = 100}, .copy_bandwidth = 7}};
  usual.cpu.launch = 1;
  slow.gpus = {{.memory_bytes = 5, .rates = {.flops = 20}, .copy_bandwidth = 3, .launches_ahead = true}};
  slow.has_own_rates = true;
  const auto made = made_like(job, kSlow, kUsual);
  ASSERT_TRUE(made);
  const TaskSpec& now = made->cluster.tasks[kSlow.index()];
  EXPECT_EQ(now.cpu, usual.cpu);
  EXPECT_THAT(now.gpus, ElementsAre(GpuSpec{.memory_bytes = 5, .rates = {.flops = 100}, .copy_bandwidth = 3}));
  EXPECT_FALSE(now.has_own_rates);
  slow.gpus.clear();
  EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "it has no GPU";
}

TEST(MadeLike, not_where_that_is_not_all_that_makes_it_slow) {
  Job job = two_workers();
  EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "nothing is said of it";
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  EXPECT_TRUE(made_like(job, kSlow, kUsual));
  job.cluster.tasks[kSlow.index()].inter_op_threads = 1;
  EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "it has fewer threads";
}

TEST(MadeLike, not_where_the_place_of_one_of_them_matters) {
  Job job = two_workers();
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  for (const auto shared : {Variation::Shared::by_host, Variation::Shared::by_rack}) {
    job.costs.variations = {{.shared = shared, .law = Switching{}}};
    EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "it draws other factors";
    job.costs.variations[0].task = kUsual;
    EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "the other one draws by its place";
    job.costs.variations[0].task = kSlow;
    EXPECT_TRUE(made_like(job, kSlow, kUsual)) << "it alone draws, and would no more";
  }
  job.cluster.tasks[kSlow.index()].host = job.cluster.tasks[kUsual.index()].host;
  EXPECT_TRUE(made_like(job, kSlow, kUsual)) << "both draw the same";
  job = two_workers();
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  job.costs.interference = {{.host = job.cluster.tasks[kUsual.index()].host}};
  EXPECT_FALSE(made_like(job, kSlow, kUsual)) << "the other one is disturbed";
}

TEST(MadeLike, not_where_it_is_fed_more) {
  Job job = two_workers();
  job.costs.rules = {rule("MatMul", kOfSlow, 9)};
  const auto feeds = [&](std::int64_t of_usual, std::int64_t of_slow) {
    job.clients = {{kUsual, {}, {}}, {kSlow, {}, {}}};
    job.clients[0].program.feeds = {{.tensor = "x:0", .shape = Shape({of_usual})}};
    job.clients[1].program.feeds = {{.tensor = "x:0", .shape = Shape({of_slow})}};
    return made_like(job, kSlow, kUsual).has_value();
  };
  EXPECT_TRUE(feeds(8, 8));
  EXPECT_FALSE(feeds(8, 64));
}

// The rule that was taken away is in the place of the one that came: that is no rule that became another.
TEST(Difference, of_lists_of_one_length_may_be_one_that_went_and_one_that_came) {
  Job from = two_workers(), to = from, target = from;
  const CostRule own = rule("MatMul", kOfSlow, 9), others = rule("MatMul", kOfUsual, 3), all = rule("MatMul", "", 2);
  const CostRule same = rule("MatMul", kOfSlow, 3);
  from.costs.rules = target.costs.rules = {own, others, all};
  to.costs.rules = {others, same, all};
  make_difference(target, from, to);
  EXPECT_THAT(target.costs.rules, ElementsAre(same, others, all));
}

// What one cause changes of a GPU leaves what another one changed of it.
// Kernels of a server take no time but for its saves, whose rule is put first once more.
TEST(Difference, of_rules_that_are_put_first_keeps_those_that_others_would_hide) {
  Job from = two_workers();
  const CostRule save = rule("SaveV2", "", 9), all = rule("MatMul", "", 2), free = rule("", kOfSlow, 0);
  from.costs.rules = {save, all};
  Job to = from, target = from;
  to.costs.rules = {save, free, save, all};
  make_difference(target, from, to);
  EXPECT_THAT(target.costs.rules, ElementsAre(save, free, save, all));
  Job quick = from;
  quick.costs.rules = {rule("SaveV2", "", 1), all};
  make_difference(quick, from, to);
  EXPECT_THAT(quick.costs.rules, ElementsAre(rule("SaveV2", "", 1), free, rule("SaveV2", "", 1), all))
      << "as another difference had it";
}

TEST(Difference, of_devices_is_of_what_differs_in_them) {
  Job from = two_workers();
  from.cluster.tasks[1].gpus = {{.memory_bytes = 5, .rates = {.flops = 20}, .copy_bandwidth = 3}};
  Job copies = from, rates = from, memory = from, none = from;
  copies.cluster.tasks[1].gpus[0].copy_bandwidth = 0;
  rates.cluster.tasks[1].gpus[0].rates.flops = 100;
  rates.cluster.tasks[1].gpus[0].launches_ahead = true;
  memory.cluster.tasks[1].gpus[0].memory_bytes = 0;
  Job target = copies;
  for (const Job& other : {rates, memory}) make_difference(target, from, other);
  EXPECT_THAT(target.cluster.tasks[1].gpus, ElementsAre(GpuSpec{.rates = {.flops = 100}, .launches_ahead = true}));
  none.cluster.tasks[1].gpus.clear();
  make_difference(target, from, none);
  EXPECT_THAT(target.cluster.tasks[1].gpus, IsEmpty());
}

}  // namespace
}  // namespace tarry
