// What kernels take: laws, traces and interference, from the words of a scenario to the times of steps.

#include "scenarios/file/cost_resolve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/folder_test.hpp"
#include "results/contributions.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr Nanos kSecond = 1'000'000'000;
constexpr char kOneOfThree[] = "s.yaml:6:5: a variation needs one of 'factor', 'factors' and 'trace'";
constexpr char kOp[] = "{op: SparseSoftmaxCrossEntropyWithLogits, ";

StatusOr<Scenario> scenario_of(const std::string& more, const std::string& file = "s.yaml") {
  return parse_scenario(
      "cluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: a, worker/1: b}}\n"
      "build: {graph: softmax_async_ps1_task0, protocol: async}\nfeeds: {batch: 4}\nstop: {steps: 6}\n" +
          more,
      file);
}
CostRules costs_of(const std::string& more) { return scenario_of(more).value().costs; }
std::string refused(const std::string& more) { return std::string(text_of(scenario_of(more).status())); }

StatusOr<Job> job_of(const std::string& more, const std::string& file = "s.yaml") {
  TARRY_ASSIGN(const Scenario s, scenario_of(more, file));
  return make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}});
}
// Of a worker, in seconds.
std::vector<double> steps_of(const Job& job, std::size_t worker) {
  const Outcome o = run_apart(job).value();
  const Contributions c = read_contributions(o.log);
  std::vector<double> out;
  Nanos before = c.workers[worker].first_step;
  for (const Nanos ended : c.workers[worker].step_ended) {
    out.push_back(static_cast<double>(ended - before) / kSecond);
    before = ended;
  }
  return out;
}

