// What is tried of kernels that vary, and how their laws are told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/told_run.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::int64_t kOne = 1'000'000;

std::vector<WhatIf> tried(std::vector<Variation> variations) {
  ToldRun t(1, 2);
  t.job.costs.variations = std::move(variations);
  std::vector<WhatIf> out = what_ifs(t.job, t.outcome);
  std::erase_if(out, [](const WhatIf& w) { return w.proof.cause != Proof::Cause::variations; });
  return out;
}

std::string told(FactorLaw law) { return tried({{.job = "worker", .law = std::move(law)}}).at(0).proof.what; }

TEST(WhatIfVariations, each_is_taken_away_and_all_of_them) {
  const Variation a{.task = TaskId{2u}, .law = Amount{Listed{{kOne, 2 * kOne}}}},
      b{.job = "ps", .shared = Variation::Shared::by_all, .law = Amount{Listed{{kOne, 3 * kOne}}}};
  const auto one = tried({a});
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_THAT(one[0].job.costs.variations, testing::IsEmpty());
  EXPECT_EQ(one[0].proof.task, TaskId{2u});
  EXPECT_EQ(one[0].proof.instead, "without variations");
  const auto both = tried({a, b});
  ASSERT_THAT(both, SizeIs(3));
  EXPECT_THAT(both[0].job.costs.variations, ElementsAre(b));
  EXPECT_THAT(both[1].job.costs.variations, ElementsAre(a));
  EXPECT_EQ(both[1].proof.instead, "without the variation of the kernels of all parameter servers");
  EXPECT_TRUE(both[2].proof.together);
  EXPECT_THAT(both[2].job.costs.variations, testing::IsEmpty());
}

TEST(WhatIfVariations, very_many_are_tried_together_alone) {
  const auto all = [](std::size_t n) { return tried(std::vector<Variation>(n, {.law = Amount{Listed{{kOne, 9}}}})); };
  EXPECT_THAT(all(4), SizeIs(5));
  ASSERT_THAT(all(5), SizeIs(1));
  EXPECT_EQ(all(5)[0].proof.what, "kernels vary from step to step, by 5 variations");
  std::vector<Variation> one_each(3, {.law = Amount{Listed{{kOne, 9}}}});
  for (std::size_t i = 0; i < 3; ++i) one_each[i].task = TaskId{i};
  EXPECT_EQ(tried(one_each)[3].proof.what, "kernels vary from step to step, by the variations of 3 tasks");
}

TEST(WhatIfVariations, that_are_alike_each_time_are_none) {
  const Variation twice{.task = TaskId{2u}, .law = Amount{Constant{2 * kOne}}},
      of_all{.job = "worker", .law = Amount{Listed{{kOne, kOne}}}}, varies{.law = Amount{Listed{{kOne, 9}}}};
  EXPECT_THAT(tried({twice, of_all}), testing::IsEmpty());
  EXPECT_THAT(tried({{.law = Amount{Uniform{5, 5}}}}), testing::IsEmpty());
  EXPECT_THAT(tried({{.law = Amount{Normal{5, 0}}}}), testing::IsEmpty());
  EXPECT_THAT(tried({{.law = Amount{Lognormal{5, 0}}}}), testing::IsEmpty());
  EXPECT_THAT(tried({twice, varies}), SizeIs(1));
  const auto both = tried({twice, varies, varies});
  ASSERT_THAT(both, SizeIs(3));
  EXPECT_THAT(both[2].job.costs.variations, ElementsAre(twice)) << "of all that vary";
}

