// The parts of `tarry bench`.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>

#include "scenarios/cli/commands.hpp"

namespace tarry {

// Parsing, importing and placing generated graphs ("place chain/1000000") and the recorded ResNet-50; one core.
void add_placer_benchmarks(const Home& home);

// Prints the figures, and behind benchmarks of several sizes ("name/nodes") how time grows: the exponent of nodes from the smallest to the largest.
class WithSlopes : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;

 private:
  void print_slope(const Run& run);
  struct Point {
    double nodes, seconds;
  };
  std::map<std::string, Point> smallest_;
};

}  // namespace tarry
