// Runs that are cut off while something is under way: none of them stands still for good, or all of them do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/ran_case.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

// A parameter server and `workers` workers, each on a host of its own; `of`: the time of a step's kernel.
std::string cluster(int workers, const std::string& of) {
  std::string hosts = "server", tasks = "ps/0: server";
  for (int w = 0; w < workers; ++w) {
    hosts += fmt::format(", h{}", w);
    tasks += fmt::format(", worker/{0}: {{host: h{0}, gpus: 1}}", w);
  }
  return fmt::format(
      "title: t\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{latency: 1ms}}\nfeeds: {{batch: 10}}\n"
      "costs:\n- {{op: SparseSoftmaxCrossEntropyWithLogits, job: worker, time: {}}}\n",
      hosts, tasks, of);
}
std::string build(const std::string& protocol) {
  return "build: {graph: softmax_async_ps1_task0, protocol: " + protocol + "}\n";
}
const std::string kSoft = "training: {soft_placement: true";

// What the verdict of that kind says of the run that ends at `stop`; "" where there is none.
std::string says(const std::string& kind, const std::string& of_cluster, const std::string& rest, const char* stop) {
  const RanCase c = ran_case(rest + "stop: {time: " + stop + "}\n", of_cluster);
  for (const Verdict& v : judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks))
    if (v.kind == kind) return v.text;
  return "";
}

TEST(ToldAhead, a_slow_kernel_of_the_step_that_hands_out_tokens_is_no_hang) {
  const std::string slow = cluster(2, "300ms") + "- {op: ApplyGradientDescent, job: ps, time: 20s}\n";
  for (const char* stop : {"2s", "35s"}) EXPECT_EQ(says("stuck", slow, build("sync"), stop), "");
  const std::string more =
      build("sync, num_tokens: 0, replicas_to_aggregate: 2") + "training: {workers: {worker/1: {absent: true}}}\n";
  EXPECT_NE(says("stuck", slow, more, "2s"), "");
}

TEST(ToldAhead, a_worker_that_is_to_begin_later_is_no_hang) {
  const std::string rest = build("sync, num_tokens: 0") + kSoft + ", workers: {worker/1: {start_after: 45s}}}\n";
  EXPECT_THAT(says("no_aggregate", cluster(3, "300ms"), rest, "10s"),
              HasSubstr("and worker 1 had begun no step. The first one would have been complete at 45.3"));
  EXPECT_EQ(says("stuck", cluster(3, "300ms"), rest, "10s"), "");
  const std::string absent = build("sync, num_tokens: 0") + kSoft + ", workers: {worker/1: {absent: true}}}\n";
  EXPECT_NE(says("stuck", cluster(3, "300ms"), absent, "10s"), "");
}

TEST(ToldAhead, the_first_checkpoint_of_a_chief_that_has_its_model_again_is_no_hang) {
  const std::string saves = cluster(2, "100ms") + "- {op: SaveV2, time: 10s}\n";
  const std::string parted = build("sync") +
                             "training: {save_steps: 1000}\nfaults: [{at: 8.24s, part_breaking: {between: "
                             "[h0, server], breaks_after: 1s, lasts: 10s}}]\n";
  EXPECT_EQ(says("stuck", saves, parted, "25s"), "");
  EXPECT_THAT(says("stalled", saves, parted, "25s"), HasSubstr(" Training would have gone on at 28.3"));
}

TEST(ToldAhead, a_token_that_another_worker_will_use_is_not_lost) {
  const std::string killed = build("sync") + "faults: [{at: 1s, kill: worker/1}]\n";
  EXPECT_THAT(says("no_aggregate", cluster(2, "20s"), killed, "10s"),
              HasSubstr(" The first one would have been complete at 40.00"));
  EXPECT_EQ(says("stuck", cluster(2, "20s"), killed, "10s"), "");
  const std::string alone = build("sync, num_tokens: 0") + "faults: [{at: 1s, kill: worker/1}]\n";
  EXPECT_NE(says("stuck", cluster(2, "20s"), alone, "10s"), "") << "there is no token to spare";
}