TEST(WhatIfVariations, say_which_law_kernels_follow) {
  EXPECT_THAT(told(Switching{3 * kOne, kOne / 10, 3 * kOne / 10}),
              HasSubstr("of all workers take 3 times their usual time in 25 % of the steps (switching: after each step "
                        "these begin with the probability 0.1, and end with 0.3)"));
  EXPECT_THAT(told(Amount{Lognormal{kOne, kOne / 5}}), HasSubstr("from a lognormal law with mean 1 and sd 0.2"));
  const auto law = [](const Amount& amount) { return told(amount); };
  EXPECT_THAT(law(Normal{kOne, kOne / 5}), HasSubstr("from a normal law with mean 1 and sd 0.2"));
  EXPECT_THAT(law(Exponential{3 * kOne}), HasSubstr("from an exponential law with mean 3"));
  EXPECT_THAT(law(Uniform{kOne, 2 * kOne}), HasSubstr("from a uniform law with low 1 and high 2"));
  EXPECT_THAT(law(Pareto{kOne, 2 * kOne}), HasSubstr("from a pareto law with least 1 and shape 2"));
  EXPECT_THAT(law(Weibull{kOne, 2 * kOne}), HasSubstr("from a weibull law with scale 1 and shape 2"));
  EXPECT_THAT(law(Gamma{kOne, 2 * kOne}), HasSubstr("from a gamma law with mean 1 and shape 2"));
  EXPECT_THAT(law(Percentiles::of({{0, kOne}, {99'500'000, 3 * kOne}})),
              HasSubstr("from a law with the percentiles 0: 1, 99.5: 3"));
  EXPECT_THAT(law(Percentiles::of({{0, 1}, {99'999'999, 20 * kOne}})),
              HasSubstr("percentiles 0: 0.000001, 99.999999: 20"));
  EXPECT_THAT(told(Amount{Listed{{kOne, 2 * kOne}}}), HasSubstr("take 1, 2 times their usual time, one step after"));
  EXPECT_THAT(told(Amount{Listed{{1, kOne, kOne, kOne, kOne, kOne}}}), HasSubstr("take 0.000001, 1, 1, 1, 1, 1 times"));
  EXPECT_THAT(told(Amount{Listed{{1, kOne, kOne, kOne, kOne, kOne, kOne}}}), HasSubstr("1, 1, 1, 1, 1, ... times"));
}

TEST(WhatIfVariations, say_whose_kernels_vary_and_who_shares_a_factor) {
  const auto shared = [](Variation::Shared by) {
    return tried({{.shared = by, .law = Amount{Listed{{kOne, 2 * kOne}}}}})[0].proof;
  };
  EXPECT_EQ(shared(Variation::Shared::by_rack).what,
            "all kernels take 1, 2 times their usual time, one step after the other; the tasks of a rack have the same "
            "factor");
  EXPECT_EQ(shared(Variation::Shared::by_rack).b, "");
  EXPECT_EQ(shared(Variation::Shared::by_nobody).b, "apart");
}

// ---- laws with heavy tails ----

std::vector<WhatIf> with_costs(std::vector<CostRule> rules, Scope scope = Scope::likely,
                               Amount otherwise = Constant{}) {
  ToldRun t(1, 2);
  t.job.costs.rules = std::move(rules);
  t.job.costs.otherwise = std::move(otherwise);
  std::vector<WhatIf> out = what_ifs(t.job, t.outcome, scope);
  std::erase_if(out, [](const WhatIf& w) { return w.proof.cause != Proof::Cause::variations; });
  return out;
}

TEST(HeavyTails, of_costs_are_tried_at_the_mean_of_their_law) {
  const auto tried = with_costs({{.op = "MatMul", .job = "worker", .amount = Exponential{1'000'000}},
                                 {.op = "Relu", .job = "worker", .amount = Normal{50, 5}},
                                 {.op = "Add", .amount = Pareto{1000, 3 * kOne}}});
  ASSERT_THAT(tried, SizeIs(1));
  EXPECT_EQ(tried[0].proof.what,
            "what MatMul takes is drawn from an exponential law, and what Add takes is drawn from a pareto law");
  const auto& rules = tried[0].job.costs.rules;
  EXPECT_EQ(rules[0].amount, Amount(Constant{1'000'000}));
  EXPECT_EQ(rules[1].amount, Amount(Normal{50, 5}));
  EXPECT_EQ(rules[2].amount, Amount(Constant{1500}));
}

