// The parts of `tarry bench`.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "properties/bench/speed.hpp"
#include "scenarios/cli/commands.hpp"

namespace tarry {

// Parsing, importing and placing generated graphs ("place chain/1000000") and the recorded ResNet-50; one core.
void add_placer_benchmarks(const Home& home);
// Cutting the same graphs: ResNet-50 by task, the generated ones by device.
void add_partition_benchmarks(const Home& home);
// Op executions per second in one process without a network, without values; a loop of ten million iterations;
// SimGrid's executions of the same graphs.
void add_executor_benchmarks(const Home& home);
// Whole runs of jobs, and SimGrid alone with the same messages.
void add_cluster_benchmarks(const Home& home);
// Runs of a job under drawn schedules of faults, judging included, by each strategy and by one and two processes.
void add_hunting_benchmarks(const Home& home);
// Transfers from many workers to many parameter servers, by tarry's own engine and by SimGrid.
void add_flow_benchmarks(const Home& home);

// A scenario: the recorded synchronous softmax, aggregating three gradients of this many workers, each task on a host
// of its own; `stop` is what its key `stop` says.
[[nodiscard]] std::string bench_sync_job(std::size_t workers, const std::string& stop);

struct BenchArguments {
  std::string what = "all", out, filter;
  std::optional<std::string> against;  // a git revision
  bool save = false;
  std::size_t rounds = 5;
};

// Builds the commit that `against` names and this checkout, runs their benches in turns, and prints the comparison.
// Gives the exit code.
[[nodiscard]] int bench_against(const Home& home, const BenchArguments& arguments);

// Runs each published figure of the cases (properties/bench/calibration.hpp), and prints what is predicted beside it;
// `filter` chooses rows by "CASE GRAPH GPUS", `save` writes results/calibration.csv. Gives the exit code.
[[nodiscard]] int bench_calibration(const Home& home, const BenchArguments& arguments);

// Puts what was measured behind what results/speed.csv has (properties/bench/speed.hpp); nothing that was there is
// lost. Fails: `home` is no checkout, the file has another header, or it cannot be written. The first finds that out
// before anything is measured.
[[nodiscard]] Status check_speeds(const Home& home);
[[nodiscard]] Status save_speeds(const Home& home, std::span<const Speed> speeds);

// A line of /proc/self/status in bytes: VmRSS, or VmHWM (the peak since forget_peak()).
[[nodiscard]] double memory(std::string_view what);
void forget_peak();

// Prints the results and, after benchmarks of several sizes ("name/nodes"), how the time grows: the exponent of the
// number of nodes, from the smallest to the largest.
class WithSlopes : public benchmark::ConsoleReporter {
 public:
  WithSlopes();  // with colours on a terminal
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  void print_slope(const Run& run);
  struct Point {
    double nodes, seconds;
  };
  std::map<std::string, Point> smallest_;
};

}  // namespace tarry
