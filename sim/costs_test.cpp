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
  CostTable t = table({{.node = "a/*", .amount = Constant{1}}, {.op = "MatMul", .amount = Constant{2}}, {.amount = Constant{3}}});
  EXPECT_EQ(t.next(t.site(site_of("a/b", "MatMul"), kWorker)), 1);
  EXPECT_EQ(t.next(t.site(site_of("c", "MatMul"), kWorker)), 2);
  EXPECT_EQ(t.next(t.site(site_of("c2", "Add"), kWorker)), 3);
}

TEST(Costs, a_rule_selects_by_device_type_job_and_task) {
  CostTable t = table({{.device_type = "CPU", .amount = Constant{1}},
                       {.job = "work", .amount = Constant{2}},
                       {.task = "/job:worker/replica:0/task:0", .amount = Constant{3}},
                       {.device_type = "GPU", .job = "worker", .task = std::string(kWorker), .amount = Constant{4}}});
  EXPECT_EQ(t.next(t.site(site_of("a", "Add"), kWorker)), 4);
}

TEST(Costs, a_list_is_walked_in_a_circle) {
  CostTable t = table({{.amount = Listed{{7, 8}}}});
  const CostId id = t.site(site_of("a", "Add"), kWorker);
  for (const Nanos expected : {7, 8, 7, 8}) EXPECT_EQ(t.next(id), expected);
}

TEST(Costs, a_rule_may_speak_of_some_executions_only) {
  CostTable t = table({{.first_execution = 1, .last_execution = 2, .amount = Constant{9}}, {.amount = Constant{1}}});
  const CostId id = t.site(site_of("a", "Add"), kWorker);
  for (const Nanos expected : {1, 9, 9, 1}) EXPECT_EQ(t.next(id), expected);
}

TEST(Costs, what_no_rule_prices_is_free_and_counted) {
  CostTable t = table({{.op = "MatMul", .amount = Constant{2}}});
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).valid());
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).valid());
  EXPECT_FALSE(t.site(site_of("b", "Add"), kWorker).valid());
  EXPECT_EQ(t.unpriced(), (std::map<std::string, std::uint64_t>{{"Add", 2}}));
}

TEST(Costs, what_no_rule_prices_may_have_a_default) {
  CostTable t = table({}, Constant{5});
  EXPECT_EQ(t.next(t.site(site_of("a", "Add"), kWorker)), 5);
  EXPECT_EQ(t.unpriced().at("Add"), 1u);
}

TEST(Costs, a_law_of_zero_is_free_and_counts_as_priced) {
  CostTable t = table({{.amount = Constant{0}}}, Constant{5});
  EXPECT_FALSE(t.site(site_of("a", "Add"), kWorker).valid());
  EXPECT_TRUE(t.unpriced().empty());
}

TEST(Costs, laws_have_their_mean_and_spread) {
  constexpr double kMean = 1e6;
  const struct { Amount amount; double sd; } cases[] = {{Normal{1'000'000, 100'000}, 1e5},
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
  for (const Amount& a : {Amount{Normal{mean, sd}}, Amount{Lognormal{mean, sd}}, Amount{Exponential{mean}}}) RC_ASSERT(draw(a, 0, r) >= 0);
  const Nanos u = draw(Uniform{mean, Nanos{mean} + sd}, 0, r);
  RC_ASSERT(u >= mean && u <= Nanos{mean} + sd);
}

RC_GTEST_PROP(Costs, a_site_draws_the_same_whoever_draws_between, (bool interleave)) {
  CostTable alone = table({{.amount = Exponential{1000}}}), crowd = table({{.amount = Exponential{1000}}});
  const CostId other = crowd.site(site_of("other", "Add"), kWorker);
  const CostId a = alone.site(site_of("a", "Add"), kWorker), b = crowd.site(site_of("a", "Add"), kWorker);
  for (int i = 0; i < 8; ++i) {
    if (interleave) (void)crowd.next(other);
    RC_ASSERT(alone.next(a) == crowd.next(b));
  }
}

TEST(Costs, a_glob_star_stands_for_any_text) {
  EXPECT_TRUE(matches_glob("softmax/MatMul", "softmax/MatMul"));
  EXPECT_TRUE(matches_glob("softmax/MatMul", "*Mat*"));
  EXPECT_TRUE(matches_glob("aXbXc", "a*X*c"));
  EXPECT_TRUE(matches_glob("", "*"));
  EXPECT_FALSE(matches_glob("softmax/MatMul_1", "softmax/MatMul"));
  EXPECT_FALSE(matches_glob("ab", "a*c"));
}

}  // namespace
}  // namespace tarry