TEST(HeavyTails, are_about_the_one_task_that_has_them) {
  const std::string first = "/job:worker/replica:0/task:0", other = "/job:worker/replica:0/task:1";
  const auto about = [&](const std::string& task, const std::string& second, Amount otherwise = Constant{}) {
    return with_costs({{.op = "MatMul", .task = task, .amount = Exponential{1'000'000}},
                       {.op = "Add", .task = second, .amount = Exponential{1'000'000}}},
                      Scope::all, std::move(otherwise))[0]
        .proof;
  };
  EXPECT_EQ(about(other, other).task, TaskId{2u});
  EXPECT_THAT(about(other, other).what, HasSubstr("what MatMul takes on worker 1 is drawn from an exponential law"));
  EXPECT_FALSE(about(first, other).task.valid());
  EXPECT_FALSE(about("", "").task.valid());
  EXPECT_FALSE(about(other, other, Exponential{1'000'000}).task.valid()) << "the others' kernels vary, too";
}

TEST(HeavyTails, are_those_of_laws_that_now_and_then_draw_many_times_the_usual_time) {
  const auto is_heavy = [](Amount law) { return !with_costs({{.op = "x", .amount = std::move(law)}}).empty(); };
  EXPECT_TRUE(is_heavy(Lognormal{10, 11}));
  EXPECT_FALSE(is_heavy(Lognormal{10, 10}));
  EXPECT_TRUE(is_heavy(Weibull{10, kOne}));
  EXPECT_FALSE(is_heavy(Weibull{10, kOne + 1}));
  EXPECT_TRUE(is_heavy(Gamma{10, kOne}));
  EXPECT_FALSE(is_heavy(Gamma{10, kOne + 1}));
  const auto with_tail = [](Nanos of_one_in_ten_thousand) {
    return Percentiles::of({{0, 900}, {50'000'000, 1000}, {99'990'000, of_one_in_ten_thousand}});
  };
  EXPECT_TRUE(is_heavy(with_tail(13'010)));
  EXPECT_FALSE(is_heavy(with_tail(12'990)));
  EXPECT_FALSE(is_heavy(Uniform{0, 1000}));
  EXPECT_FALSE(is_heavy(Listed{{1, 1000}}));
}

TEST(TracedCosts, are_tried_together_without_their_factors) {
  CostRule traced{.op = "MatMul", .task = "/job:worker/replica:0/task:0", .amount = Constant{50}},
      other = traced, plain{.op = "Add", .amount = Constant{7}};
  traced.factors = {kOne, 4 * kOne}, other.factors = {4 * kOne, kOne};
  other.task = "/job:worker/replica:0/task:1";
  const auto tried = with_costs({traced, other, plain});
  ASSERT_THAT(tried, SizeIs(1));
  EXPECT_EQ(tried[0].proof.what, "what MatMul takes varies by the factors of a trace");
  EXPECT_EQ(tried[0].proof.instead, "without the factors of the trace");
  for (const CostRule& r : tried[0].job.costs.rules) EXPECT_THAT(r.factors, testing::IsEmpty());
  EXPECT_TRUE(tried[0].proof.together);
  EXPECT_EQ(with_costs({other}).at(0).proof.task, TaskId{2u});
  EXPECT_FALSE(with_costs({other}).at(0).proof.together);
  EXPECT_THAT(with_costs({plain}), testing::IsEmpty());
  CostRule alike = traced;
  alike.factors = {2 * kOne, 2 * kOne};
  EXPECT_THAT(with_costs({alike}), testing::IsEmpty()) << "it does not vary";
  EXPECT_THAT(with_costs({alike}, Scope::all), SizeIs(1));
  plain.factors = other.factors;
  EXPECT_THAT(with_costs({traced, plain})[0].proof.what, HasSubstr("what MatMul and Add take varies"));
}

TEST(HeavyTails, are_told_of_the_op_of_the_node_or_of_each_kernel) {
  EXPECT_THAT(with_costs({{.node = "n", .amount = Exponential{10}}}).at(0).proof.what, HasSubstr("what n takes"));
  EXPECT_THAT(with_costs({{.amount = Exponential{10}}}).at(0).proof.what, HasSubstr("what each kernel takes"));
}

// A gradient fewer in each aggregate is no help there.
TEST(HeavyTails, of_parameter_servers_are_not_drawn_by_each_worker_apart) {
  const auto are_apart = [](std::vector<CostRule> rules) { return with_costs(std::move(rules)).at(0).proof.b; };
  const CostRule of_server{.op = "a", .task = "/job:ps/replica:0/task:0", .amount = Exponential{10}};
  EXPECT_EQ(are_apart({{.job = "ps", .amount = Exponential{10}}}), "");
  EXPECT_EQ(are_apart({of_server}), "");
  EXPECT_EQ(are_apart({{.job = "worker", .amount = Exponential{10}}, of_server}), "apart");
}

// What a rule does not say is told by who ran it.
TEST(HeavyTails, of_an_op_that_parameter_servers_alone_ran_are_theirs) {
  const auto of_op_run_by = [](std::vector<TaskId> tasks) {
    ToldRun t(1, 2);
    GraphSpec graph;
    graph.nodes = {{.name = "apply", .op = "ApplyGradientDescent"}};
    t.job.clients.resize(1);
    t.job.clients[0].program.graph = std::make_shared<const GraphSpec>(std::move(graph));
    t.outcome.log.set_names({"apply"});
    t.job.costs.rules = {{.op = "ApplyGradientDescent", .amount = Exponential{10}}};
    for (const TaskId task : tasks) t.outcome.stats.nodes.push_back({.task = task, .node = NameId{0u}, .time = 5});
    return is_of_servers(t.job.costs.rules[0], t.job, t.outcome);
  };
  EXPECT_TRUE(of_op_run_by({TaskId{0u}}));
  EXPECT_FALSE(of_op_run_by({TaskId{0u}, TaskId{1u}}));
  EXPECT_FALSE(of_op_run_by({})) << "nobody ran it";
}

TEST(DrawnCosts, are_all_tried_where_everything_that_may_cost_time_is) {
  const auto tried = with_costs({{.op = "a", .job = "ps", .amount = Exponential{10}},
                                 {.op = "b", .amount = Normal{50, 5}},
                                 {.op = "c", .amount = Uniform{10, 30}},
                                 {.op = "d", .amount = Listed{{1, 1000}}},
                                 {.op = "e", .amount = Percentiles::of({{0, 10}, {50'000'000, 11}})}},
                                Scope::all, Gamma{70, 9 * kOne});
  ASSERT_THAT(tried, SizeIs(1));
  EXPECT_EQ(tried[0].proof.what,
            "what a takes is drawn from an exponential law, and what b takes is drawn from a normal law, and what c "
            "takes is drawn from a uniform law, and what e takes is drawn from a law by percentiles, and what other "
            "kernels take is drawn from a gamma law");
  const CostRules& costs = tried[0].job.costs;
  EXPECT_EQ(costs.rules[0].amount, Amount(Constant{10}));
  EXPECT_EQ(costs.rules[2].amount, Amount(Constant{20}));
  EXPECT_EQ(costs.rules[3].amount, Amount(Listed{{1, 1000}}));
  EXPECT_EQ(costs.otherwise, Amount(Constant{70}));
  EXPECT_THAT(with_costs({}, Scope::likely, Exponential{70}), testing::IsEmpty());
}

}  // namespace
}  // namespace tarry