TEST(ToldAhead, what_is_slow_is_not_blamed_for_a_pause_that_is_there_without_it) {
  const std::string saves = cluster(3, "300ms") + "- {op: SaveV2, executions: [1, 1], time: 30s}\n";
  const std::string slow = build("stale_sync, staleness: 2") +
                           "training: {save_steps: 20}\nfaults: [{at: 2s, slow: {task: worker/1, percent: PERCENT}}]\n";
  const auto with = [&](const char* percent) {
    std::string rest = slow;
    return rest.replace(rest.find("PERCENT"), 7, percent);
  };
  EXPECT_EQ(says("stuck", saves, with("300"), "12s"), "");
  EXPECT_NE(says("stuck", cluster(3, "300ms"), with("100000"), "12s"), "");
}

TEST(ToldAhead, what_is_slow_is_blamed_neither_beside_a_lost_worker_that_is_back) {
  const std::string reads =
      "title: t\ncluster:\n  hosts: [s, h0, h1]\n  tasks: {ps/0: s, worker/0: h0, worker/1: h1}\n  network: {latency: "
      "1ms}\nbuild: {graph: input_files_ps1_task0, protocol: sync}\nfeeds: {files: [{name: \"data/part-*\", records: "
      "100000}]}\ncosts: [{op: MatMul, job: worker, time: 1s}, {op: ReaderReadV2, time: 100ms}]\n";
  const std::string rest =
      "faults: [{at: 6s, preempt: {task: worker/1, back_after: 5s}}, {at: 18s, slow: {task: worker/0, percent: "
      "300}}]\n";
  EXPECT_EQ(says("stuck", reads, rest, "60s"), "");
  EXPECT_THAT(says("no_aggregate", reads, rest, "60s"), HasSubstr("The first one would have been complete at 125.8"));
}

TEST(ToldAhead, nobody_went_on_while_all_waited_for_the_step_that_hands_out_tokens) {
  const std::string slow =
                        cluster(3, "300ms") + "- {op: ApplyGradientDescent, job: ps, executions: [0, 0], time: 30s}\n",
                    rest = build("sync, num_tokens: 0") + "faults: [{at: 2s, pause: {task: ps/0, lasts: 1s}}]\n";
  for (const char* stop : {"3.301s", "28.56s"}) EXPECT_EQ(says("went_on", slow, rest, stop), "") << stop;
}

TEST(ToldAhead, a_job_that_only_saves_once_more_before_it_ends_is_no_hang) {
  const std::string saves = cluster(2, "500ms") + "- {op: SaveV2, time: 10s}\n",
                    rest = build("async") +
                           "training: {save_steps: 1000, workers: {worker/0: {global_step: 10}, "
                           "worker/1: {global_step: 10}}}\n";
  EXPECT_EQ(says("stuck", saves, rest, "13s"), "");
}

// A server is lost again and again; the chief saves for 30 s then, and no kernel runs while messages are on their way
// after that.
TEST(ToldAhead, what_clients_looked_for_in_vain_before_the_last_fault_does_not_count_after_it) {
  std::string far = cluster(2, "100ms") + "- {op: SaveV2, time: 30s}\n";
  far.replace(far.find("latency: 1ms"), 12, "latency: 100ms");
  for (const int from : {40, 59}) {
    std::string faults;
    for (int at = from; at < 80; ++at)
      faults += fmt::format("{{at: {}s, preempt: {{task: ps/0, back_after: 200ms}}}},", at);
    faults.pop_back();
    const std::string rest = build("sync") + "training: {save_steps: 1000}\nfaults: [" + faults + "]\n";
    for (const char* stop : {"90s", "110s"}) EXPECT_EQ(says("stuck", far, rest, stop), "") << from << " " << stop;
  }
}

// Worker 2 never came, so that no step of the others ever ends; a kernel runs until 72 s.
TEST(ToldAhead, what_is_under_way_does_not_hide_that_nothing_will_come_of_it) {
  const std::string rest = build("replicated") + kSoft +
                           ", workers: {worker/2: {absent: true}}}\n"
                           "faults: [{at: 2.45s, preempt: {task: ps/0, back_after: 10s}}]\n";
  const std::string slow = cluster(3, "60s");
  for (const char* stop : {"10s", "70s", "90s", "150s"}) EXPECT_NE(says("stuck", slow, rest, stop), "") << stop;
}

}  // namespace
}  // namespace tarry
