// Whole jobs in small: restarts, tokens, checkpoints.

#include "scenarios/job/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/faults/small_run.hpp"
#include "workers/train/build/job_plan.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::Lt;

// ---- restarts ----

// When training steps of the worker began, in seconds, once it was restarted at 3.05 s.
std::vector<double> began_after_restart(const TrainOptions& options) {
  Job job = small_job(Restart{kWorker});
  job.faults[0].when = 3 * kSecond + kSecond / 20;
  job.start_together = false;
  job.clients[0].options = options;
  const Outcome outcome = run_here(job);
  std::vector<double> began;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* s = std::get_if<StepBegan>(&e.event);
        s != nullptr && s->purpose == Purpose::train && e.at >= 3 * kSecond + kSecond / 20)
      began.push_back(in_seconds(e.at));
  return began;
}

TEST(Job, a_restarted_client_does_not_wait_once_more_for_its_time_to_start) {
  TrainOptions late = small_job(Kill{kWorker}).clients[0].options, late_step = late;
  late.start_after = kSecond;
  late_step.first_step_after = kSecond;
  for (const TrainOptions& options : {late, late_step}) {
    const std::vector<double> began = began_after_restart(options);
    ASSERT_FALSE(began.empty());
    EXPECT_LT(began[0], 3.1);
  }
}

// It is session_ready before it arrives at the common start, which was then waited for until the end of time.
TEST(Job, whose_worker_restarts_before_the_common_start_still_starts_and_ends) {
  for (const FaultKinds& fault : {FaultKinds(Restart{kWorker}), FaultKinds(Kill{kWorker})}) {
    Job job = small_job(fault);
    job.faults[0].when = Trigger{Moment::session_ready, kWorker, 1, 0};
    const Outcome outcome = run_here(job);
    const bool is_back = std::holds_alternative<Restart>(fault);
    EXPECT_EQ(outcome.log.ended_at - outcome.log.started_at, is_back ? 5 * kSecond : 0) << is_back;
    std::int64_t steps = 0;
    for (const WorkerStory& w : read_contributions(outcome.log).workers) steps += w.steps;
    EXPECT_EQ(steps, is_back ? 50 : 0);
  }
}

// What the client's session came to, and the words for it.
std::vector<std::string> ends_of_client(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event))
      if (s->stage == SessionStage::failed || s->stage == SessionStage::left_loop)
        out.push_back((s->stage == SessionStage::failed ? "failed: " : "left: ") +
                      std::string(outcome.log.name(s->detail)));
  return out;
}

// Its own step finds only that the token queue is closed, which is how data ends, too.
TEST(Job, whose_sync_thread_fails_ends_with_the_error_of_that_thread) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  ClientProgram& program = job.clients[0].program;
  program = shipped_program("sync_softmax_w3_r3_ps1_task0", {.batch = 4});
  program.sync->chief_runner.enqueue_ops = {"xent"};  // nothing feeds what it needs
  program.sync->init_tokens_op.clear();               // the client's own step waits for a token meanwhile:
  job.costs.rules = {{.op = "Placeholder", .amount = Constant{kSecond}}};
  EXPECT_THAT(ends_of_client(run_here(job)),
              ElementsAre(AllOf(testing::StartsWith("failed: "), testing::HasSubstr("You must feed a value"))));
}

// Two workers; something happens to the first when its session is ready, which is before it arrives at the start.
Outcome with_another_worker(const FaultKinds& fault) {
  Job job = small_job(fault);
  job.faults[0].when = Trigger{Moment::session_ready, kWorker, 1, 0};
  job.cluster.network.between_hosts = {.latency = kSecond / 100};
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", kHost0});
  job.clients.push_back({TaskId{2u}, shipped_program("softmax_async_ps1_task1", {.batch = 4}), job.clients[0].options});
  for (ClientJob& c : job.clients) c.options.session.device_filters.clear();
  return run_here(job);
}

TEST(CommonStart, waits_no_longer_for_a_worker_that_died_before_it) {
  const Outcome outcome = with_another_worker(Kill{kWorker});
  const auto workers = read_contributions(outcome.log).workers;
  ASSERT_EQ(workers.size(), 1u);
  EXPECT_EQ(workers[0].task, TaskId{2u});
  EXPECT_GT(workers[0].steps, 20);
}

