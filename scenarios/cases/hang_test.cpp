// Which losses hang a job, by the rule and by the verdict (docs/rules/runtime.md#F.6).

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "placer/core/folder_test.hpp"
#include "placer/graph/read.hpp"
#include "results/losses.hpp"
#include "scenarios/cases/shipped.hpp"

namespace tarry {
namespace {

struct Ended {
  EventLog log;
  std::vector<Verdict> verdicts;
  [[nodiscard]] bool has(const char* kind) const {
    return std::ranges::any_of(verdicts, [&](const Verdict& v) { return v.kind == kind; });
  }
};

// A shipped scenario with other faults, other compute times, and a minute to show whether it moves.
Ended run_with(const std::string& name, std::vector<Fault> faults, const std::vector<Nanos>& compute) {
  Scenario s = shipped(name);
  s.faults = std::move(faults);
  s.training.num_tokens = 0;
  s.stop = {.time = 60 * kSecond};
  s.costs.rules.clear();
  for (std::size_t w = 0; w < compute.size(); ++w)
    s.costs.rules.push_back({.op = "SparseSoftmaxCrossEntropyWithLogits",
                             .task = fmt::format("/job:worker/replica:0/task:{}", w),
                             .amount = Constant{compute[w]}});
  const Job job = *job_for(s);
  Outcome o = run_here(job);
  std::vector<Verdict> verdicts = judge(o.log, read_contributions(o.log), o.tasks);
  return {std::move(o.log), std::move(verdicts)};
}

std::vector<Nanos> some_compute_times(std::size_t workers) {
  std::vector<Nanos> times;
  for (std::size_t w = 0; w < workers; ++w) times.push_back(*rc::gen::inRange<Nanos>(100, 1500) * 1'000'000);
  return times;
}

bool held_a_credit(const Ended& e) {
  return read_losses(e.log).processes.at(0).doing != Loss::Doing::waiting_for_token;
}

const Verdict* find_verdict(const Ended& e, const char* kind) {
  const auto found = std::ranges::find(e.verdicts, kind, &Verdict::kind);
  return found == e.verdicts.end() ? nullptr : &*found;
}

// All workers meet in every variable, so the others wait for the one that is gone.
TEST(Hangs, of_replicated_variables_name_the_worker_that_is_gone) {
  const Ended e = run_with("109_replicated_variables", {{2 * kSecond, Kill{TaskId{3u}}}},
                           {kSecond / 10, kSecond / 10, kSecond * 3 / 10});
  ASSERT_NE(find_verdict(e, "stuck"), nullptr);
  EXPECT_NE(find_verdict(e, "stuck")->text.find("The cause: the process of worker 2 ended at 2.000 s"),
            std::string::npos)
      << find_verdict(e, "stuck")->text;
  EXPECT_EQ(find_verdict(e, "went_on"), nullptr);
  EXPECT_NE(find_verdict(e, "replicated")->text.find("A worker was lost"), std::string::npos);
  const Ended no_server =
      run_with("109_replicated_variables", {{2 * kSecond, Kill{TaskId{0u}}}}, {kSecond / 10, kSecond / 10});
  EXPECT_EQ(find_verdict(no_server, "replicated")->text.find("A worker was lost"), std::string::npos);
  const Ended well = run_with("109_replicated_variables", {}, {kSecond / 10, kSecond / 10});
  EXPECT_EQ(find_verdict(well, "stuck"), nullptr);
  EXPECT_NE(find_verdict(well, "replicated")->text.find("No gradient is stale"), std::string::npos);
}

// As many gradients as workers and no spare token: every credit is needed.
RC_GTEST_PROP(Hangs, without_a_worker_to_spare_a_loss_hangs_iff_the_worker_held_a_credit, ()) {
  const auto compute = some_compute_times(3);
  const TaskId lost{static_cast<std::size_t>(*rc::gen::inRange(2, 4))};  // not the chief
  const Ended e =
      run_with("040_worker_dies", {{*rc::gen::inRange<Nanos>(3000, 15000) * 1'000'000, Kill{lost}}}, compute);
  RC_CLASSIFY(held_a_credit(e), "hangs");
  RC_ASSERT(e.has("stuck") == held_a_credit(e));
}

// One more worker than gradients: each aggregate issues a token more than it takes.
RC_GTEST_PROP(Hangs, with_a_worker_to_spare_one_loss_never_hangs, ()) {
  const auto compute = some_compute_times(4);
  const TaskId lost{static_cast<std::size_t>(*rc::gen::inRange(2, 5))};
  const Ended e =
      run_with("041_worker_dies_backup", {{*rc::gen::inRange<Nanos>(3000, 15000) * 1'000'000, Kill{lost}}}, compute);
  RC_ASSERT(!e.has("stuck"));
  RC_ASSERT(e.has("went_on"));
}

// Workers that wait for the slowest one end their steps together: the moment between two of these is no usual pause.
TEST(Hangs, of_stale_synchronous_training_are_one_for_each_loss) {
  Scenario s = shipped("066_stale_sync");
  s.faults = {{Trigger{Moment::rungraph_arrived, TaskId{1u}, 1, 0}, Preempt{TaskId{4u}, 7 * kSecond}}};
  const Outcome o = run_here(*job_for(s));
  const auto told = judge(o.log, read_contributions(o.log), o.tasks);
  EXPECT_EQ(std::ranges::count(told, "stalled", &Verdict::kind), 1);
}

TEST(Hangs, the_verdict_names_who_is_missing_and_how_many_gradients) {
  const Ended e =
      run_with("040_worker_dies", {{6 * kSecond, Kill{TaskId{3u}}}}, {kSecond / 3, kSecond / 3, 4 * kSecond});
  const auto stuck = std::ranges::find(e.verdicts, "stuck", &Verdict::kind);
  ASSERT_NE(stuck, e.verdicts.end());
  EXPECT_NE(stuck->text.find("the process of worker 2 ended at 6.000 s and did not come back (while it computed"),
            std::string::npos)
      << stuck->text;
  EXPECT_NE(
      stuck->text.find(
          "The accumulator of softmax/kernel:0 holds 2 gradients; an aggregate needs 3; worker 0 and worker 1 wait "
          "for tokens"),
      std::string::npos)
      << stuck->text;
}

TEST(Hangs, a_fault_that_waits_for_a_token_happens_right_after_it) {
  const Ended e = run_with("040_worker_dies", {{Trigger{Moment::token_taken, TaskId{2u}, 3, 0}, Kill{TaskId{2u}}}},
                           {kSecond, kSecond, kSecond});
  ASSERT_EQ(read_losses(e.log).processes.size(), 1u);
  EXPECT_EQ(read_contributions(e.log).workers.at(1).tokens.size(), 3u);
}

TEST(Faults, that_wait_in_vain_are_told_of_at_the_end) {
  const Ended e =
      run_with("040_worker_dies", {{Trigger{Moment::token_taken, TaskId{2u}, 100'000, 0}, Kill{TaskId{2u}}}},
               {kSecond, kSecond, kSecond});
  EXPECT_TRUE(std::ranges::any_of(e.log.events(), [&](const LoggedEvent& logged) {
    const auto* changed = std::get_if<ConditionChanged>(&logged.event);
    return changed != nullptr && e.log.name(changed->what).starts_with("a fault never happened");
  }));
}

TEST(Faults, after_the_end_of_the_run_are_told_of_too) {
  const auto told = [](Nanos at) {
    const Ended e = run_with("040_worker_dies", {{at, Slow{TaskId{2u}, {200}, {}}}}, {kSecond, kSecond, kSecond});
    return std::ranges::count_if(e.log.events(), [&](const LoggedEvent& logged) {
      const auto* changed = std::get_if<ConditionChanged>(&logged.event);
      return changed != nullptr && e.log.name(changed->what).starts_with("a fault never happened: the run ended");
    });
  };
  EXPECT_EQ(told(1'000 * kSecond), 1);
  EXPECT_EQ(told(kSecond), 0);
}

TEST(Faults, checkpoints_need_a_graph_with_a_saver) {
  const Folder folder;
  const std::string stem = kGraphs + "/sync_softmax_w3_r3_ps1_task0";
  std::filesystem::copy_file(stem + ".pb.zst", folder.path() + "/g.pb.zst");
  nlohmann::json sidecar = nlohmann::json::parse(*read_file(stem + ".json"));
  sidecar["session"].erase("saver");
  folder.put("g.json", sidecar.dump());
  Scenario s = shipped("047_chief_dies_checkpoint");
  s.programs[0].graph = folder.path() + "/g.pb.zst";
  const auto job = job_for(s);
  EXPECT_NE(text_of(job.status()).find("has no saver"), std::string_view::npos) << job.status();
}

}  // namespace
}  // namespace tarry
