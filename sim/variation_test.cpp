#include "sim/variation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace tarry {
namespace {

constexpr TaskId kPs{0u}, kFirst{1u}, kSecond{2u}, kThird{3u};
constexpr std::int64_t kUnit = 1'000'000;
using Shared = Variation::Shared;

// A parameter server and three workers: the first two on one host, all but the ps in one rack.
ClusterSpec four_tasks() {
  ClusterSpec c;
  c.network.racks = {{"r", {}}};
  c.hosts = {{"server"}, {"a", 0, RackId{0u}}, {"b", 0, RackId{0u}}};
  c.tasks = {{"/job:ps/replica:0/task:0", HostId{0u}},
             {"/job:worker/replica:0/task:0", HostId{1u}},
             {"/job:worker/replica:0/task:1", HostId{1u}},
             {"/job:worker/replica:0/task:2", HostId{2u}}};
  return c;
}

Amount spread() { return Uniform{0, 1000 * kUnit}; }

// What a worker's steps take of 1,000 ns, of its own kernels or of another task's.
class Steps {
 public:
  explicit Steps(const std::vector<Variation>& all, std::uint64_t seed = 1)
      : cluster_(four_tasks()), variations_(all, cluster_, Random(seed)) {}
  Nanos next(TaskId worker, TaskId task) {
    const StepId id{++ids_};
    variations_.look(StepBegan{worker, id, Purpose::train});
    const Nanos time = variations_.of(1000, task, id);
    EXPECT_EQ(variations_.of(1000, task, id), time) << "all kernels of a step have one factor";
    variations_.look(StepEnded{worker, id, 0});
    EXPECT_EQ(variations_.of(1000, task, id), 1000) << "it is over";
    return time;
  }
  std::vector<Nanos> take(TaskId worker, int count) {
    std::vector<Nanos> out;
    for (int i = 0; i < count; ++i) out.push_back(next(worker, worker));
    return out;
  }