TEST(CommonStart, waits_for_the_worker_that_restarted_before_it) {
  const Outcome outcome = with_another_worker(Restart{kWorker});
  std::vector<Nanos> ready;
  Nanos first_step = -1;
  for (const LoggedEvent& e : outcome.log.events()) {
    const auto* moved = std::get_if<SessionMoved>(&e.event);
    if (moved != nullptr && moved->task == kWorker && moved->stage == SessionStage::ready) ready.push_back(e.at);
    const auto* began = std::get_if<StepBegan>(&e.event);
    if (first_step < 0 && began != nullptr && began->purpose == Purpose::train) first_step = e.at;
  }
  ASSERT_EQ(ready.size(), 2u);
  EXPECT_GE(first_step, ready[1]);
  EXPECT_EQ(read_contributions(outcome.log).workers.size(), 2u);
}

TEST(CommonStart, of_a_worker_that_starts_late_is_kept_by_the_process_that_follows) {
  constexpr TaskId kLate{2u};
  Job job = small_job(Restart{kLate});
  job.faults[0].when = Trigger{Moment::session_ready, kWorker, 1, 0};  // just before the start
  job.cluster.tasks.push_back({"/job:worker/replica:0/task:1", kHost0});
  job.clients.push_back({kLate, shipped_program("softmax_async_ps1_task1", {.batch = 4}), job.clients[0].options});
  for (ClientJob& c : job.clients) c.options.session.device_filters.clear();
  job.clients[1].options.joins_gate = false;
  job.clients[1].options.start_after = 2 * kSecond;
  const Outcome outcome = run_here(job);
  const auto workers = read_contributions(outcome.log).workers;
  ASSERT_EQ(workers.size(), 2u);
  EXPECT_EQ(workers[1].task, kLate);
  EXPECT_GE(workers[1].first_step - outcome.log.started_at, 2 * kSecond);
}

TEST(NaturalStart, is_no_common_start_when_its_workers_are_gone) {
  Job job = small_job(Kill{kWorker});
  job.start_together = false;
  job.faults.push_back({2 * kSecond, Kill{kPs}});
  const Outcome outcome = run_here(job);
  EXPECT_EQ(outcome.log.started_at, 0);
  int ended = 0;
  for (const LoggedEvent& e : outcome.log.events()) ended += std::holds_alternative<ProcessEnded>(e.event) ? 1 : 0;
  EXPECT_EQ(ended, 2);
}

// ---- the end ----

// The small job, cut off after so many milliseconds; a step takes a hundred.
Outcome cut_off_at(Nanos milliseconds) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.stop.time = milliseconds * kSecond / 1000;
  return run_here(job);
}

TEST(TheHashOfAJob, covers_the_time_at_which_it_was_cut_off) {
  EXPECT_EQ(cut_off_at(350).log.hash(), cut_off_at(350).log.hash());
  EXPECT_NE(cut_off_at(350).log.hash(), cut_off_at(351).log.hash());  // nothing happens in between
}

TEST(AJob, that_is_cut_off_tells_the_kernel_that_was_running) {
  const Outcome outcome = cut_off_at(350);
  const auto cut_off = std::ranges::count_if(
      outcome.log.events(), [](const LoggedEvent& e) { return std::holds_alternative<KernelCutOff>(e.event); });
  EXPECT_EQ(cut_off, 1);
}

TEST(AJob, ends_when_its_workers_have_begun_so_many_steps) {
  const auto begun = [](std::optional<std::int64_t> limit) {
    Job job = small_job(Kill{kWorker});
    job.faults.clear();
    job.stop.began = limit;
    const Outcome outcome = run_here(job);
    return std::ranges::count_if(outcome.log.events(), [](const LoggedEvent& e) {
      const auto* s = std::get_if<StepBegan>(&e.event);
      return s != nullptr && s->purpose == Purpose::train;
    });
  };
  EXPECT_EQ(begun(7), 7);
  EXPECT_EQ(begun({}), 51);
}

// ---- the global step ----

std::int64_t last_global_step(const ClientProgram& program, std::int64_t stop_at) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.clients[0].program = program;
  job.clients[0].options.last_global_step = stop_at;
  return read_contributions(run_here(job).log).global_step;
}

TEST(GlobalStep, ends_training_with_variables_of_either_kind) {
  EXPECT_EQ(last_global_step(shipped_program("softmax_async_ps1_task0", {.batch = 4}), 7), 7);
  const auto recorded = shipped_program("sync_softmax_res_w3_r3_ps1_task0", {.batch = 4});
  const JobPlan alone{.protocol = Protocol::asynchronous, .workers = 1, .ps = 1};
  EXPECT_EQ(last_global_step(build_job(recorded, alone).value().front(), 7), 7);
}

