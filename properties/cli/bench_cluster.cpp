// Whole runs of jobs, and beside them SimGrid alone with the messages that such a run sends.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <sstream>

#include "placer/core/check.hpp"
#include "properties/cli/bench.hpp"
#include "results/critical_path.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"
#include "sim/runner.hpp"
#include "sim/simgrid_twin.hpp"

namespace tarry {
namespace {

// ---- jobs ----

constexpr const char* kMlp = R"(
title: the MLP by one worker
cluster:
  hosts: [h]
  tasks: {/job:ps/task:0: h, /job:ps/task:1: h, /job:worker/task:0: h}
programs: [{task: /job:worker/task:0, graph: mlp_adam_async_res_ps2_task0}]
feeds: {batch: 32}
training: {soft_placement: true}
stop: {steps: 2000}
)";

// Four workers have graphs of their own, the others the last one's under their names.
std::string program_of(std::size_t worker) {
  return fmt::format("  - {{task: /job:worker/task:{}, graph: sync_softmax_w4_r3_ps1_task{}}}\n", worker,
                     std::min<std::size_t>(worker, 3));
}

// As one of many runs of its job, or as the only one (`tarry run`): that finds nothing ready.
enum class Among : std::uint8_t { campaign, alone };
enum class Keep : std::uint8_t { nothing, kernels, path };

// A job, made when it is first asked for, and what its runs find out.
class BenchJob {
 public:
  explicit BenchJob(const Home& home, std::string scenario, Keep keep = Keep::nothing)
      : home_(home), scenario_(std::move(scenario)), keep_(keep) {}

  Outcome run(std::uint64_t seed, Among among = Among::campaign) {
    Job& job = this->job();
    job.seed = seed;
    return run_here(job, among == Among::campaign ? &known_ : nullptr);
  }
  const ClusterSpec& cluster() { return job().cluster; }

  double quickest = 0;  // seconds of a run in a campaign, at the last measurement

 private:
  Job& job() {
    if (!job_) job_ = make();
    return *job_;
  }
  [[nodiscard]] Job make() const {
    const auto s = parse_scenario(scenario_, "bench");
    check(s.ok(), "the bench's scenario is well-formed");
    auto job = make_job(*s, {.graphs_folder = home_.graphs(), .keep_kernels = false, .seed = {}});
    check(job.ok(), "the bench's scenario makes a job");
    job->keep_kernels = keep_ != Keep::nothing;
    job->keep_causes = keep_ == Keep::path;
    return *std::move(job);
  }

  const Home& home_;
  std::string scenario_;
  Keep keep_;
  std::optional<Job> job_;
  KnownJob known_;
};
using BenchJobRef = std::shared_ptr<BenchJob>;

// ---- measuring ----

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

constexpr double kMeasuredSeconds = 2;  // long enough to see the machine at rest

benchmark::Counter rate(std::uint64_t n) { return {static_cast<double>(n), benchmark::Counter::kIsRate}; }

// Whole runs: sessions, registration, initialisation, and all steps. In a campaign over seeds the first run makes the
// graphs ready for the others. All runs do the same work: what the quickest took is the program's, the rest its
// neighbours' on the machine. Gives that, in seconds.
double whole_runs(benchmark::State& state, BenchJob& job, Among among) {
  std::uint64_t events = 0, ops = 0, seed = 1;
  (void)job.run(seed, among);
  double quickest = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const double before = processor_seconds();
    {
      const Outcome o = job.run(++seed, among);
      events += o.log.count();
      ops += o.nodes_run;
    }
    quickest = std::min(quickest, processor_seconds() - before);
  }
  state.counters["events/s"] = rate(events);
  state.counters["ops/s"] = rate(ops);
  state.counters["runs/s"] = rate(static_cast<std::uint64_t>(state.iterations()));
  state.counters["runs/s at best"] = 1 / quickest;
  return quickest;
}

std::vector<TwinMessage> messages_of(const Outcome& o, const ClusterSpec& cluster) {
  std::vector<TwinMessage> messages;
  const CardChoice choice(cluster);
  for (const LoggedEvent& e : o.log.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event))
      messages.push_back({m->sent, choice.of(m->from, m->to), choice.of(m->to, m->from), m->bytes});
  std::ranges::stable_sort(messages, {}, &TwinMessage::sent);
  return messages;
}

// Only the messages: no graphs, no kernels, no rendezvous.
void simgrid_alone(benchmark::State& state, BenchJob& job) {
  const std::vector<TwinMessage> messages = messages_of(job.run(1), job.cluster());
  double quickest = std::numeric_limits<double>::infinity();
  for (auto _ : state) {
    const auto answer = run_in_child([&] { return fmt::format("{}", replay_messages(job.cluster(), messages)); });
    check(answer.ok(), "SimGrid replays the messages");
    const double seconds = std::stod(*answer);
    state.SetIterationTime(seconds);
    quickest = std::min(quickest, seconds);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(messages.size()));
  if (job.quickest > 0) state.counters["tarry/simgrid"] = quickest / job.quickest;
}

BenchJobRef add_job(const Home& home, const std::string& name, const std::string& scenario) {
  const auto job = std::make_shared<BenchJob>(home, scenario);
  benchmark::RegisterBenchmark((name + ", as in a campaign").c_str(),
                               [job](benchmark::State& s) { job->quickest = whole_runs(s, *job, Among::campaign); })
      ->Unit(benchmark::kMillisecond)
      ->MinTime(kMeasuredSeconds);
  benchmark::RegisterBenchmark((name + ", as in tarry run").c_str(),
                               [job](benchmark::State& s) { (void)whole_runs(s, *job, Among::alone); })
      ->Unit(benchmark::kMillisecond)
      ->MinTime(kMeasuredSeconds);
  return job;
}

