// What is said of jobs that end, or stand still, for want of workers, beside their healthy twins.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/file/designs.hpp"
#include "scenarios/file/ran_case.hpp"
#include "scenarios/file/tried_cures.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/why.hpp"

namespace tarry {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct ToldAndTried {
  std::vector<Verdict> verdicts;
  TriedCures cures;
  // What kinds of verdicts say, one after the other.
  [[nodiscard]] std::string says(std::string_view kind) const {
    std::string all;
    for (const Verdict& v : verdicts)
      if (v.kind == kind) all += v.text + "\n";
    return all;
  }
  // What is said of the cures of the verdict.
  [[nodiscard]] std::string tried(std::string_view kind) const {
    std::string all;
    for (const TriedCure& c : cures.all)
      if (c.verdict == kind)
        all += fmt::format("{} {}: {}\n", cures.helps(c) ? "+" : "-", c.advice, result_in_words(cures, c));
    return all;
  }
};

ToldAndTried told_and_tried(const RanCase& c) {
  const auto proofs = prove(c.job, c.outcome, {}, likely_designs(c.scenario, c.options).value()).value();
  ToldAndTried out{judge(c.outcome.log, read_contributions(c.outcome.log), c.outcome.tasks, proofs), {}};
  out.cures = try_cures({c.scenario, c.options, c.job, c.outcome, proofs}, out.verdicts).value();
  return out;
}

// A parameter server and workers, each on a host of its own, whose steps take 200 ms.
ToldAndTried told_of_workers(int workers, const std::string& rest,
                             const std::string& op = "SparseSoftmaxCrossEntropyWithLogits") {
  std::string hosts, tasks;
  const char* gpus = rest.find("protocol: replicated") == rest.npos ? "" : ", gpus: 1";
  for (int w = 0; w < workers; ++w) hosts += fmt::format(", h{}", w);
  for (int w = 0; w < workers; ++w) tasks += fmt::format(", worker/{0}: {{host: h{0}{1}}}", w, gpus);
  return told_and_tried(
      ran_case(rest, fmt::format("title: t\ncluster:\n  hosts: [s{}]\n  tasks: {{ps/0: s{}}}\n  network: "
                                 "{{latency: 1ms}}\ncosts: [{{op: {}, job: worker, time: 200ms}}]\n",
                                 hosts, tasks, op)));
}

const std::string kStopGraph = "build: {graph: softmax_async_ps1_task0, protocol: ",
                  kThreeOfFour = kStopGraph + "sync, replicas_to_aggregate: 3}\ntraining: {queue_runner: old}\n",
                  kCutOff = "faults: [{at: 4.1s, part: {between: [h3, s]}}]\n";

TEST(ToldStops, name_a_stop_after_steps_of_each_where_one_for_all_lets_the_job_go_on) {
  const ToldAndTried t = told_of_workers(4, kThreeOfFour + "stop: {steps: 40}");
  EXPECT_THAT(t.says("stuck"), HasSubstr("The cause: each worker leaves after 40 steps of its own; and worker "));
  EXPECT_THAT(t.says("stuck"),
              EndsWith("Run again with a stop at global step 40 for all together (same seed), the job "
                       "goes on. To do: let training stop at a global step, which all workers share.\n"));
  EXPECT_EQ(t.tried("stuck"), "+ stop at a global step: the job goes on instead of hanging\n");
  EXPECT_EQ(told_of_workers(4, kThreeOfFour + "stop: {global_step: 40}").says("stuck"), "");
}

TEST(ToldStops, name_a_fault_beside_the_steps_only_where_the_job_needs_both_away) {
  const ToldAndTried t = told_of_workers(4, kThreeOfFour + kCutOff + "stop: {steps: 40}");
  EXPECT_THAT(t.says("stuck"),
              AllOf(HasSubstr("from 4.100 s on"), HasSubstr("; and each worker leaves after 40"),
                    HasSubstr(" for all together, and without any fault (same seed), the job goes on."),
                    HasSubstr("which all workers share; and join h3 and s again")));
  EXPECT_THAT(t.tried("stuck"), HasSubstr("+ stop at a global step, and without any fault: the job goes on"));
}

TEST(ToldStops, name_who_began_late_before_those_who_left_without_it) {
  const std::string rest = kStopGraph + "sync}\ntraining: {queue_runner: old, workers: {worker/2: {first_step_after: ";
  const ToldAndTried t = told_of_workers(3, rest + "4s}}}\nstop: {steps: 30}");
  EXPECT_THAT(t.says("stuck"),
              HasSubstr("The cause: worker 2 began 4.000 s after the worker that began first; and each"));
  EXPECT_THAT(t.says("stuck"), HasSubstr("To do: start the workers together, or let training stop at a global step"));
  EXPECT_THAT(t.tried("stuck"), HasSubstr("+ start the workers together: the job goes on instead of hanging"));
  EXPECT_EQ(told_of_workers(3, rest + "0s}}}\nstop: {steps: 30}").says("stuck"), "");
}

TEST(ToldStops, name_the_lost_worker_for_whose_tokens_replicated_variables_wait_at_the_stop) {
  const std::string rest = kStopGraph + "replicated}\ntraining: {soft_placement: true}\nstop: {global_step: 150}\n";
  const std::string slow =
      "SparseSoftmaxCrossEntropyWithLogits, task: worker/3, time: 600ms}, {op: "
      "SparseSoftmaxCrossEntropyWithLogits";
  const ToldAndTried t =
      told_of_workers(5, rest + "faults: [{at: 2.992s, lose_host: {host: h0, back_after: 4s}}]", slow);
  EXPECT_THAT(t.says("stuck"), HasSubstr("The cause: the process of worker 0 ended at 2.992 s"));
  EXPECT_THAT(t.says("stuck"), HasSubstr("without the faults of h0 (same seed), the job goes on. To do: find out what "
                                         "ends worker 0"));
  EXPECT_THAT(t.tried("stuck"), HasSubstr("+ without what ends it: the job goes on"));
  EXPECT_EQ(told_of_workers(5, rest, slow).says("stuck"), "");
}

TEST(ToldStops, name_a_count_of_epochs_that_all_workers_share) {
  const std::string rest = "build: {graph: input_files_ps1_task0, protocol: sync, num_tokens: 0}\nstop: {time: 20s}\n";
  const ToldAndTried t = told_of_workers(4, rest, "MatMul");
  EXPECT_THAT(t.says("ended_early"), HasSubstr(" The cause: input/input_producer/limit_epochs/epochs is on ps 0 and "
                                               "counts up to 5 for all workers together. Run again with a count of "
                                               "epochs for each worker (same seed), the job goes on. To do: make the "
                                               "queue of file names under tf.device of each worker"));
  EXPECT_EQ(t.says("no_aggregate"), "") << "nobody is left to complete it";
  EXPECT_THAT(t.tried("ended_early"), HasSubstr("+ have each worker count its own epochs: the job goes on"));
}

TEST(ToldStops, name_the_shared_count_of_epochs_of_workers_that_others_trained_on_without) {
  const auto of = [](const std::string& files) {
    return told_of_workers(
        4,
        "build: {graph: input_files_ps1_task0, protocol: async}\nfeeds: {files: [" + files + "]}\nstop: {steps: 120}",
        "MatMul");
  };
  const ToldAndTried t = of("{name: data/part-*, records: 40, task: worker/2}, {name: data/part-*, records: 1000000}");
  EXPECT_THAT(t.says("went_on"), HasSubstr("The cause: input/input_producer/limit_epochs/epochs is on ps 0 and counts "
                                           "up to 5 for all workers together. Run again with a count of epochs for "
                                           "each worker (same seed), the same work takes "));
  EXPECT_THAT(t.says("went_on"), HasSubstr(" To do: make the queue of file names under tf.device of each worker, which "
                                           "then counts its own epochs."));
  EXPECT_THAT(t.tried("went_on"), HasSubstr("+ have each worker count its own epochs: "));
}

// The last of them has read what is left for it.
TEST(ToldStops, name_once_that_the_data_of_all_was_at_its_end) {
  const auto of = [](const std::string& files) {
    return told_of_workers(
        4,
        "build: {graph: input_files_ps1_task0, protocol: async}\nfeeds: {files: [" + files + "]}\nstop: {steps: 400}",
        "MatMul");
  };
  const ToldAndTried t = of("{name: \"*\", records: 300}");
  EXPECT_THAT(t.says("ended_early"), HasSubstr("as the data of all who trained was at its end: worker 0 after "));
  EXPECT_EQ(t.says("went_on"), "");
  EXPECT_EQ(of("{name: \"*\", records: 300000}").says("ended_early"), "");
}

TEST(ToldStops, name_no_end_of_training_that_the_scenario_asks_for) {
  const std::string async = kStopGraph + "async}\n";
  EXPECT_EQ(
      told_of_workers(2, async + "training: {workers: {worker/1: {steps: 10}}}\nstop: {time: 9s}").says("ended_early"),
      "")
      << "workers.T.steps tells it to leave";
  EXPECT_EQ(told_of_workers(2, async + "faults: [{at: 2s, leave: worker/1}]\nstop: {steps: 40}").says("ended_early"),
            "")
      << "the other one goes on to the stop";
  EXPECT_EQ(told_of_workers(2, async + "faults: [{at: 2s, leave: worker/1}, {after: {step_began: worker/0, count: 40}, "
                                       "leave: worker/0}]\nstop: {steps: 40}")
                .says("ended_early"),
            "")
      << "one has done its steps";
}

TEST(ToldStops, name_workers_that_the_graph_is_for_and_the_cluster_lacks) {
  for (const std::string protocol : {"stale_sync", "replicated"}) {
    const ToldAndTried t =
        told_of_workers(3, kStopGraph + protocol + ", workers: 4}\ntraining: {soft_placement: true}\nstop: {time: 9s}");
    EXPECT_THAT(t.says("stuck"), HasSubstr("The cause: the graph is built for 4 workers, and the cluster has 3, and "));
    EXPECT_THAT(t.says("stuck"), EndsWith("(same seed), the job goes on. To do: build the graph for 3 workers.\n"));
    EXPECT_THAT(t.tried("stuck"), HasSubstr("+ build the graph for the workers that train: the job goes on"));
    EXPECT_EQ(told_of_workers(3, kStopGraph + protocol + "}\ntraining: {soft_placement: true}\nstop: {time: 9s}")
                  .says("stuck"),
              "");
  }
}

TEST(ToldStops, let_a_cured_job_that_had_not_begun_run_for_its_own_time) {
  const ToldAndTried t =
      told_of_workers(2, kStopGraph + "async}\ntraining: {start: natural, workers: {worker/0: {absent: true}}}\n" +
                             "stop: {time: 50s}");
  EXPECT_THAT(t.tried("not_started"), HasSubstr("+ start the workers that are missing: 4"));
}

TEST(ToldStops, tell_why_a_job_without_its_chief_never_began) {
  const auto causes = [](const std::string& absent) {
    const RanCase c =
        ran_case(kStopGraph + "async}\ntraining: {start: natural, workers: {worker/0: {absent: " + absent +
                 "}}}\nstop: {time: 50s}");
    std::string all;
    const Why all_of_it = why(c.job, c.outcome, other_designs(c.scenario, c.options).value()).value();
    for (const WhyCause& w : all_of_it.itself)
      if (w.proof.goes_on) all += w.proof.instead + ": " + w.proof.what + "\n";
    return all;
  };
  EXPECT_EQ(causes("true"), "with worker 0: worker 0 never comes\n");
  EXPECT_EQ(causes("false"), "");
}

TEST(ToldStops, try_no_missing_worker_where_one_is_only_late) {
  const ToldAndTried t = told_of_workers(3, kStopGraph +
                                                "sync, num_tokens: 0}\ntraining: {start: natural, workers: {worker/2: "
                                                "{start_after: 10s}}}\nstop: {time: 20s}");
  EXPECT_THAT(t.tried("late_start"), testing::StartsWith("+ start the workers as soon as the model is there"));
}

TEST(ToldStops, blame_no_process_that_begins_anew_when_all_have_left) {
  const auto kinds = [](const std::string& protocol, const std::string& when) {
    const ToldAndTried t = told_of_workers(
        3, kStopGraph + protocol + "}\nfaults: [{at: " + when + ", restart: worker/1}]\nstop: {steps: 100}");
    std::string all;
    for (const char* kind : {"stalled", "slowed", "ended_early", "stuck"})
      if (!t.says(kind).empty()) all += std::string(kind) + " ";
    return all;
  };
  EXPECT_EQ(kinds("async", "60s"), "");
  EXPECT_EQ(kinds("sync, num_tokens: 0", "60s"), "");
  EXPECT_EQ(kinds("sync, num_tokens: 0", "10s"), "ended_early ") << "its own steps are counted from 0";
}

TEST(ToldStops, lose_nothing_by_a_chief_that_begins_anew_when_all_have_left) {
  const auto lost = [](const char* when) {
    return told_of_workers(3,
                           kStopGraph + "async}\nfaults: [{at: " + when + ", restart: worker/0}]\nstop: {steps: 50}");
  };
  EXPECT_EQ(lost("60s").says("progress_lost"), "");
  EXPECT_THAT(lost("5s").says("progress_lost"), HasSubstr("a chief that starts anew"));
}

TEST(ToldStops, name_the_chief_that_all_wait_for_before_they_start_together) {
  const ToldAndTried t =
      told_of_workers(3, kStopGraph + "async}\ntraining: {workers: {worker/0: {start_after: 10s}}}\nstop: {time: 20s}");
  EXPECT_THAT(t.says("not_started"),
              HasSubstr("The cause: worker 0 was to begin 10.000 s after the worker that began first, and the others "
                        "wait for the model that it makes before all start together. Run again with worker 0 as early "
                        "as the first (same seed), the "
                        "job goes on. To do: start the workers together (training.start: natural"));
  EXPECT_EQ(t.tried("not_started"), "+ start the workers together: the job goes on instead of hanging\n");
}

TEST(ToldStops, tell_of_a_worker_that_sleeps_when_the_run_ends_and_of_no_circle) {
  const auto told = [](const char* replicas, const char* tokens) {
    return told_of_workers(2, kStopGraph + "sync, num_tokens: " + tokens + ", replicas_to_aggregate: " + replicas +
                                  "}\ntraining: {start: natural, workers: {worker/0: {start_after: 1s}}}\nstop: "
                                  "{time: 30s}");
  };
  EXPECT_EQ(told("2", "0").says("stuck"), "");
  EXPECT_THAT(told("2", "0").says("absent"), HasSubstr("worker 1 never began a step: it looked for the model once"));
  EXPECT_THAT(told("3", "1").says("no_aggregate"), HasSubstr("The first one would have been complete at 30.2"));
}

TEST(ToldStops, tell_what_a_missing_worker_would_gain_in_a_job_that_needs_its_gradients) {
  const auto told = [](const std::string& build) {
    return told_of_workers(4, kStopGraph + build +
                                  "}\ntraining: {workers: {worker/3: {absent: true}}}\nstop: "
                                  "{aggregates: 40}");
  };
  const ToldAndTried all = told("sync, replicas_to_aggregate: 4, num_tokens: 4");
  EXPECT_THAT(all.says("absent"), HasSubstr("Run again with worker 3 (same seed), the same work takes 48."));
  EXPECT_THAT(all.tried("absent"), testing::StartsWith("+ start it: 48."));
  EXPECT_THAT(told("sync, replicas_to_aggregate: 3, num_tokens: 0").says("absent"),
              HasSubstr("the same work takes 32.2 % less time"))
      << "its tokens make the others compute for nothing";
}

TEST(ToldStops, try_a_new_chief_with_checkpoints) {
  const ToldAndTried t =
      told_of_workers(3, kStopGraph + "async}\nfaults: [{at: 2s, kill: worker/0}]\nstop: {global_step: 120}");
  EXPECT_THAT(t.says("went_on"), HasSubstr("To do: restart worker 0, the chief, and save checkpoints."));
  EXPECT_THAT(t.tried("went_on"),
              AllOf(HasSubstr("+ restart worker 0 within a second: 2.2 % less time, 37 global"),
                    HasSubstr("within a second, and save checkpoints: 16.1 % less time, 13 global")));
}

TEST(ToldStops, name_who_never_came_beside_one_who_was_lost) {
  const std::string rest = kStopGraph + "sync, replicas_to_aggregate: 2, num_tokens: 0}\nstop: {time: 20s}\n",
                    lost = "faults: [{at: 5s, kill: worker/1}]\n";
  EXPECT_THAT(
      told_of_workers(3, rest + lost + "training: {workers: {worker/2: {absent: true}}}").says("absent"),
      AllOf(HasSubstr("The graph is for 3 workers, worker 2 never began a step."), EndsWith("To do: start it.\n")));
  EXPECT_EQ(told_of_workers(3, rest + lost).says("absent"), "");
  EXPECT_EQ(told_of_workers(3, rest + "faults: [{at: 0s, kill: worker/2}]").says("absent"), "") << "it was lost";
}

TEST(ToldStops, name_the_accumulator_whose_aggregate_somebody_waits_for) {
  const ToldAndTried t = told_and_tried(ran_case(
      "build: {graph: input_fifo_ps2_task1, protocol: sync, num_tokens: 0}\nstop: {time: 6s}\n"
      "faults: [{at: 1.58s, lose_host: {host: h0, back_after: 1s}}]\n",
      "title: t\ncluster:\n  hosts: [s0, s1, s2, h0, h1, h2]\n  tasks: {ps/0: s0, ps/1: s1, ps/2: s2, "
      "worker/0: h0, worker/1: h1, worker/2: h2}\n  network: {latency: 2ms}\ncosts: [{op: MatMul, job: worker, "
      "time: 100ms}]\n"));
  EXPECT_THAT(t.says("stuck"), HasSubstr("The accumulator of b:0 holds 1 gradient; an aggregate needs 3"));
}

TEST(ToldStops, name_who_came_late_once) {
  const ToldAndTried t = told_of_workers(
      4, kStopGraph +
             "sync}\ntraining: {queue_runner: old, workers: {worker/1: {first_step_after: 5s}, worker/2: "
             "{first_step_after: 5s}}}\nstop: {steps: 30}");
  EXPECT_THAT(t.says("stuck"), HasSubstr("worker 1 and worker 2 began later than "));
  EXPECT_EQ(t.says("late_start"), "");
}

TEST(ToldStops, name_the_workers_that_a_graph_is_for_beside_a_fault_that_changes_nothing) {
  const ToldAndTried t = told_of_workers(4, kStopGraph +
                                                "stale_sync, workers: 5}\nfaults: [{at: 0.1s, slow: {task: "
                                                "worker/1, percent: 300}}]\nstop: {time: 20s}");
  EXPECT_THAT(t.says("stuck"), HasSubstr("The cause: the graph is built for 5 workers"));
}

TEST(ToldStops, name_nobody_as_absent_where_an_idle_process_ended) {
  const auto of = [](const std::string& faults) {
    return told_of_workers(4, kStopGraph +
                                  "sync, replicas_to_aggregate: 2, num_tokens: 0}\ntraining: {workers: "
                                  "{worker/3: {absent: true}, worker/2: {absent: true}}}\n" +
                                  faults + "stop: {time: 20s}")
        .says("absent");
  };
  EXPECT_THAT(of(""), HasSubstr("worker 2 and worker 3 never began a step"));
  EXPECT_EQ(of("faults: [{at: 10s, kill: worker/3}]\n"), "") << "its client may have been about to come";
}

TEST(ToldStops, let_a_cure_stop_all_where_each_is_told_for_itself_after_how_many_steps) {
  const ToldAndTried t = told_of_workers(
      4, kStopGraph +
             "sync, replicas_to_aggregate: 3}\ntraining: {queue_runner: old, workers: {worker/0: {steps: 40}, "
             "worker/1: {steps: 40}, worker/2: {steps: 40}, worker/3: {steps: 40}}}\nstop: {time: 100s}");
  EXPECT_THAT(t.says("stuck"), HasSubstr("each worker leaves after 40 steps of its own"));
  EXPECT_THAT(t.tried("stuck"), HasSubstr("+ stop at a global step: the job goes on"));
}

// Without them fewer workers than an aggregate needs wait for the first one for ever.
TEST(ToldStops, advise_no_start_without_initial_tokens_where_too_few_workers_train) {
  const auto text = [](const std::string& worker_2) {
    return told_of_workers(4, kStopGraph +
                                  "sync}\ntraining: {queue_runner: old, workers: {worker/1: {first_step_after: "
                                  "5s}, worker/2: {" +
                                  worker_2 + "}}}\nstop: {steps: 40}")
        .says("stuck");
  };
  EXPECT_THAT(text("absent: true"), AllOf(HasSubstr("start the workers together"), Not(HasSubstr("num_tokens"))));
  EXPECT_THAT(text("first_step_after: 0s"), HasSubstr("or start without initial tokens (num_tokens=0)"));
}

// Worker 0's messages take long, within the host of the parameter server. All others reach the stop long before it.
TEST(ToldStops, name_aggregates_of_all_where_a_worker_falls_behind_without_them) {
  const auto of = [](int required, const char* within) {
    std::string hosts, tasks;
    for (int w = 1; w < 8; ++w) hosts += fmt::format(", h{}", w), tasks += fmt::format(", worker/{0}: h{0}", w);
    return told_and_tried(ran_case(
        fmt::format("build: {{graph: softmax_async_ps1_task0, protocol: sync, replicas_to_aggregate: {}}}\nfeeds: "
                    "{{batch: 100}}\nstop: {{global_step: 40}}",
                    required),
        fmt::format("title: t\ncluster:\n  hosts: [s{}]\n  tasks: {{ps/0: s, worker/0: s{}}}\n  network: {{latency: "
                    "1ms, nic: 10Gbps, same_host: {{bandwidth: {}, latency: 1ms}}}}\ncosts: [{{op: "
                    "SparseSoftmaxCrossEntropyWithLogits, job: worker, time: 20ms}}]\n",
                    hosts, tasks, within)));
  };
  const ToldAndTried t = of(6, "1Mbps");
  EXPECT_THAT(t.says("stuck"), HasSubstr("The cause: an aggregate needs 6 gradients, and there are 8 workers, so that "
                                         "slow ones fall behind the others; and worker "));
  EXPECT_THAT(
      t.says("stuck"),
      HasSubstr("Run again with one gradient of each worker in an aggregate (same seed), the job goes on. To do: "
                "aggregate a gradient of each worker, so that none is behind when the others leave."));
  EXPECT_THAT(t.tried("stuck"), HasSubstr("+ aggregate a gradient of each worker: the job goes on instead of hanging"));
  EXPECT_EQ(of(8, "1Mbps").says("stuck"), "");
  EXPECT_EQ(of(6, "1Gbps").says("stuck"), "");
}

// Worker 2 is missing from 10 s on; the session after the restart at 30 s has a token for it, which another one takes.
TEST(ToldStops, name_who_left_before_a_pause_that_the_tokens_of_a_new_session_ended) {
  const auto text = [](const char* tokens, const char* faults) {
    return told_of_workers(3, kStopGraph + "sync, num_tokens: " + tokens + "}\nfaults: [" + faults +
                                  "{at: 30s, preempt: {task: ps/0, back_after: 2s}}]\nstop: {time: 60s}")
        .says("stalled");
  };
  EXPECT_THAT(text("4", "{at: 10s, leave: worker/2}, "),
              AllOf(HasSubstr("The cause: worker 2 left training at 10."),
                    HasSubstr("It ended with the initial tokens of the session that was made after the process of ps "
                              "0 had ended at 30.000 s. To do: let worker 2 train as long as the others")));
  EXPECT_THAT(text("4", ""), Not(HasSubstr("the session that was made"))) << "nobody left";
  EXPECT_THAT(text("4, replicas_to_aggregate: 2", "{at: 10s, leave: worker/2}, "), Not(HasSubstr("worker 2 left")));
}

}  // namespace
}  // namespace tarry