TEST(Laws, of_heavy_tails_have_a_shape) {
  EXPECT_EQ(costs_of("costs: [{time: {pareto: {least: 1s, shape: 1.5}}}]").rules[0].amount,
            (Amount{Pareto{kSecond, 1'500'000}}));
  EXPECT_EQ(costs_of("costs: [{time: {weibull: {scale: 1s, shape: 0.7}}}]").rules[0].amount,
            (Amount{Weibull{kSecond, 700'000}}));
  EXPECT_EQ(refused("costs: [{time: {pareto: {least: 1s, shape: 0.4}}}]"),
            "s.yaml:5:44: expected a number from 0.5 to 1000, found '0.4'");
  EXPECT_THAT(refused("costs: [{time: {weibul: {scale: 1s, shape: 1}}}]"), HasSubstr("did you mean 'weibull'?"));
}

TEST(Laws, by_percentiles_say_what_so_many_per_cent_take_at_most) {
  const auto law = [](const std::string& map) { return "costs: [{time: {percentiles: " + map + "}}]"; };
  EXPECT_EQ(costs_of(law("{0: 1s, 50: 1.5s, 98.8: 2s}")).rules[0].amount,
            (Amount{Percentiles::of({{0, kSecond}, {50'000'000, 3 * kSecond / 2}, {98'800'000, 2 * kSecond}})}));
  EXPECT_EQ(refused(law("{0: 1s}")),
            "s.yaml:5:30: expected two percentiles or more, such as {0: 1s, 50: 1.5s, 99: 4s}");
  EXPECT_EQ(refused(law("{1: 1s, 50: 2s}")), "s.yaml:5:31: the first percentile has to be 0, the least of all");
  EXPECT_EQ(refused(law("{0: 0s, 50: 2s}")), "s.yaml:5:31: the least has to be above 0");
  EXPECT_EQ(refused(law("{0: 1s, 50: 2s, 40: 3s}")), "s.yaml:5:46: percentiles have to grow from one to the next");
  EXPECT_EQ(refused(law("{0: 2s, 50: 1s}")), "s.yaml:5:38: a percentile cannot be below the one before it");
  EXPECT_EQ(refused(law("{0: 1s, 100: 2s}")), "s.yaml:5:38: expected a percentage from 0 to below 100, found '100'");
  EXPECT_EQ(refused(law("{0: 1s, p50: 2s}")), "s.yaml:5:38: expected a percentage from 0 to below 100, found 'p50'");
}

TEST(Laws, of_gamma_have_a_mean_and_a_shape) {
  EXPECT_EQ(costs_of("costs: [{time: {gamma: {mean: 1s, shape: 2.5}}}]").rules[0].amount,
            (Amount{Gamma{kSecond, 2'500'000}}));
  EXPECT_EQ(refused("costs: [{time: {gamma: {mean: 1s, shape: 0.05}}}]"),
            "s.yaml:5:42: expected a number from 0.1 to 1000, found '0.05'");
}

TEST(Variations, are_of_a_task_a_job_or_all_and_have_a_law_of_factors) {
  using Shared = Variation::Shared;
  const auto all = costs_of(
                       "variations:\n  - {task: worker/1, factors: [1, 2.5]}\n"
                       "  - {job: worker, shared: by_host, factor: {lognormal: {mean: 1, sd: 0.3}}}\n"
                       "  - {shared: by_rack, factor: {switching: {factor: 3, begins: 0.05, ends: 0.2}}}\n"
                       "  - {shared: by_all, factor: 0.5}\n")
                       .variations;
  EXPECT_THAT(
      all,
      ElementsAre(Variation{.task = TaskId{2u}, .law = Amount{Listed{{1'000'000, 2'500'000}}}},
                  Variation{.job = "worker", .shared = Shared::by_host, .law = Amount{Lognormal{1'000'000, 300'000}}},
                  Variation{.shared = Shared::by_rack, .law = Switching{3'000'000, 50'000, 200'000}},
                  Variation{.shared = Shared::by_all, .law = Amount{Constant{500'000}}}));
}

TEST(Variations, that_say_too_little_or_too_much_are_refused_with_their_place) {
  const auto wrong = [](const std::string& keys) { return refused("variations:\n  - {" + keys + "}\n"); };
  EXPECT_EQ(wrong("job: worker"), kOneOfThree);
  EXPECT_EQ(wrong("factor: 2, factors: [1]"), kOneOfThree);
  EXPECT_EQ(wrong("task: worker/0, job: worker, factor: 2"), "s.yaml:6:5: a variation has 'task' or 'job', not both");
  EXPECT_EQ(wrong("factor: {switching: {factor: 3, begins: 0, ends: 0}}"),
            "s.yaml:6:5: 'begins' and 'ends' are both 0: it would never switch");
  EXPECT_EQ(wrong("factor: {uniform: {low: 2, high: 1}}"), "s.yaml:6:5: a uniform law's low is above its high");
  EXPECT_EQ(wrong("job: wroker, factor: 2"), "s.yaml:6:11: unknown job 'wroker'; no task of the cluster has it");
  EXPECT_EQ(wrong("factor: {lognormal: {mean: 1s, sd: 1}}"),
            "s.yaml:6:33: expected a number from 0 to 1000, found '1s'");
}

// "" if not.
std::string refused_card(const std::string& keys) {
  const std::string cluster = "cluster: {hosts: [{name: a, nic: 1Gbps}, b], tasks: {ps/0: a, worker/0: b},\n";
  const std::string rest = "build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {steps: 6}\n";
  const auto s = parse_scenario(cluster + "  network: {variations: [{" + keys + "}]}}\n" + rest, "s.yaml");
  return std::string(text_of(s.status()));
}

TEST(CardVariations, are_of_a_host_or_all_and_have_a_law_of_factors) {
  using Shared = CardVariation::Shared;
  const Scenario s = parse_scenario(
                         "cluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}, network: {nic: 1Gbps, variations: [\n"
                         "  {host: b, every: 2s, factors: [1, 0.5]},\n"
                         "  {shared: by_rack, every: 1ms, factor: 2},\n"
                         "  {shared: by_all, every: 100ms, factor: {lognormal: {mean: 1, sd: 0.3}}}]}}\n"
                         "build: {graph: softmax_async_ps1_task0, protocol: async}\nstop: {steps: 6}\n",
                         "s.yaml")
                         .value();
  EXPECT_THAT(
      s.cluster.network.variations,
      ElementsAre(
          CardVariation{.host = HostId{1u}, .every = 2 * kSecond, .factor = Listed{{1'000'000, 500'000}}},
          CardVariation{.shared = Shared::by_rack, .every = 1'000'000, .factor = Constant{2'000'000}},
          CardVariation{.shared = Shared::by_all, .every = 100'000'000, .factor = Lognormal{1'000'000, 300'000}}));
}

TEST(CardVariations, that_say_too_little_or_too_much_are_refused_with_their_place) {
  EXPECT_EQ(refused_card("every: 1s, factor: 0.5"), "");
  EXPECT_EQ(refused_card("every: 1s"),
            "s.yaml:2:26: a variation of cards needs one of 'factor', 'factors' and 'trace'");
  EXPECT_EQ(refused_card("every: 1s, factor: 2, factors: [1]"),
            "s.yaml:2:26: a variation of cards needs one of 'factor', 'factors' and 'trace'");
  EXPECT_EQ(refused_card("every: 0s, factor: 2"),
            "s.yaml:2:26: 'every' is 0s: no factor would last; expected a time such as 100ms");
  EXPECT_EQ(refused_card("every: 1s, factor: {uniform: {low: 2, high: 1}}"),
            "s.yaml:2:26: a uniform law's low is above its high");
  EXPECT_EQ(refused_card("every: 1s, factor: 0"), "s.yaml:2:46: expected a number from 0.001 to 1000, found '0'");
  EXPECT_EQ(
      refused_card("host: b, every: 1s, factor: 2"),
      "s.yaml:2:26: no card that could vary has a bandwidth; expected 'nic' or 'nics' in the network or at the host");
}

TEST(CardVariations, of_a_half_make_steps_take_as_long_as_cards_of_half_the_bandwidth) {
  const auto steps_with = [](const std::string& network) {
    const Scenario s =
        parse_scenario("cluster: {hosts: [a, b], tasks: {ps/0: a, worker/0: b}, network: {latency: 1ms, " + network +
                           "}}\n" +
                           "build: {graph: softmax_async_ps1_task0, protocol: async}\n"
                           "feeds: {batch: 4}\nstop: {steps: 6}\n",
                       "s.yaml")
            .value();
    return steps_of(make_job(s, {TARRY_SOURCE_DIR "/scenarios/graphs", false, {}}).value(), 0);
  };
  const auto halved = steps_with("nic: 10Mbps, variations: [{every: 10ms, factor: 0.5}]");
  EXPECT_EQ(halved, steps_with("nic: 5Mbps"));
  EXPECT_NE(halved, steps_with("nic: 10Mbps"));
}

TEST(Variations, multiply_whatever_a_step_takes) {
  const Job job = job_of(std::string("costs: [") + kOp +
                         "job: worker, time: 1s}]\nvariations: [{task: worker/1, factors: [1, 3, 0.5]}]")
                      .value();
  EXPECT_THAT(steps_of(job, 0), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(steps_of(job, 1), ElementsAre(1, 3, 0.5, 1, 3, 0.5));
}

TEST(Interference, is_of_a_task_or_of_a_host) {
  const auto all = costs_of(
                       "interference:\n  - {task: worker/1, every: 10s, lasts: 2s, percent: 300}\n"
                       "  - {host: b, first: 1s, every: 3s, lasts: 3s, percent: 50, one_in: 4}\n")
                       .interference;
  EXPECT_THAT(all,
              ElementsAre(Interference{.task = TaskId{2u}, .every = 10 * kSecond, .lasts = 2 * kSecond, .percent = 300},
                          Interference{.host = HostId{1u},
                                       .first = kSecond,
                                       .every = 3 * kSecond,
                                       .lasts = 3 * kSecond,
                                       .percent = 50,
                                       .one_in = 4}));
}

TEST(Interference, is_refused_where_it_makes_no_sense) {
  const auto wrong = [](const std::string& keys) {
    return refused("interference:\n  - {" + keys + ", percent: 300}\n");
  };
  EXPECT_EQ(wrong("every: 1s, lasts: 1s"), "s.yaml:6:5: an interference needs either 'task' or 'host'");
  EXPECT_EQ(wrong("task: worker/0, host: a, every: 1s, lasts: 1s"),
            "s.yaml:6:5: an interference needs either 'task' or 'host'");
  EXPECT_EQ(wrong("task: worker/0, every: 1s, lasts: 0s"), "s.yaml:6:5: 'lasts' is 0s: it would never interfere");
  EXPECT_EQ(wrong("task: worker/0, every: 1s, lasts: 2s"),
            "s.yaml:6:5: 'lasts' is longer than 'every': a window ends before the next one begins");
  EXPECT_THAT(wrong("host: c, every: 1s, lasts: 1s"), HasSubstr("s.yaml:6:12: unknown host 'c'"));
}

TEST(Interference, makes_the_steps_longer_that_compute_in_it) {
  const Job job = job_of(std::string("costs: [") + kOp +
                         "time: 1s}]\ninterference: [{task: worker/0, first: 2s, every: 5s, lasts: 1s, percent: 300}]")
                      .value();
  EXPECT_THAT(steps_of(job, 0), ElementsAre(1, 1, 3, 1, 1, 3));
  EXPECT_THAT(steps_of(job, 1), ElementsAre(1, 1, 1, 1, 1, 1));
}

class TraceFile : public testing::Test {
 protected:
  StatusOr<Job> with(const std::string& csv, const std::string& rule) const {
    folder_.put("factors.csv", csv);
    return job_of(std::string("costs: [") + kOp + rule + "trace: factors.csv}]", folder_.path() + "/s.yaml");
  }
  StatusOr<Job> of_variation(const std::string& csv, const std::string& others = "") const {
    folder_.put("factors.csv", csv);
    return job_of(fmt::format("costs: [{}time: 1s}}]\nvariations: [{{trace: factors.csv}}{}]", kOp, others),
                  folder_.path() + "/s.yaml");
  }
  const Folder folder_;
};

TEST_F(TraceFile, multiplies_the_time_of_each_step_in_a_circle) {
  const Job job = with("worker,step,factor\n1,0,2\n1,1,0.5\n1,2,1\n", "time: 1s, ").value();
  EXPECT_THAT(steps_of(job, 0), ElementsAre(1, 1, 1, 1, 1, 1)) << "of which the trace has nothing";
  EXPECT_THAT(steps_of(job, 1), ElementsAre(2, 0.5, 1, 2, 0.5, 1));
}

TEST_F(TraceFile, leaves_the_draws_of_a_law_as_they_are) {
  const std::string law = "time: {uniform: {low: 1s, high: 2s}}, ";
  const auto usual = steps_of(with("worker,step,factor\n0,0,1\n", law).value(), 0);
  const auto twice = steps_of(with("worker,step,factor\n0,0,2\n", law).value(), 0);
  for (std::size_t i = 0; i < usual.size(); ++i) EXPECT_NEAR(twice[i], 2 * usual[i], 1e-8);
}

TEST_F(TraceFile, of_one_tasks_rule_has_that_worker_only) {
  const Job job = with("worker,step,factor\n0,0,2\n1,0,3\n", "task: worker/1, time: 1s, ").value();
  EXPECT_EQ(job.costs.rules.size(), 2u);
  EXPECT_EQ(job.costs.rules[0].factors, (std::vector<std::int64_t>{3'000'000}));
}

TEST_F(TraceFile, of_a_variation_is_about_all_kernels_of_the_workers_own_tasks) {
  const auto job = of_variation("worker,step,factor\n1,0,2\n1,1,0.5\n1,2,1\n9,0,7\n").value();
  EXPECT_THAT(steps_of(job, 0), ElementsAre(1, 1, 1, 1, 1, 1)) << "of which the trace has nothing";
  EXPECT_THAT(steps_of(job, 1), ElementsAre(2, 0.5, 1, 2, 0.5, 1));
  EXPECT_EQ(job.costs.variations.size(), 1u) << "the cluster has no worker 9";
}

TEST_F(TraceFile, of_a_variation_leaves_the_draws_of_others_as_they_are) {
  const std::string drawn = ", {job: worker, factor: {uniform: {low: 1, high: 2}}}";
  const auto usual = steps_of(of_variation("worker,step,factor\n0,0,1\n", drawn).value(), 1);
  EXPECT_EQ(steps_of(of_variation("worker,step,factor\n0,0,1\n1,0,1\n", drawn).value(), 1), usual);
}

TEST_F(TraceFile, of_a_variation_and_all_others_draw_apart) {
  const auto job = of_variation("worker,step,factor\n0,0,1\n1,0,1\n", ", {factor: 2}, {factor: 3}").value();
  std::vector<std::uint32_t> streams;
  for (const Variation& v : job.costs.variations) streams.push_back(v.stream);
  EXPECT_THAT(streams, ElementsAre(0, 1, 2, 3));
}

TEST_F(TraceFile, of_a_variation_stands_alone_and_is_refused_with_its_place) {
  for (const char* other : {"task: worker/0", "job: worker", "shared: by_host", "factor: 2", "factors: [1]"})
    EXPECT_EQ(
        refused(fmt::format("variations: [{{{}, trace: f.csv}}]", other)),
        "s.yaml:5:14: a variation with a 'trace' has no other key: the file's lines say the worker and the factor");
  EXPECT_THAT(std::string(text_of(job_of("variations: [{trace: none.csv}]").status())),
              HasSubstr("s.yaml:5:22: trace: none.csv"));
}

TEST_F(TraceFile, that_is_wrong_or_not_there_is_refused_with_its_place) {
  EXPECT_THAT(std::string(text_of(with("worker,step,factor\n0,zero,1\n", "time: 1s, ").status())),
              EndsWith("factors.csv:2: expected worker,step,factor, such as 0,12,1.25, found '0,zero,1'"));
  const auto none = job_of(std::string("costs: [") + kOp + "time: 1s, trace: none.csv}]");
  EXPECT_THAT(std::string(text_of(none.status())), HasSubstr("s.yaml:5:68: trace: none.csv"));
}

}  // namespace
}  // namespace tarry
