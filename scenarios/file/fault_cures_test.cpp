// Cures of faults: each takes away what its verdict's proof was without, and gains the same.

#include "scenarios/file/fault_cures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/report.hpp"
#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"

namespace tarry {
namespace {

struct Tried {
  std::vector<Proof> proofs;
  std::vector<Verdict> verdicts;
  TriedCures cures;

  [[nodiscard]] double proof(std::string_view instead) const {
    const auto it = std::ranges::find(proofs, instead, &Proof::instead);
    return it == proofs.end() ? -1 : it->gain;
  }
  [[nodiscard]] const TriedCure* cure(std::string_view verdict, std::string_view advice) const {
    for (const TriedCure& c : cures.all)
      if (c.verdict == verdict && c.advice == advice) return &c;
    return nullptr;
  }
  [[nodiscard]] double gain(std::string_view verdict, std::string_view advice) const {
    const TriedCure* c = cure(verdict, advice);
    return c == nullptr ? -2 : c->gain.gain;
  }
  [[nodiscard]] bool tells(const std::string& instead) const {
    return std::ranges::any_of(verdicts,
                               [&](const Verdict& v) { return v.text.find("again " + instead + " (") != v.text.npos; });
  }
};

Tried tried(const std::string& rest, const std::string& cluster = kOneServer) {
  const RanCase c = ran_case(rest, cluster);
  Tried t{prove(c.job, c.outcome).value(), {}, {}};
  t.verdicts = judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, t.proofs);
  t.cures = try_cures({c.scenario, c.options, c.job, c.outcome, t.proofs}, t.verdicts).value();
  return t;
}

const std::string kNoTokens = "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n";

// What a verdict tells of a run without some faults, and the cure that takes the same ones away.
struct Same {
  const char *faults, *instead, *verdict, *advice;
};
constexpr Same kSame[] = {
    {"{at: 0s, slow: {task: worker/2, percent: 300}}, {at: 1s, kill: worker/2}, {at: 4s, restart: worker/2}",
     "without the faults of worker 2 (slow)", "slowed", "without what slows it"},
    {"{at: 0s, slow: {task: worker/2, percent: 300}}, {at: 1s, preempt: {task: worker/2, back_after: 3s}}",
     "without the faults of worker 2 (slow)", "slowed", "without what slows it"},
    {"{at: 0s, delay: {between: [host2, server], latency: 40ms}}, {at: 1s, part: {between: [host2, server], lasts: "
     "3s}}",
     "without the faults between host2 and server (delay)", "slowed", "without what is wrong with that path"},
    {"{at: 0s, delay: {between: [host2, server], latency: 40ms}}, {at: 1s, part: {between: [host2, server], lasts: "
     "3s}}",
     "without the faults between host2 and server (part)", "stalled", "join the two again"},
    {"{at: 0s, delay: {between: [host2, server], latency: 40ms}}, {at: 1s, jam: {between: [host2, server], lasts: 3s}}",
     "without the faults between host2 and server (jam)", "stalled", "without what is wrong with that path"},
    {"{at: 1s, swizzle: {hosts: [host1, host2], step: 10ms, lasts: 3s}}, {at: 0s, delay: {between: [host0, server], "
     "latency: 2ms}}",
     "without the faults of host1, host2", "stalled", "without what holds its messages"},
};

class CureOfAFault : public testing::TestWithParam<Same> {};
TEST_P(CureOfAFault, gains_what_its_verdict_tells) {
  const Same& p = GetParam();
  const Tried t = tried(kNoTokens + "stop: {aggregates: 60}\nfaults: [" + p.faults + "]");
  EXPECT_TRUE(t.tells(p.instead)) << t.verdicts.at(0).text;
  EXPECT_NEAR(t.proof(p.instead), t.gain(p.verdict, p.advice), 0.0005) << to_text(t.cures, {});
  EXPECT_GT(t.proof(p.instead), 0.05);
}
INSTANTIATE_TEST_SUITE_P(Faults, CureOfAFault, testing::ValuesIn(kSame));

TEST(CureOfFaults, that_break_connections_gains_what_their_verdict_tells) {
  std::string faults;
  for (int tenth = 3; tenth < 63; tenth += 3)
    faults += fmt::format("  - {{at: {}ms, disconnect: [worker/2, ps/0]}}\n", 100 * tenth);
  const Tried t = tried(kNoTokens + "stop: {aggregates: 60}\nfaults:\n" + faults);
  const double gain = t.proof("without the faults between worker 2 and ps 0");
  EXPECT_GT(gain, 0.1);
  EXPECT_NEAR(t.gain("slowed", "without what is wrong with these connections"), gain, 0.0005) << to_text(t.cures, {});
}

TEST(FaultCures, of_two_paths_are_each_of_its_own_where_both_are_told_and_of_both_where_both_are) {
  const Tried t = tried(
      kNoTokens +
      "stop: {time: 30s}\nfaults: [{at: 1s, part: {between: [host1, server], lasts: 3s}}, {at: 6s, part: {between: "
      "[host2, server], lasts: 3s}}]");
  const double first = t.gain("stalled", "join the two again (host1 and server)"),
               second = t.gain("stalled", "join the two again (host2 and server)"),
               both = t.gain("slowed", "join the two again (host1 and server, host2 and server)");
  EXPECT_NEAR(first, 0.1, 0.01);
  EXPECT_NEAR(second, 0.1, 0.01);
  EXPECT_NEAR(both, t.proof("without any fault"), 0.0005);
  EXPECT_NEAR(both, 0.2, 0.01) << to_text(t.cures, {});
}

TEST(FaultCures, of_which_none_gains_alone_are_tried_together) {
  const Tried t = tried(kNoTokens +
                        "stop: {aggregates: 60}\nfaults: [{at: 1s, pause: {task: worker/1, lasts: 3s}}, {at: 1s, part: "
                        "{between: [host2, server], lasts: 3s}}]");
  EXPECT_NEAR(t.gain("stalled", "all of that together"), t.proof("without any fault"), 0.0005) << to_text(t.cures, {});
  EXPECT_GT(t.proof("without any fault"), 0.1);
  EXPECT_NEAR(t.gain("stalled", "join the two again"), 0, 0.01);
}

TEST(FaultCures, of_which_all_are_needed_do_not_help_alone) {
  const Tried t = tried(kSyncBuild +
                        "stop: {time: 20s}\nfaults: [{at: 1s, part: {between: [host1, server]}}, {at: 1s, "
                        "part_one_way: {from_to: [host2, "
                        "server]}}, {at: 0s, slow: {task: worker/0, percent: 150}}]");
  const auto helps = [&](const char* advice) {
    const TriedCure* c = t.cure("stuck", advice);
    EXPECT_NE(c, nullptr) << advice << to_text(t.cures, {});
    return c != nullptr && t.cures.helps(*c);
  };
  EXPECT_TRUE(helps("all of that together"));
  EXPECT_FALSE(helps("join the two again"));
  EXPECT_FALSE(helps("let messages pass again"));
}

std::vector<Fault> faults_left(const std::string& faults, const Verdict& v) {
  const RanCase c = ran_case(kSyncBuild + "faults: [" + faults + "]\nstop: {time: 6s}");
  const auto all = cures_of({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
  return all.at(0).cured ? all[0].cured->job.faults : c.job.faults;
}

// On worker 2, which is the fourth task, all three.
TEST(FaultCures, take_away_what_slows_or_ends_a_process_or_lets_it_stand_still_each_by_itself) {
  const TaskId third{3u};
  const Fault slow{0, Slow{third, {200}, {}}}, pause{kSecond, Pause{third, kSecond}},
      end{3 * kSecond, Preempt{third, kSecond}};
  const auto left = [](const std::string& to_do) {
    return faults_left(
        "{at: 0s, slow: {task: worker/2, percent: 200}}, {at: 1s, pause: {task: worker/2, lasts: 1s}}, {at: 3s, "
        "preempt: "
        "{task: worker/2, back_after: 1s}}",
        {"k", "x. To do: " + to_do + "."});
  };
  EXPECT_EQ(left("look at what else runs on the host of worker 2"), (std::vector{pause, end}));
  EXPECT_EQ(left("let the process of worker 2 go on (is it stopped"), (std::vector{slow, end}));
  EXPECT_EQ(left("find out what ends worker 2"), (std::vector{slow, pause}));
  EXPECT_EQ(left("find out what ends worker 1"), (std::vector{slow, pause, end}));
}

TEST(FaultCures, of_full_disks_and_of_memory_that_others_take_are_of_these_faults_alone) {
  const std::string to_end = "{at: 4s, kill: ps/0}", full = "{at: 5s, fail_save: {task: ps/0}}, ";
  const std::vector<Fault> end{{4 * kSecond, Kill{TaskId{0u}}}};
  const auto left = [&](const std::string& text) { return faults_left(full + to_end, {"failed", text}).size(); };
  EXPECT_EQ(faults_left(full + to_end, {"failed", "saves of ps 0 fail. To do: make room where."}), end);
  const std::string torn = "{at: 5s, tear_save: ps/0}, ";
  EXPECT_EQ(faults_left(torn + to_end, {"failed", "ps 0 is torn. To do: look at the storage that."}), end);
  EXPECT_EQ(left("saves of ps 1 fail. To do: make room where."), 2u);
  EXPECT_EQ(left("saves of ps 0 fail. To do: look at what else uses the memory of that GPU."), 2u);
}

TEST(FaultCures, of_everything_that_is_wrong_to_the_end_leave_what_slows_and_what_was_over) {
  const Fault slow{0, Slow{TaskId{1u}, {150}, {}}}, over{kSecond, Pause{TaskId{2u}, kSecond / 2}};
  EXPECT_EQ(faults_left("{at: 0s, slow: {task: worker/0, percent: 150}}, {at: 1s, pause: {task: worker/1, lasts: "
                        "500ms}}, {at: 2s, kill: worker/2}",
                        {"stuck", "x. To do: all of these, since the job stands still as well."}),
            (std::vector{slow, over}));
}

TEST(FaultCures, of_what_interferes_with_worker_11_leave_what_interferes_with_worker_1) {
  std::string hosts = "server", tasks = "ps/0: server";
  for (int w = 0; w < 12; ++w) hosts += fmt::format(", host{}", w), tasks += fmt::format(", worker/{}: host{}", w, w);
  const std::string cluster =
      "title: t\ncluster:\n  hosts: [" + hosts + "]\n  tasks: {" + tasks +
      "}\n  network: {latency: 1ms}\ncosts: [{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}]\n";
  const RanCase c =
      ran_case(kNoTokens +
                   "stop: {aggregates: 5}\ninterference: [{task: worker/1, every: 1s, lasts: 100ms, percent: 150}, "
                   "{task: worker/11, every: 1s, lasts: 600ms, percent: 400}]",
               cluster);
  const Verdict v{"straggler",
                  "worker 11 is slow. Run again without what interferes with worker 11 (same seed). To do: look at "
                  "what else its host does."};
  const auto all = cures_of({c.scenario, c.options, c.job, c.outcome}, std::vector{v}).value();
  ASSERT_TRUE(all.at(0).cured);
  ASSERT_EQ(all[0].cured->job.costs.interference.size(), 1u);
  EXPECT_EQ(all[0].cured->job.costs.interference[0].task, TaskId{2u}) << "that of worker 1";
}

TEST(FaultCures, know_a_name_by_all_of_it) {
  for (const char* text : {"worker 1", "the worker 1; x", "of worker 1.", "x (worker 1)", "worker 11, worker 1"})
    EXPECT_TRUE(has_name(text, "worker 1")) << text;
  for (const char* text : {"worker 11", "coworker 1", "worker 1-a", "worker 1_a", "worker 1.local", ""})
    EXPECT_FALSE(has_name(text, "worker 1")) << text;
}

}  // namespace
}  // namespace tarry
