#include "sim/costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace tarry {
namespace {

constexpr std::string_view kWorker = "/job:worker/replica:0/task:1";
constexpr std::string_view kGpu = "/job:worker/replica:0/task:1/device:GPU:0";

KernelSite site_of(std::string_view node, std::string_view op) { return {TaskId{1u}, kGpu, node, op}; }

CostTable table(std::vector<CostRule> rules, Amount otherwise = Constant{0}) {
  return CostTable({std::move(rules), std::move(otherwise)}, Random(1).fork("costs"));
}

struct Moments {
  double mean, sd;
};
Moments moments(const Amount& amount) {
  Random r(5);
  double sum = 0, squares = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) {
    const auto x = static_cast<double>(draw(amount, 0, r));
    sum += x;
    squares += x * x;
  }
  return {sum / n, std::sqrt(squares / n - sum / n * sum / n)};
}

TEST(Costs, the_first_rule_that_fits_wins) {
  CostTable t =
      table({{.node = "a/*", .amount = Constant{1}}, {.op = "MatMul", .amount = Constant{2}}, {.amount = Constant{3}}});
  EXPECT_EQ(t.next(t.site(site_of("a/b", "MatMul"), kWorker).id), 1);
  EXPECT_EQ(t.next(t.site(site_of("c", "MatMul"), kWorker).id), 2);
  EXPECT_EQ(t.next(t.site(site_of("c2", "Add"), kWorker).id), 3);
}

TEST(Costs, a_rule_selects_by_device_type_job_and_task) {
  CostTable t = table({{.device_type = "CPU", .amount = Constant{1}},
                       {.job = "work", .amount = Constant{2}},
                       {.task = "/job:worker/replica:0/task:0", .amount = Constant{3}},
                       {.device_type = "GPU", .job = "worker", .task = std::string(kWorker), .amount = Constant{4}}});
  EXPECT_EQ(t.next(t.site(site_of("a", "Add"), kWorker).id), 4);
}

TEST(Costs, a_list_is_walked_in_a_circle) {
  CostTable t = table({{.amount = Listed{{7, 8}}}});
  const CostId id = t.site(site_of("a", "Add"), kWorker).id;
  for (const Nanos expected : {7, 8, 7, 8}) EXPECT_EQ(t.next(id), expected);
}

TEST(Costs, a_rule_may_speak_of_some_executions_only) {
  CostTable t = table({{.first_execution = 1, .last_execution = 2, .amount = Constant{9}}, {.amount = Constant{1}}});
  const CostId id = t.site(site_of("a", "Add"), kWorker).id;
  for (const Nanos expected : {1, 9, 9, 1}) EXPECT_EQ(t.next(id), expected);
}

TEST(Costs, what_no_rule_prices_is_free_and_counted) {
  CostTable t = table({{.op = "MatMul", .amount = Constant{2}}});
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).id.valid());
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).id.valid());
  EXPECT_FALSE(t.site(site_of("b", "Add"), kWorker).id.valid());
  EXPECT_EQ(t.unpriced(), (std::map<std::string, std::uint64_t>{{"Add", 2}}));
}

TEST(Costs, what_no_rule_prices_may_have_a_default) {
  CostTable t = table({}, Constant{5});
  EXPECT_EQ(t.next(t.site(site_of("a", "Add"), kWorker).id), 5);
  EXPECT_EQ(t.unpriced().at("Add"), 1u);
}

TEST(Costs, a_law_of_zero_is_free_and_counts_as_priced) {
  CostTable t = table({{.amount = Constant{0}}}, Constant{5});
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).id.valid());
  EXPECT_TRUE(t.unpriced().empty());
}

// ---- rooflines and measurements ----

constexpr DeviceRates kRates{
    .flops = 1'000'000'000, .bandwidth = 2'000'000'000, .launch = 5};  // an operation or two bytes a nanosecond

KernelSite counted(std::string_view node) { return {TaskId{1u}, kGpu, node, "MatMul", Doing::counted}; }
CostTable with_measured(std::vector<CostRule> rules, Nanos otherwise = 0) {
  const NodeExecTime once[] = {{std::string(kGpu), "measured", "", 0, 77}};
  return CostTable({std::move(rules), Constant{otherwise}, Measured(once)}, Random(1).fork("costs"));
}