 private:
  ClusterSpec cluster_;
  Variations variations_;
  std::uint64_t ids_ = 0;
};

TEST(Variation, draws_what_it_draws_whichever_others_there_are) {
  const Variation first{.task = kFirst, .law = spread(), .stream = 0}, second{.law = spread(), .stream = 1};
  EXPECT_EQ(Steps({first, second}).take(kSecond, 9), Steps({second}).take(kSecond, 9));
  EXPECT_NE(Steps({second}).take(kSecond, 9), Steps({{.law = spread(), .stream = 2}}).take(kSecond, 9));
}

TEST(Variation, multiplies_what_a_task_runs_in_a_training_step) {
  Steps steps({{.task = kFirst, .law = Amount{Listed{{kUnit, 3 * kUnit, kUnit / 2}}}}});
  EXPECT_EQ(steps.take(kFirst, 4), (std::vector<Nanos>{1000, 3000, 500, 1000}));
  EXPECT_EQ(steps.take(kSecond, 2), (std::vector<Nanos>{1000, 1000}));
}

TEST(Variation, leaves_steps_alone_that_do_not_train) {
  const ClusterSpec c = four_tasks();
  Variations all({{.law = Amount{Constant{3 * kUnit}}}}, c, Random(1));
  all.look(StepBegan{kFirst, StepId{1}, Purpose::other});
  EXPECT_EQ(all.of(1000, kFirst, StepId{1}), 1000);
}

TEST(Variation, counts_the_steps_that_apply_aggregates_apart_from_training_steps) {
  const ClusterSpec c = four_tasks();
  Variations all({{.task = kPs, .law = Amount{Listed{{2 * kUnit, 3 * kUnit, 4 * kUnit}}}}}, c, Random(1));
  std::uint64_t id = 0;
  const auto next = [&](Purpose purpose) {
    all.look(StepBegan{kFirst, StepId{++id}, purpose});
    return all.of(1000, kPs, StepId{id});
  };
  EXPECT_EQ(next(Purpose::train), 2000);
  EXPECT_EQ(next(Purpose::sync), 2000);
  EXPECT_EQ(next(Purpose::sync), 3000);
  EXPECT_EQ(next(Purpose::train), 3000);
}

TEST(Variation, of_a_job_is_of_all_its_tasks_and_several_multiply) {
  Steps steps({{.job = "worker", .law = Amount{Constant{2 * kUnit}}}, {.law = Amount{Constant{3 * kUnit}}}});
  EXPECT_EQ(steps.next(kFirst, kFirst), 6000);
  EXPECT_EQ(steps.next(kFirst, kPs), 3000);
}

TEST(Variation, of_a_job_is_of_none_whose_name_only_begins_so) {
  Steps steps({{.job = "work", .law = Amount{Constant{2 * kUnit}}}});
  EXPECT_EQ(steps.next(kFirst, kFirst), 1000);
}

TEST(Variation, that_is_shared_gives_the_same_factor_in_steps_of_the_same_number) {
  const auto same = [](Shared shared) {
    Steps steps({{.shared = shared, .law = spread()}});
    const auto first = steps.take(kFirst, 5), second = steps.take(kSecond, 5), third = steps.take(kThird, 5);
    return std::pair(first == second, first == third);
  };
  EXPECT_EQ(same(Shared::by_nobody), std::pair(false, false));
  EXPECT_EQ(same(Shared::by_host), std::pair(true, false));
  EXPECT_EQ(same(Shared::by_rack), std::pair(true, true));
  EXPECT_EQ(same(Shared::by_all), std::pair(true, true));
}

TEST(Variation, by_rack_is_by_host_where_there_is_no_rack) {
  Steps racks({{.shared = Shared::by_rack, .law = spread()}}), all({{.shared = Shared::by_all, .law = spread()}});
  EXPECT_NE(racks.next(kFirst, kFirst), racks.next(kFirst, kPs));
  EXPECT_EQ(all.next(kFirst, kFirst), all.next(kSecond, kPs));
}

RC_GTEST_PROP(Variation, of_one_worker_is_the_same_whatever_others_do, (std::uint64_t seed)) {
  const std::vector<Variation> all{{.law = spread()}, {.law = Switching{3 * kUnit, kUnit / 3, kUnit / 2}}};
  Steps alone(all, seed), beside(all, seed);
  std::vector<Nanos> a, b;
  for (int i = 0; i < 10; ++i) {
    a.push_back(alone.next(kFirst, kFirst));
    for (int others = *rc::gen::inRange(0, 4); others > 0; --others)
      (void)beside.next(*rc::gen::element(kSecond, kThird), *rc::gen::element(kPs, kSecond));
    b.push_back(beside.next(kFirst, kFirst));
  }
  RC_ASSERT(a == b);
}

// In the long run begins / (begins + ends) of the steps are slow, and stretches of them last 1 / ends steps.
TEST(Variation, that_switches_has_its_share_and_its_lengths) {
  Steps steps({{.law = Switching{3 * kUnit, kUnit / 10, kUnit / 4}}});
  constexpr int kCount = 40'000;
  const auto times = steps.take(kFirst, kCount);
  int slow = 0, stretches = 0;
  for (int i = 0; i < kCount; ++i) {
    const bool is_slow = times[static_cast<std::size_t>(i)] == 3000;
    EXPECT_TRUE(is_slow || times[static_cast<std::size_t>(i)] == 1000);
    slow += is_slow;
    stretches += is_slow && (i == 0 || times[static_cast<std::size_t>(i) - 1] != 3000);
  }
  EXPECT_NEAR(static_cast<double>(slow) / kCount, 0.1 / 0.35, 0.01);
  EXPECT_NEAR(static_cast<double>(slow) / stretches, 4, 0.15);
}

TEST(Variation, that_switches_begins_slow_as_often_as_it_is_slow) {
  int slow = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    slow += Steps({{.law = Switching{2 * kUnit, kUnit / 5, kUnit / 5}}}, seed).next(kFirst, kFirst) == 2000;
  EXPECT_NEAR(slow / 4000.0, 0.5, 0.03);
}

// ---- laws ----

// Of 400,000 draws.
std::vector<double> quantiles(const Amount& law, const std::vector<double>& at) {
  std::vector<Nanos> all(400'000);
  Random random(3);
  for (Nanos& x : all) x = draw(law, 0, random);
  std::ranges::sort(all);
  std::vector<double> out;
  for (const double q : at)
    out.push_back(static_cast<double>(all[static_cast<std::size_t>(q * static_cast<double>(all.size()))]) / kUnit);
  return out;
}

void expect_quantiles(const Amount& law, double median, double ninetieth) {
  const auto found = quantiles(law, {0.5, 0.9});
  EXPECT_NEAR(found[0] / median, 1, 0.01);
  EXPECT_NEAR(found[1] / ninetieth, 1, 0.01);
}

// Half of a chi-square of 2 k degrees has a gamma law of shape k: the values are those of its tables, over the mean.
TEST(Laws, of_gamma_have_their_quantiles) {
  expect_quantiles(Gamma{kUnit, kUnit}, std::log(2.0), std::log(10.0));
  expect_quantiles(Gamma{kUnit, 2 * kUnit}, 3.35669 / 4, 7.77944 / 4);
  expect_quantiles(Gamma{kUnit, 5 * kUnit}, 9.34182 / 10, 15.98718 / 10);
  expect_quantiles(Gamma{kUnit, kUnit / 2}, 0.454936, 2.705543);
}

// exp(mu + sigma z) with sigma^2 = ln(1 + sd^2) and mu = -sigma^2 / 2; z = 1.281552 for the ninetieth.
TEST(Laws, of_factors_have_their_quantiles) {
  const double variance = std::log(1.25), sigma = std::sqrt(variance);
  expect_quantiles(Lognormal{kUnit, kUnit / 2}, std::exp(-variance / 2), std::exp(-variance / 2 + 1.281552 * sigma));
  expect_quantiles(Pareto{kUnit, 2 * kUnit}, std::sqrt(2.0), std::sqrt(10.0));
  expect_quantiles(Weibull{kUnit, 2 * kUnit}, std::sqrt(std::log(2.0)), std::sqrt(std::log(10.0)));
  expect_quantiles(Exponential{kUnit}, std::log(2.0), std::log(10.0));
  expect_quantiles(Normal{2 * kUnit, kUnit / 2}, 2, 2.640776);
}

TEST(Laws, by_percentiles_have_them_and_fall_like_a_pareto_law_between_them) {
  constexpr std::int64_t kPercent = kOneShape;
  const Percentiles law = Percentiles::of({{0, kUnit}, {50 * kPercent, 3 * kUnit / 2}, {90 * kPercent, 4 * kUnit}});
  expect_quantiles(law, 1.5, 4);
  const auto found = quantiles(law, {0.25, 0.75, 0.99});
  EXPECT_NEAR(found[0], std::pow(1.5, std::log(0.75) / std::log(0.5)), 0.01);
  const double falls = std::log(0.5 / 0.1) / std::log(4 / 1.5);  // the shape of the last part
  EXPECT_NEAR(found[1], 1.5 * std::pow(2, 1 / falls), 0.02);
  EXPECT_EQ(found[2], 4) << "nothing is above the last";
  EXPECT_NEAR(static_cast<double>(percentile(law, 80 * kPercent)) / kUnit, 1.5 * std::pow(2.5, 1 / falls), 0.01);
}

// Between a microsecond and half an hour there are 2^30.7 times as much, and the whole range has 2^62.
TEST(Laws, by_percentiles_far_apart_have_them_too_and_nothing_above_the_last) {
  constexpr std::int64_t kPercent = kOneShape;
  for (const auto& [least, most] : {std::pair<Nanos, Nanos>{1000, 1'800'000'000'000},
                                    {1, 1'100'000'000},
                                    {3, std::int64_t{1} << 60},
                                    {1, 4'500'000'000'000'000'000}}) {
    const Percentiles law = Percentiles::of({{0, least}, {50 * kPercent, most}});
    const double times = static_cast<double>(most) / static_cast<double>(least);
    for (const std::int64_t percent : {1, 10, 25, 40, 45, 49}) {
      const double depth = std::log(1 - static_cast<double>(percent) / 100) / std::log(0.5);
      const double expected = static_cast<double>(least) * std::pow(times, depth);
      EXPECT_NEAR(static_cast<double>(percentile(law, percent * kPercent)), expected, 1 + expected * 1e-6) << percent;
    }
    EXPECT_EQ(percentile(law, 50 * kPercent), most);
    Random random(1);
    for (int i = 0; i < 1000; ++i) EXPECT_LE(draw(law, 0, random), most);
  }
}

// Their logarithms differ by less than what is counted in.
TEST(Laws, by_percentiles_that_are_nearly_alike_have_nothing_above_the_last) {
  constexpr Nanos kLeast = 1'000'000'000'000'000'000;
  for (Nanos most = kLeast + 5'000'000; most < kLeast + 1'000'000'000; most += 5'000'000)
    EXPECT_LE(percentile(Percentiles::of({{0, kLeast}, {50'000'000, most}}), 49'999'999), most);
}

TEST(Laws, by_percentiles_may_be_flat) {
  const Percentiles law = Percentiles::of({{0, 7}, {60'000'000, 7}});
  Random random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(draw(law, 0, random), 7);
  EXPECT_EQ(mean_of(law), 7);
}

// Pinned: every compiler and every optimisation level gives this.
double mean_of_draws(const Amount& law) {
  constexpr std::uint64_t kDraws = 200'000;
  Random random(7);
  double sum = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) sum += static_cast<double>(draw(law, i, random));
  return sum / static_cast<double>(kDraws);
}

TEST(Laws, have_the_mean_of_their_draws) {
  constexpr Nanos kTime = 1'000'000;
  for (const Amount& law :
       {Amount(Constant{kTime}), Amount(Normal{kTime, 2 * kTime}), Amount(Lognormal{kTime, kTime}),
        Amount(Exponential{kTime}), Amount(Uniform{kTime, 4 * kTime}), Amount(Pareto{kTime, 3 * kUnit}),
        Amount(Weibull{kTime, kUnit / 2}), Amount(Weibull{kTime, 2 * kUnit}), Amount(Gamma{kTime, kUnit / 2}),
        Amount(Percentiles::of({{0, kTime}, {50 * kUnit, 2 * kTime}, {90 * kUnit, 3 * kTime}})),
        Amount(Listed{{kTime, 5 * kTime}})})
    EXPECT_NEAR(static_cast<double>(mean_of(law)) / mean_of_draws(law), 1, 0.02) << law.index();
}

TEST(Laws, have_means_in_closed_form) {
  EXPECT_EQ(mean_of(Normal{100, 0}), 100);
  EXPECT_EQ(mean_of(Pareto{1'000'000, 2 * kUnit}), 2'000'000) << "what is cut off is a half of a nanosecond at most";
  EXPECT_EQ(mean_of(Pareto{1'000'000, kUnit}), 22'487'563) << "1 + 31 ln 2 times the least";
  EXPECT_EQ(mean_of(Weibull{1000, kUnit / 2}), 2000);
  EXPECT_EQ(mean_of(Weibull{1000, kUnit / 100}), 4'000'000'000'000'000'000) << "and no more";
}

TEST(Laws, are_random_where_draws_differ_by_chance) {
  EXPECT_TRUE(is_random(Uniform{1, 2}));
  EXPECT_FALSE(is_random(Constant{1}));
  EXPECT_FALSE(is_random(Listed{{1, 2}}));
}

TEST(Laws, of_gamma_draw_the_same_for_ever) {
  Random random(1);
  std::vector<Nanos> drawn;
  for (const std::int64_t shape : {kUnit / 2, kUnit, 3 * kUnit}) drawn.push_back(draw(Gamma{kUnit, shape}, 0, random));
  EXPECT_EQ(drawn, (std::vector<Nanos>{91926, 553572, 308784}));
}

}  // namespace
}  // namespace tarry