// ---- messages ----

TEST(Messages, of_a_tensor_carry_its_key_and_those_of_a_step_its_number) {
  const Outcome outcome = cut_off_at(350);
  std::map<std::string, std::pair<int, int>> with;  // by kind: how many have a key, a step
  std::map<std::string, int> all;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event)) {
      const std::string kind(outcome.log.name(m->kind));
      ++all[kind];
      with[kind].first += outcome.log.name(m->key).find(";edge_") != std::string_view::npos;
      with[kind].second += m->step.value != 0;
    }
  for (const char* kind : {"RecvTensor request", "RecvTensor reply"}) {
    EXPECT_GT(all[kind], 0);
    EXPECT_EQ(with[kind], std::pair(all[kind], all[kind])) << kind;
  }
  EXPECT_EQ(with["RunGraph request"], std::pair(0, all["RunGraph request"]));
  EXPECT_EQ(with["RegisterGraph request"], std::pair(0, 0));
}

// ---- tokens ----

struct Tokens {
  std::vector<std::vector<std::int64_t>> of_aggregates;  // the values that each sync step puts into the queue
  std::vector<std::int64_t> initial;
};

Tokens tokens_of(const JobPlan& plan) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.clients.clear();
  job.cluster.tasks.resize(1);
  const auto programs = build_job(shipped_program("softmax_async_ps1_task0", {.batch = 4}), plan);
  for (const ClientProgram& p : programs.value()) {
    const TaskId task{job.cluster.tasks.size()};
    job.cluster.tasks.push_back({fmt::format("/job:worker/replica:0/task:{}", job.clients.size()), kHost0});
    job.clients.push_back({task, p, {}});
  }
  job.stop.aggregates = 3;
  const Outcome outcome = run_here(job);
  std::map<StepId, Purpose> steps;
  std::map<StepId, std::vector<std::int64_t>> put;
  Tokens tokens{.initial = read_contributions(outcome.log).initial_tokens};
  for (const LoggedEvent& e : outcome.log.events()) {
    if (const auto* s = std::get_if<StepBegan>(&e.event)) steps[s->step] = s->purpose;
    if (const auto* q = std::get_if<Enqueued>(&e.event); q != nullptr && steps[q->step] == Purpose::sync)
      put[q->step].push_back(q->value);
  }
  for (auto& [step, values] : put) tokens.of_aggregates.push_back(std::move(values));
  std::ranges::sort(tokens.of_aggregates);
  return tokens;
}

TEST(Tokens, of_an_aggregate_are_one_for_each_worker_and_carry_the_step_that_it_made) {
  const Tokens t = tokens_of({.workers = 3, .ps = 1, .replicas = 2});
  EXPECT_THAT(t.of_aggregates.at(0), ElementsAre(1, 1, 1));
  EXPECT_THAT(t.of_aggregates.at(1), ElementsAre(2, 2, 2));
  EXPECT_THAT(t.initial, ElementsAre(0, 0));
}

TEST(Tokens, of_an_aggregate_are_as_many_as_it_needs_gradients_where_that_is_more) {
  const Tokens t = tokens_of({.workers = 2, .ps = 1, .replicas = 3});
  EXPECT_THAT(t.of_aggregates.at(0), ElementsAre(1, 1, 1));
  EXPECT_THAT(t.initial, ElementsAre(0, 0, 0));
}

// ---- checkpoints ----

// The global steps that the chief saves when it makes so many steps.
std::vector<std::string> saved(std::int64_t steps, std::int64_t save_steps) {
  Job job = small_job(Kill{kWorker});
  job.faults.clear();
  job.clients[0].options.steps = steps;
  job.clients[0].options.save_steps = save_steps;
  const Outcome outcome = run_here(job);
  std::vector<std::string> all;
  for (const LoggedEvent& e : outcome.log.events())
    if (const auto* l = std::get_if<LogLine>(&e.event); l != nullptr)
      if (const std::string_view text = outcome.log.name(l->text); text.starts_with("Saving checkpoints for "))
        all.emplace_back(text.substr(23, text.find(' ', 23) - 23));
  return all;
}

TEST(Checkpoints, are_saved_at_the_start_at_every_interval_and_at_the_end) {
  EXPECT_THAT(saved(5, 2), ElementsAre("0", "2", "4", "5"));
}

TEST(Checkpoints, of_the_last_step_are_not_saved_twice) { EXPECT_THAT(saved(4, 2), ElementsAre("0", "2", "4")); }

}  // namespace
}  // namespace tarry
