// What is said of steps that vary, of slow workers beside the fault behind them, and of several that are told together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr TaskId kFastWorker{1u}, kVariedWorker{2u};

// Two workers whose aggregates need `required` gradients.
Story trained(std::int64_t required) {
  Story s;
  s.ready(0, kFastWorker).ready(0, kVariedWorker).step(0, kFastWorker, 1).step(0, kVariedWorker, 2).take(0, required);
  s.push(1, 1).push(1, 2).aggregate(1).ended(1, kFastWorker, 1).ended(1, kVariedWorker, 2);
  return s;
}

std::vector<std::string> told(const Story& s, std::string_view kind, const std::vector<Proof>& proofs) {
  std::vector<std::string> out;
  for (const Verdict& v : judge(s.log, s.contributions(), kTasks, proofs))
    if (v.kind == kind) out.push_back(v.text);
  return out;
}

Proof varies(double gain, const std::string& apart = "") {
  return {
      .cause = Cause::variations, .b = apart, .what = "kernels vary", .instead = "without variations", .gain = gain};
}

TEST(Varied, is_told_where_the_variation_costs_a_tenth_of_the_time) {
  const Story s = trained(2);
  EXPECT_THAT(told(s, "varied", {varies(0.099)}), IsEmpty());
  EXPECT_THAT(told(s, "varied", {varies(0.1)}),
              ElementsAre("It costs time that steps vary: kernels vary. Run again without variations (same seed), the "
                          "same work takes 10.0 % less time. To do: look at what makes these steps longer (other work "
                          "on the machines, heat, their input)."));
}

TEST(Varied, asks_for_a_backup_worker_where_all_wait_for_workers_that_vary_apart) {
  EXPECT_THAT(told(trained(2), "varied", {varies(0.5, "apart")}), ElementsAre(HasSubstr("or have a backup worker")));
  EXPECT_THAT(told(trained(2), "varied", {varies(0.5)}), ElementsAre(Not(HasSubstr("backup"))));
  EXPECT_THAT(told(trained(1), "varied", {varies(0.5, "apart")}), ElementsAre(Not(HasSubstr("backup"))));
}

TEST(Varied, is_not_told_of_one_worker_that_is_the_straggler) {
  Proof own = varies(0.5);
  own.task = kVariedWorker;
  const auto slow = [](TaskId task) {
    return Proof{.cause = Cause::slow_worker, .task = task, .instead = "as fast", .gain = 0.4};
  };
  EXPECT_THAT(told(trained(2), "varied", {own, slow(kVariedWorker)}), IsEmpty());
  EXPECT_THAT(told(trained(2), "varied", {own, slow(kFastWorker)}), ElementsAre(HasSubstr("50.0 %")));
}

// ---- one cause, told once ----

TEST(OneCause, a_worker_that_a_fault_slows_is_told_by_the_fault) {
  Story s = trained(2);
  s.log.set_names({"v:0/grad_accum", "global_step", "", "slow", "the kernels of worker 1 take long", "host", "cpu",
                   "/job:worker/replica:0/task:1"});
  s.at(1, ConditionChanged{NameId{4u}, NameId{3u}, NameId{7u}, NameId{2u}, true})
      .at(2, LogLine{kFastWorker, 'I', kNoDetail});
  const auto kinds = [&](double gain_of_fault) {
    const Proof fault{.cause = Cause::faults, .task = kVariedWorker, .instead = "without it", .gain = gain_of_fault},
        slow{.cause = Cause::slow_worker, .task = kVariedWorker, .instead = "as fast", .gain = 0.4};
    return std::pair(told(s, "slowed", {fault, slow}).size(), told(s, "straggler", {fault, slow}).size());
  };
  EXPECT_EQ(kinds(0.4), std::pair(std::size_t{1}, std::size_t{0}));
  EXPECT_EQ(kinds(0.3), std::pair(std::size_t{1}, std::size_t{1})) << "it is slow without the fault, too";
}

TEST(OneCause, slow_workers_are_told_together_or_apart_and_not_twice) {
  const auto stragglers = [](double together) {
    std::vector<Proof> proofs{{.cause = Cause::slow_worker, .task = kFastWorker, .instead = "a", .gain = 0.3},
                              {.cause = Cause::slow_worker, .task = kVariedWorker, .instead = "b", .gain = 0.3}};
    proofs.push_back({.cause = Cause::workers, .what = "both", .instead = "c", .gain = together, .together = true});
    return told(trained(2), "straggler", proofs);
  };
  EXPECT_THAT(stragglers(0.39), ElementsAre(HasSubstr("worker 0 is"), HasSubstr("worker 1 is")));
  EXPECT_THAT(stragglers(0.4), ElementsAre(HasSubstr("Some workers are what the others wait for: both.")));
}

