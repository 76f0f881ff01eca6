// Speed, measured in one run so that the figures can be compared with each other.

#include <fmt/format.h>

#include "scenarios/cli/bench.hpp"
#include "scenarios/load.hpp"
#include "scenarios/run.hpp"
#include "sim/heap.hpp"

namespace tarry {
namespace {

void heap_events(benchmark::State& state) {
  EventHeap heap;
  std::uint64_t n = 0;
  const Continuation count{[](void* self, std::uint64_t) { ++*static_cast<std::uint64_t*>(self); }, &n, 0};
  for (int i = 0; i < 1000; ++i) heap.at(i, count);
  for (auto _ : state) {
    heap.after(1000, count);
    heap.run_next();
  }
  state.SetItemsProcessed(state.iterations());
}

constexpr const char* kFourWorkers = R"(
title: four workers, fifty steps each
cluster:
  hosts: [ps, w0, w1, w2, w3]
  tasks: {/job:ps/task:0: ps, /job:worker/task:0: w0, /job:worker/task:1: w1, /job:worker/task:2: w2, /job:worker/task:3: w3}
  network: {latency: 1ms}
programs:
  - {task: /job:worker/task:0, graph: sync_softmax_w4_r3_ps1_task0}
  - {task: /job:worker/task:1, graph: sync_softmax_w4_r3_ps1_task1}
  - {task: /job:worker/task:2, graph: sync_softmax_w4_r3_ps1_task2}
  - {task: /job:worker/task:3, graph: sync_softmax_w4_r3_ps1_task3}
costs: [{op: MatMul, job: worker, time: 10ms}]
stop: {steps: 50, time: 1h}
)";

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

Job bench_job(const Home& home, const char* scenario) {
  const auto s = parse_scenario(scenario, "bench");
  check(s.ok(), "the bench's scenario is well-formed");
  auto job = make_job(*s, {.graphs_folder = home.graphs(), .keep_kernels = false, .seed = {}});
  check(job.ok(), "the bench's scenario makes a job");
  return *std::move(job);
}

// A whole run: sessions, placement, partition, initialisation, and all steps.
void whole_runs(benchmark::State& state, const Job* job) {
  std::uint64_t events = 0, ops = 0;
  for (auto _ : state) {
    const Outcome o = run_here(*job);
    events += o.log.count();
    ops += o.nodes_run;
  }
  state.counters["events/s"] = benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
  state.counters["ops/s"] = benchmark::Counter(static_cast<double>(ops), benchmark::Counter::kIsRate);
  state.counters["runs/s"] = benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

// The benchmarks point to the jobs.
void add_run_benchmarks(const Home& home, std::vector<std::unique_ptr<Job>>& jobs) {
  benchmark::RegisterBenchmark("event heap", heap_events);
  for (const auto& [name, scenario] : {std::pair{"4 workers x 50 steps", kFourWorkers}, std::pair{"MLP x 2000 steps", kMlp}}) {
    jobs.push_back(std::make_unique<Job>(bench_job(home, scenario)));
    benchmark::RegisterBenchmark(name, whole_runs, jobs.back().get())->Unit(benchmark::kMillisecond);
  }
}

struct BenchArguments {
  std::string what = "all", out, filter;
};

int bench(const Home& home, const BenchArguments& a) {
  std::vector<std::unique_ptr<Job>> jobs;
  if (a.what != "runs") add_placer_benchmarks(home);
  if (a.what != "placer") add_run_benchmarks(home, jobs);
  std::vector<std::string> words{"tarry"};
  if (!a.out.empty()) words.insert(words.end(), {"--benchmark_out=" + a.out, "--benchmark_out_format=json"});
  if (!a.filter.empty()) words.push_back("--benchmark_filter=" + a.filter);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  WithSlopes reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return kOk;
}

}  // namespace

void add_bench(CommandLine& line) {
  auto a = std::make_shared<BenchArguments>();
  CLI::App* c = add_command(line, "bench", "Measure on one core: the importer and the placer (nodes/s), heap events, op executions and whole runs.", "tarry bench placer --filter resnet");
  c->add_option("what", a->what, "placer, runs, or all")->capture_default_str()->check(CLI::IsMember({"placer", "runs", "all"}));
  c->add_option("--out", a->out, "Also write the figures as JSON");
  c->add_option("--filter", a->filter, "Only benchmarks whose name matches this regular expression");
  c->callback([a, &line] { line.exit_code = bench(line.home, *a); });
}

}  // namespace tarry