TEST(Roofline, is_the_longer_of_computing_and_moving_plus_the_launch) {
  EXPECT_EQ(roofline(kRates, {.flops = 100, .bytes = 100}), 105);
  EXPECT_EQ(roofline(kRates, {.flops = 10, .bytes = 100}), 55);
  EXPECT_EQ(roofline(kRates, {}), 5);
  EXPECT_EQ(roofline({.flops = 1'000'000'000, .bandwidth = 0, .launch = 0}, {.flops = 10, .bytes = 1u << 30}), 10);
}

TEST(Roofline, of_more_than_time_can_hold_stays_in_bounds) {
  const Nanos t =
      roofline({.flops = 1, .bandwidth = 1, .launch = 5}, {.flops = ~std::uint64_t{0}, .bytes = ~std::uint64_t{0}});
  EXPECT_GT(t, Nanos{1} << 61);
  EXPECT_GE(t + (Nanos{1} << 61), 0);
}

TEST(Costs, come_from_the_scenario_then_from_measurements_then_from_the_roofline_then_from_the_default) {
  CostTable t = with_measured({{.node = "told", .amount = Constant{1}}}, 9);
  const std::tuple<KernelSite, CostSource, Nanos> sites[] = {{counted("told"), CostSource::scenario, 1},
                                                             {counted("measured"), CostSource::measured, 77},
                                                             {counted("counted"), CostSource::roofline, 105},
                                                             {site_of("unknown", "SaveV2"), CostSource::otherwise, 9}};
  for (const auto& [site, source, time] : sites) {
    const KernelCost cost = t.site(site, kWorker, kRates);
    EXPECT_EQ(cost.source, source) << site.node;
    EXPECT_EQ(t.next(cost.id, {.flops = 100, .bytes = 100}), time) << site.node;
  }
  EXPECT_EQ(t.unpriced(), (std::map<std::string, std::uint64_t>{{"SaveV2", 1}}));
}

TEST(Costs, hold_a_launch_only_where_they_are_a_roofline) {
  CostTable t = with_measured({{.node = "counted", .first_execution = 1, .last_execution = 1, .amount = Constant{1}}});
  const CostId by_work = t.site(counted("counted"), kWorker, kRates).id;
  for (const Nanos launch : {5, 0, 5}) {
    EXPECT_EQ(t.launch_of_next(by_work), launch);
    t.next(by_work, {});
  }
  EXPECT_EQ(t.launch_of_next(t.site(counted("measured"), kWorker, kRates).id), 0);
}

TEST(Costs, what_was_measured_as_nothing_is_free) {
  const NodeExecTime none[] = {{std::string(kGpu), "measured", "", 0, 0}};
  CostTable t({{}, Constant{9}, Measured(none)}, Random(1).fork("costs"));
  const KernelCost cost = t.site(counted("measured"), kWorker, kRates);
  EXPECT_EQ(cost.source, CostSource::measured);
  EXPECT_FALSE(cost.id.valid());
}

TEST(Costs, a_rule_comes_before_a_measurement) {
  CostTable t = with_measured({{.node = "measured", .amount = Constant{1}}});
  EXPECT_EQ(t.next(t.site(counted("measured"), kWorker, kRates).id, {}), 1);
}

TEST(Costs, what_a_rule_leaves_open_falls_through) {
  CostTable t = with_measured({{.first_execution = 1, .last_execution = 1, .amount = Constant{1}}});
  const KernelCost measured = t.site(counted("measured"), kWorker, kRates),
                   work = t.site(counted("counted"), kWorker, kRates);
  for (const Nanos expected : {77, 1, 77}) EXPECT_EQ(t.next(measured.id, {}), expected);
  EXPECT_TRUE(work.by_work);
  for (const Nanos expected : {105, 1, 205})
    EXPECT_EQ(t.next(work.id, {.flops = expected == 205 ? 200u : 100u, .bytes = 0}), expected);
}

TEST(Costs, what_does_nothing_is_free_on_a_known_device_and_not_counted_as_unpriced) {
  CostTable t = table({}, Constant{9});
  const KernelCost cost = t.site({TaskId{1u}, kGpu, "i", "Identity", Doing::nothing}, kWorker, kRates);
  EXPECT_FALSE(cost.id.valid());
  EXPECT_EQ(cost.source, CostSource::roofline);
  EXPECT_TRUE(t.unpriced().empty());
}

TEST(Costs, without_a_devices_rates_nothing_is_a_roofline) {
  CostTable t = table({}, Constant{9});
  const KernelCost cost = t.site(counted("m"), kWorker);
  EXPECT_EQ(cost.source, CostSource::otherwise);
  EXPECT_FALSE(cost.by_work);
  EXPECT_EQ(t.next(cost.id, {.flops = 100, .bytes = 100}), 9);
}

TEST(Costs, laws_have_their_mean_and_spread) {
  constexpr double kMean = 1e6;
  const struct {
    Amount amount;
    double sd;
  } cases[] = {{Normal{1'000'000, 100'000}, 1e5},
               {Lognormal{1'000'000, 300'000}, 3e5},
               {Exponential{1'000'000}, 1e6},
               {Uniform{500'000, 1'500'000}, 1e6 / std::sqrt(12)}};
  for (const auto& [amount, sd] : cases) {
    const Moments m = moments(amount);
    EXPECT_NEAR(m.mean, kMean, 0.01 * kMean) << amount.index();
    EXPECT_NEAR(m.sd, sd, 0.02 * sd) << amount.index();
  }
}

RC_GTEST_PROP(Costs, no_law_draws_a_negative_time, (std::uint64_t seed, std::uint32_t mean, std::uint32_t sd)) {
  Random r(seed);
  for (const Amount& a : {Amount{Normal{mean, sd}}, Amount{Lognormal{mean, sd}}, Amount{Exponential{mean}}})
    RC_ASSERT(draw(a, 0, r) >= 0);
  const Nanos u = draw(Uniform{mean, Nanos{mean} + sd}, 0, r);
  RC_ASSERT(u >= mean && u <= Nanos{mean} + sd);
}

RC_GTEST_PROP(Costs, a_site_draws_the_same_whoever_draws_between, (bool interleave)) {
  CostTable alone = table({{.amount = Exponential{1000}}}), crowd = table({{.amount = Exponential{1000}}});
  const CostId other = crowd.site(site_of("other", "Add"), kWorker).id;
  const CostId a = alone.site(site_of("a", "Add"), kWorker).id, b = crowd.site(site_of("a", "Add"), kWorker).id;
  for (int i = 0; i < 8; ++i) {
    if (interleave) (void)crowd.next(other);
    RC_ASSERT(alone.next(a) == crowd.next(b));
  }
}

RC_GTEST_PROP(Costs, an_execution_draws_the_same_whatever_the_laws_of_those_before_it_are, (std::uint32_t mean)) {
  const Amount usual = Exponential{1000};
  CostTable alone = table({{.amount = usual}}),
            after_others = table({{.last_execution = 2, .amount = Normal{mean, mean / 2}}, {.amount = usual}});
  const CostId a = alone.site(site_of("a", "Add"), kWorker).id, b = after_others.site(site_of("a", "Add"), kWorker).id;
  for (int i = 0; i < 8; ++i) {
    const Nanos x = alone.next(a), y = after_others.next(b);
    if (i > 2) RC_ASSERT(x == y);
  }
}

// The share of draws that are longer than `times` times a million.
double share_above(const Amount& amount, double times) {
  Random r(9);
  int above = 0;
  constexpr int n = 200000;
  for (int i = 0; i < n; ++i) above += static_cast<double>(draw(amount, 0, r)) > times * 1e6;
  return static_cast<double>(above) / n;
}

TEST(Costs, a_pareto_law_has_its_mean_and_its_tail) {
  constexpr Pareto kLaw{1'000'000, 2'500'000};
  EXPECT_NEAR(moments(kLaw).mean, 1e6 * 2.5 / 1.5, 2e4);
  for (const double k : {1.5, 3., 10.}) EXPECT_NEAR(share_above(kLaw, k), std::pow(k, -2.5), 0.003) << k;
  EXPECT_EQ(share_above(kLaw, 0.999'999), 1);
}

TEST(Costs, a_weibull_law_has_its_mean_and_its_tail) {
  for (const double shape : {0.5, 1., 3.}) {
    const Weibull law{1'000'000, static_cast<std::int64_t>(shape * kOneShape)};
    EXPECT_NEAR(moments(law).mean, 1e6 * std::tgamma(1 + 1 / shape), 0.02 * 1e6 * std::tgamma(1 + 1 / shape)) << shape;
    for (const double k : {0.1, 1., 2.})
      EXPECT_NEAR(share_above(law, k), std::exp(-std::pow(k, shape)), 0.004) << shape << " " << k;
  }
}

// Integers only: these stay what they are on every compiler.
TEST(Costs, laws_of_heavy_tails_draw_the_same_for_ever) {
  Random r(1);
  std::vector<Nanos> all;
  for (int i = 0; i < 3; ++i) all.push_back(draw(Pareto{1'000'000, 1'500'000}, 0, r));
  for (int i = 0; i < 3; ++i) all.push_back(draw(Weibull{1'000'000, 700'000}, 0, r));
  EXPECT_EQ(all, (std::vector<Nanos>{1'264'916, 1'545'567, 1'447'678, 912'908, 233'010, 2'578'926}));
}

TEST(Costs, laws_by_percentiles_draw_the_same_for_ever) {
  Random r(1);
  const Percentiles law = Percentiles::of({{0, 1'000'000}, {50'000'000, 2'000'000}, {99'000'000, 9'000'000}});
  std::vector<Nanos> all;
  for (int i = 0; i < 4; ++i) all.push_back(draw(law, 0, r));
  EXPECT_EQ(all, (std::vector<Nanos>{1'422'633, 1'921'463, 1'741'839, 2'197'602}));
}

TEST(Costs, a_pareto_law_ends_where_numbers_do) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random r(seed);
    EXPECT_GE(draw(Pareto{std::int64_t{1} << 60, kOneShape / 2}, 0, r), std::int64_t{1} << 60);
  }
}

TEST(Costs, factors_multiply_executions_in_a_circle) {
  CostTable t = table({{.amount = Listed{{10, 20, 30}}, .factors = {2 * kOneShape, kOneShape / 2}}});
  const CostId id = t.site(site_of("a", "Add"), kWorker).id;
  for (const Nanos expected : {20, 10, 60, 5, 40, 15}) EXPECT_EQ(t.next(id), expected);
}

TEST(Costs, a_glob_star_stands_for_any_text) {
  EXPECT_TRUE(matches_glob("softmax/MatMul", "softmax/MatMul"));
  EXPECT_TRUE(matches_glob("softmax/MatMul", "*Mat*"));
  EXPECT_TRUE(matches_glob("aXbXc", "a*X*c"));
  EXPECT_TRUE(matches_glob("", "*"));
  EXPECT_FALSE(matches_glob("softmax/MatMul_1", "softmax/MatMul"));
  EXPECT_FALSE(matches_glob("ab", "a*c"));
  EXPECT_TRUE(matches_glob("xab", "*ab"));
  EXPECT_TRUE(matches_glob("aab", "*ab"));
}

TEST(Efficiency, is_the_share_of_both_peaks_that_kernels_of_an_op_reach) {
  const DeviceRates device{
      .flops = 1'000, .bandwidth = 600, .launch = 7, .efficiency = {{"Conv*", 500'000}, {"Conv2D", 100'000}}};
  EXPECT_EQ(rates_of(device, "Conv2D"), (DeviceRates{.flops = 500, .bandwidth = 300, .launch = 7}));
  EXPECT_EQ(rates_of(device, "MatMul"), (DeviceRates{.flops = 1'000, .bandwidth = 600, .launch = 7}));
}

TEST(Efficiency, leaves_no_limit_where_there_is_none_and_something_of_the_least) {
  EXPECT_EQ(rates_of({.flops = 0, .bandwidth = 1, .efficiency = {{"*", 1}}}, "MatMul"),
            (DeviceRates{.flops = 0, .bandwidth = 1}));
}

TEST(Efficiency, makes_the_kernels_of_its_op_longer_by_that) {
  CostTable table({}, Random(1));
  const DeviceRates rates{.flops = 1'000'000'000, .launch = 5, .efficiency = {{"MatMul", 250'000}}};
  const auto time = [&](const char* node, const char* op) {
    const KernelSite site{TaskId{0u}, "/job:w/replica:0/task:0/device:CPU:0", node, op, Doing::counted};
    return table.next(table.site(site, "/job:w/replica:0/task:0", rates).id, {.flops = 100, .bytes = 0});
  };
  EXPECT_EQ(time("m", "MatMul"), 405);
  EXPECT_EQ(time("c", "Conv2D"), 105);
}

}  // namespace
}  // namespace tarry
