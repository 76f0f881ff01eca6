// Hunts for faults: runs of a job under drawn schedules, judging included.

#include <fmt/format.h>

#include <chrono>

#include "placer/core/check.hpp"
#include "properties/cli/bench.hpp"
#include "properties/cluster/hunt.hpp"
#include "scenarios/file/load.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {
namespace {

constexpr std::uint64_t kRuns = 400;  // of a hunt: what it makes once weighs little beside them

Job hunted_job(const Home& home) {
  const auto s = parse_scenario(bench_sync_job(4, "steps: 50, time: 1h"), "bench");
  check(s.ok(), "the bench's scenario is well-formed");
  auto job = make_job(*s, {.graphs_folder = home.graphs(), .keep_kernels = false, .seed = {}});
  check(job.ok(), "the bench's scenario makes a job");
  return *std::move(job);
}

// Seconds. All runs are judged, and none breaks what the job must keep to: so nothing is shrunk.
double seconds_of_hunt(const Job& job, StrategyKind kind, int processes) {
  const Must must{.lost_steps = std::int64_t{1} << 40};
  ClusterHunt settings{.job = job, .must = must, .strategy = {.kind = kind}, .runs = kRuns, .processes = processes};
  settings.makes_known_runs = true;
  const auto before = std::chrono::steady_clock::now();
  const auto report = hunt(settings);
  check(report.ok() && report->runs == kRuns, "the hunt ends");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

void hunted_runs(benchmark::State& state, const Home& home, StrategyKind kind) {
  const Job job = hunted_job(home);
  double one = 0, two = 0;
  for (auto _ : state) {
    const double seconds = seconds_of_hunt(job, kind, 1);
    state.SetIterationTime(seconds);
    one += seconds;
    two += seconds_of_hunt(job, kind, 2);
  }
  state.counters["runs/s"] = static_cast<double>(state.iterations()) * kRuns / one;
  state.counters["two processes/one"] = one / two;
}

}  // namespace

void add_hunting_benchmarks(const Home& home) {
  for (const StrategyText& s : strategies())
    benchmark::RegisterBenchmark(fmt::format("hunt cluster, {}: 4 workers x 50 steps", s.key).c_str(),
                                 [&home, kind = s.kind](benchmark::State& state) { hunted_runs(state, home, kind); })
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(2);
}

}  // namespace tarry