TEST(OneCause, workers_of_one_host_that_a_fault_slows_are_told_by_the_fault) {
  Story s = trained(2);
  s.log.set_names({"v:0/grad_accum", "global_step", "", "slow_host", "the kernels on h0 take long", "h0"});
  s.at(1, ConditionChanged{NameId{4u}, NameId{3u}, NameId{5u}, NameId{2u}, true})
      .at(2, LogLine{kFastWorker, 'I', kNoDetail});
  const auto stragglers = [&](const char* host_of_second, double gain_of_fault) {
    TaskNames tasks = kTasks;
    tasks.hosts = {"s0", "h0", host_of_second};
    const std::vector<Proof> proofs{{.cause = Cause::faults, .a = "h0", .instead = "without it", .gain = gain_of_fault},
                                    {.cause = Cause::workers,
                                     .what = "worker 0 and worker 1 are slow",
                                     .instead = "c",
                                     .gain = 0.5,
                                     .together = true}};
    int n = 0;
    for (const Verdict& v : judge(s.log, s.contributions(), tasks, proofs)) n += v.kind == "straggler";
    return n;
  };
  EXPECT_EQ(stragglers("h0", 0.45), 0);
  EXPECT_EQ(stragglers("h0", 0.44), 1) << "they are slow without the fault, too";
  EXPECT_EQ(stragglers("h1", 0.45), 1) << "worker 1 is slow for another reason";
}

TEST(OneCause, slow_workers_that_are_not_named_are_told_beside_faults) {
  const std::vector<Proof> proofs{
      {.cause = Cause::faults, .what = "faults", .instead = "without any", .gain = 0.5, .together = true},
      {.cause = Cause::workers, .what = "some are slow", .instead = "as fast", .gain = 0.5, .together = true}};
  EXPECT_THAT(told(trained(2), "straggler", proofs), ElementsAre(HasSubstr("some are slow")));
}

// ---- cards ----

TEST(Varied, are_network_cards_unless_one_of_them_says_as_much) {
  Proof all{.cause = Cause::card_variations, .what = "cards vary", .instead = "with usual cards", .gain = 0.3};
  const auto slow = [](double gain, const char* instead = "with a card that does not vary there") {
    return Proof{.cause = Cause::slow_card, .a = "h0", .what = "h0 has less", .instead = instead, .gain = gain};
  };
  EXPECT_THAT(told(trained(2), "varied", {all}),
              ElementsAre("It costs time that cards vary. Run again with usual cards (same seed), the same work takes "
                          "30.0 % less time. To do: look at what else uses these cards and their links."));
  EXPECT_THAT(told(trained(2), "varied", {all, slow(0.21)}), IsEmpty());
  EXPECT_THAT(told(trained(2), "varied", {all, slow(0.19)}), ElementsAre(HasSubstr("cards vary")));
  EXPECT_THAT(told(trained(2), "varied", {all, slow(0.29, "with 1 Gb/s there")}), ElementsAre(HasSubstr("cards vary")))
      << "it is slow, and varies as all do";
}

TEST(Varied, are_no_network_cards_of_which_all_that_vary_are_told_as_slow) {
  TaskNames tasks = kTasks;
  tasks.hosts = {"h0", "h1", "h2"};
  const Story s = trained(2);
  const auto told_of = [&](const char* where, const char* slow) {
    const std::vector<Proof> proofs{
        {.cause = Cause::card_variations, .what = where, .instead = "with usual cards", .gain = 0.3},
        {.cause = Cause::slow_card, .a = slow, .what = "less", .instead = "with 1 Gb/s there", .gain = 0.29}};
    return std::ranges::count(judge(s.log, s.contributions(), tasks, proofs), "varied", &Verdict::kind);
  };
  EXPECT_EQ(told_of("it does on h0", "h0"), 0);
  EXPECT_EQ(told_of("it does on h0 and h1", "h0"), 1) << "h1 varies, too";
  EXPECT_EQ(told_of("it does on h0 and h1", "h0, h1"), 0);
  EXPECT_EQ(told_of("the bandwidth of network cards varies", "h0"), 1) << "all do";
}

}  // namespace
}  // namespace tarry
