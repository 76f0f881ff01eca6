// How clients end, or go on, after an error that another session may mend: what TensorFlow's monitored session does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr TaskId kChiefOfOneServer{1u}, kChiefOfTwo{2u};

// What the client's sessions came to, in order: "ready", "failed: ...".
std::vector<std::string> ends_of(const RanCase& c, TaskId task) {
  std::vector<std::string> out;
  for (const LoggedEvent& e : c.outcome.log.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event); s != nullptr && s->task == task) {
      if (s->stage == SessionStage::ready) out.emplace_back("ready");
      if (s->stage == SessionStage::left_loop) out.emplace_back("left");
      if (s->stage == SessionStage::failed) out.push_back("failed: " + std::string(c.outcome.log.name(s->detail)));
    }
  return out;
}

std::vector<std::string> logged(const RanCase& c, TaskId task, std::string_view begin) {
  std::vector<std::string> out;
  for (const LoggedEvent& e : c.outcome.log.events())
    if (const auto* l = std::get_if<LogLine>(&e.event);
        l != nullptr && l->task == task && c.outcome.log.name(l->text).starts_with(begin))
      out.emplace_back(c.outcome.log.name(l->text));
  return out;
}

std::int64_t steps_of(const RanCase& c, Purpose purpose) {
  return std::ranges::count_if(c.outcome.log.events(), [&](const LoggedEvent& e) {
    const auto* s = std::get_if<StepBegan>(&e.event);
    return s != nullptr && s->purpose == purpose;
  });
}

constexpr char kIsClosed[] = "FIFOQueue 'sync_token_q' is closed.";

// Nothing fills the queue when the next session begins. Its sync thread is the first to meet the closed queue.
TEST(Recovery, of_a_chief_ends_with_the_error_of_its_sync_thread_at_the_closed_queue) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\n"
      "faults: [{at: 2s, disconnect: [worker/0, ps/0]}]\nstop: {time: 20s}");
  EXPECT_THAT(ends_of(c, kChiefOfOneServer),
              ElementsAre("ready", "ready", AllOf(StartsWith("failed: "), HasSubstr(kIsClosed))));
  EXPECT_THAT(logged(c, kChiefOfOneServer, "Error reported to Coordinator: <class"),
              ElementsAre(HasSubstr("UnavailableError"), AllOf(HasSubstr("CancelledError"), HasSubstr(kIsClosed))));
  EXPECT_LT(c.outcome.log.ended_at - c.outcome.log.started_at, 3 * kSecond) << "nobody trains any more";
}

const std::string kTwoServers =
    "title: t\ncluster:\n  hosts: [server0, server1, host0, host1, host2]\n"
    "  tasks: {ps/0: server0, ps/1: server1, worker/0: host0, worker/1: host1, worker/2: host2}\n"
    "  network: {latency: 1ms}\n"
    "costs:\n- {op: SparseSoftmaxCrossEntropyWithLogits, task: worker/2, time: 300ms}\n"
    "- {op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 100ms}\n";

// Its step finds that the queue is closed, since its sync thread had found that the server was gone.
TEST(Recovery, is_tried_where_a_step_failed_after_a_thread_had_lost_a_server) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps2_task0, protocol: sync}\n"
      "faults: [{at: 3s, preempt: {task: ps/1, back_after: 1s}}]\nstop: {time: 20s}",
      kTwoServers);
  EXPECT_THAT(ends_of(c, kChiefOfTwo), ElementsAre("ready", AllOf(StartsWith("failed: "), HasSubstr(kIsClosed))));
  EXPECT_THAT(logged(c, kChiefOfTwo, "An error was raised. This may"), testing::SizeIs(1));
}

TEST(Recovery, says_what_was_done_when_the_session_broke) {
  const auto said = [](const std::string& rest, TaskId task) {
    std::vector<std::string> begins;
    const RanCase c = ran_case("build: {graph: softmax_async_ps2_task0, protocol: sync}\n" + rest, kTwoServers);
    for (const std::string& text : logged(c, task, "An error was raised"))
      begins.push_back(text.substr(0, text.find(". This")));
    return begins;
  };
  EXPECT_THAT(said("faults: [{at: 2.05s, disconnect: [worker/1, ps/0]}]\nstop: {time: 3s}", TaskId{3u}),
              ElementsAre("An error was raised"));
  EXPECT_THAT(said("faults: [{after: {session_created: worker/1}, disconnect: [worker/1, ps/0]}]\nstop: {time: 3s}",
                   TaskId{3u}),
              ElementsAre("An error was raised while a session was being created"));
  EXPECT_THAT(said("training: {workers: {worker/0: {first_step_after: 4s}}}\n"
                   "faults: [{at: 3s, preempt: {task: ps/1, back_after: 500ms}}]\nstop: {time: 5s}",
                   kChiefOfTwo),
              ElementsAre("An error was raised while considering whether the session is complete"));
}