// REQUIRES: every task on a host of its own; SimGrid's way from a host to itself is not what is compared.
void add_job_and_twin(const Home& home, const std::string& name, const std::string& scenario) {
  const BenchJobRef job = add_job(home, name, scenario);
  benchmark::RegisterBenchmark(("SimGrid alone: " + name).c_str(),
                               [job](benchmark::State& s) { simgrid_alone(s, *job); })
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(5);
}

// ---- many workers ----

constexpr int kManyPs = 16;

// Softmax on 16 parameter servers, built for any number of workers, every task on a host of its own.
std::string built_job(int workers) {
  std::string hosts, tasks;
  for (int i = 0; i < kManyPs; ++i)
    hosts += fmt::format("s{}, ", i), tasks += fmt::format("/job:ps/task:{0}: s{0}, ", i);
  for (int i = 0; i < workers; ++i)
    hosts += fmt::format("w{}, ", i), tasks += fmt::format("/job:worker/task:{0}: w{0}, ", i);
  return fmt::format(
      "title: many\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{latency: 100us, bandwidth: 10Gbps}}\nbuild: "
      "{{graph: softmax_async_ps1_task0, protocol: sync}}\n"
      "feeds: {{batch: 100}}\ncosts: [{{op: MatMul, job: worker, time: 100ms}}]\nstop: {{aggregates: 20, time: 1h}}\n",
      hosts, tasks);
}

std::int64_t peak_kilobytes() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  return use.ru_maxrss;
}

struct Figures {
  double seconds = 0, events = 0, kilobytes = 0;
};

// Everything, from reading the graph to the last event, in a process of its own. Its peak counts what the bench held
// when it began. With `path`, the causes of all events are kept, and the critical path is found.
Figures whole_job(const Home& home, int workers, Keep keep) {
  const auto answer = run_in_child([&] {
    const double before = processor_seconds();
    const Outcome o = BenchJob(home, built_job(workers), keep).run(1);
    if (keep == Keep::path) check(!critical_path(o.log, o.causes, *ends_of_run(o.log)).parts.empty(), "it has a path");
    return fmt::format("{} {} {}", processor_seconds() - before, o.log.count(), peak_kilobytes());
  });
  check(answer.ok(), "the built job runs");
  std::istringstream said(*answer);
  Figures f;
  said >> f.seconds >> f.events >> f.kilobytes;
  return f;
}

void growth(benchmark::State& state, const Home& home, int workers) {
  for (auto _ : state) {
    const Figures f = whole_job(home, workers, Keep::nothing);
    state.SetIterationTime(f.seconds);
    state.counters["events/s"] = f.events / f.seconds;
    state.counters["peak MB"] = f.kilobytes / 1000;
  }
}

// What it costs to keep causes and to find the path, beside the same job without; the quickest of each counts.
void cost_of_path(benchmark::State& state, const Home& home, int workers) {
  constexpr int kTimes = 5;
  for (auto _ : state) {
    Figures plain{.seconds = std::numeric_limits<double>::infinity()}, kernels = plain, path = plain;
    for (int i = 0; i < kTimes; ++i)
      for (const auto& [keep, best] :
           {std::pair(Keep::nothing, &plain), {Keep::kernels, &kernels}, {Keep::path, &path}})
        if (const Figures f = whole_job(home, workers, keep); f.seconds < best->seconds) *best = f;
    state.SetIterationTime(path.seconds);
    state.counters["time / plain"] = path.seconds / plain.seconds;
    state.counters["memory / plain"] = path.kilobytes / plain.kilobytes;
    state.counters["time / with kernels"] = path.seconds / kernels.seconds;
    state.counters["memory / with kernels"] = path.kilobytes / kernels.kilobytes;
  }
}

void add_growth(const Home& home) {
  for (const int workers : {8, 64, 256, 1024})
    benchmark::RegisterBenchmark(fmt::format("{} workers x {} ps, 20 aggregates", workers, kManyPs).c_str(),
                                 [&home, workers](benchmark::State& s) { growth(s, home, workers); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(1);
  benchmark::RegisterBenchmark(fmt::format("64 workers x {} ps, with the critical path", kManyPs).c_str(),
                               [&home](benchmark::State& s) { cost_of_path(s, home, 64); })
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime()
      ->Iterations(1);
}

}  // namespace

std::string bench_sync_job(std::size_t workers, const std::string& stop) {
  std::string hosts = "ps", tasks = "/job:ps/task:0: ps", programs;
  for (std::size_t w = 0; w < workers; ++w) {
    hosts += fmt::format(", w{}", w);
    tasks += fmt::format(", /job:worker/task:{}: w{}", w, w);
    programs += program_of(w);
  }
  return fmt::format(
      "title: sync_job\ncluster:\n  hosts: [{}]\n  tasks: {{{}}}\n  network: {{latency: 1ms}}\nprograms:\n{}costs: "
      "[{{op: MatMul, job: worker, time: 10ms}}]\nstop: {{{}}}\n",
      hosts, tasks, programs, stop);
}

void add_cluster_benchmarks(const Home& home) {
  add_growth(home);
  add_job_and_twin(home, "4 workers x 50 steps", bench_sync_job(4, "steps: 50, time: 1h"));
  add_job_and_twin(home, "8 workers x 100 steps", bench_sync_job(8, "steps: 100, time: 1h"));
  add_job_and_twin(home, "64 workers, 400 aggregates", bench_sync_job(64, "aggregates: 400, time: 1h"));
  add_job(home, "MLP x 2000 steps", kMlp);
}

}  // namespace tarry