// What its hooks do at the end of training is no step.
TEST(Recovery, is_not_tried_when_the_last_checkpoint_cannot_be_saved) {
  const RanCase c =
      ran_case(kSyncBuild +
               "training: {save_steps: 100, workers: {worker/0: {steps: 5}}}\n"
               "faults: [{after: {step_ended: worker/0, count: 5}, disconnect: [worker/0, ps/0]}]\nstop: {time: 5s}");
  EXPECT_THAT(ends_of(c, kChiefOfOneServer),
              ElementsAre("ready", AllOf(StartsWith("failed: From /job:ps"), HasSubstr("Socket closed"))));
}

// Its queue runners have begun when the first checkpoint is saved. Nothing stops them: their queue stays open.
TEST(Recovery, of_a_session_that_was_being_made_closes_no_queue) {
  const RanCase c = ran_case(
      "build: {graph: input_fifo_ps2_task1, protocol: async}\ntraining: {save_steps: 50}\n"
      "faults: [{after: {session_created: worker/0, delay: 150ms}, disconnect: [worker/0, ps/0]}]\n"
      "stop: {time: 5s}",
      "title: t\ncluster:\n  hosts: [server0, server1, host0]\n"
      "  tasks: {ps/0: server0, ps/1: server1, worker/0: host0}\n  network: {latency: 1ms}\n"
      "costs: [{op: MatMul, time: 20ms}, {op: SaveV2, time: 300ms}]\n");
  EXPECT_THAT(logged(c, kChiefOfTwo, "An error was raised"),
              ElementsAre(StartsWith("An error was raised while a session was being created.")));
  EXPECT_THAT(ends_of(c, kChiefOfTwo), ElementsAre("ready"));
  EXPECT_EQ(steps_of(c, Purpose::close_queue), 0);
}

const auto kSaves = [](const RanCase& c, TaskId task) { return logged(c, task, "Saving checkpoints for"); };

// The other chief closes the queue of tokens when it leaves.
TEST(LastCheckpoint, is_saved_by_a_chief_whose_queue_was_closed) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps1_task0, protocol: sync, chiefs: 2}\ntraining: {save_steps: 1000}\n"
      "faults: [{at: 1s, leave: worker/1}]\nstop: {time: 30s}");
  EXPECT_THAT(ends_of(c, kChiefOfOneServer), ElementsAre("ready", "left"));
  EXPECT_THAT(kSaves(c, kChiefOfOneServer), testing::SizeIs(2)) << "the first, of step 0, and the last";
}

TEST(LastCheckpoint, is_saved_by_a_chief_whose_thread_failed_between_steps) {
  const std::string job =
      "build: {graph: softmax_async_ps1_task0, protocol: sync, num_tokens: 0}\ntraining: {save_steps: 100}\n"
      "faults: [{at: 2s, disconnect: [worker/0, ps/0]}]\nstop: {time: 20s}";
  const RanCase c = ran_case(job);
  EXPECT_THAT(ends_of(c, kChiefOfOneServer),
              ElementsAre("ready", "ready", AllOf(StartsWith("failed: "), HasSubstr(kIsClosed))));
  EXPECT_THAT(kSaves(c, kChiefOfOneServer), testing::SizeIs(3)) << "0, 0 again, and the last";
}

TEST(LastCheckpoint, is_not_saved_by_a_chief_whose_step_failed) {
  const RanCase c = ran_case(
      "build: {graph: softmax_async_ps2_task0, protocol: sync}\ntraining: {save_steps: 100}\n"
      "faults: [{at: 3s, preempt: {task: ps/1, back_after: 1s}}]\nstop: {time: 20s}",
      kTwoServers);
  EXPECT_THAT(ends_of(c, kChiefOfTwo), testing::Contains(AllOf(StartsWith("failed: "), HasSubstr(kIsClosed))));
  EXPECT_THAT(kSaves(c, kChiefOfTwo), testing::Each(HasSubstr(" 0 into")));
}

// Two threads count to five together; both then find the end.
TEST(QueueRunners, close_their_queue_when_the_last_of_their_threads_is_at_the_end) {
  RanCase c =
      ran_case("build: {graph: input_files_ps1_task0, protocol: async}\nstop: {time: 1s}",
               "title: t\ncluster:\n  hosts: [server, host0]\n  tasks: {ps/0: server, worker/0: host0}\n"
               "  network: {latency: 1ms}\ncosts: [{op: ReaderReadV2, time: 10ms}, {op: MatMul, time: 20ms}]\n");
  QueueRunner& files = c.job.clients[0].program.queue_runners[0];
  files.enqueue_ops.assign(2, "input/input_producer/limit_epochs/CountUpTo");
  c.job.clients[0].program.queue_runners = {files};
  c.outcome = run_apart(c.job).value();
  EXPECT_EQ(steps_of(c, Purpose::queue_runner), 5 + 2);
  EXPECT_EQ(steps_of(c, Purpose::close_queue), 1);
  EXPECT_THAT(logged(c, kChiefOfOneServer, "Error reported to Coordinator"), IsEmpty());
}

}  // namespace
}  // namespace tarry
