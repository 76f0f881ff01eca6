// Published throughput of real clusters beside what tarry predicts for them.
//
// A case (scenarios/cases/300_...) describes one type of machine, and has a file published.csv beside its scenario,
// with a row for each published figure:
//
//   graph              what was trained, a graph that ships
//   batch              images in a step of one GPU
//   workers, ps, gpus  worker tasks, parameter servers, GPUs of each worker
//   images_per_second  of all workers together, as published
//   fitted             "yes" where the machine's description was fitted to this figure, else "no"
//
// The scenario's tasks are groups (`ps: {count: ...}`, `worker: {count: ...}`), so that each row is the scenario with
// some keys set otherwise.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "results/contributions.hpp"

namespace tarry {

struct Published {
  std::string graph;
  std::int64_t batch = 0, workers = 0, ps = 0, gpus = 0;
  double images_per_second = 0;
  bool fitted = false;
};

// Fails: INVALID_ARGUMENT "FILE:LINE: expected ..." for another header, a row of other fields, a count that is not
// positive, and a file without rows.
[[nodiscard]] StatusOr<std::vector<Published>> read_published(const std::string& text, const std::string& file);

// The keys that make the case's scenario this row's, as `--set` takes them.
[[nodiscard]] std::vector<std::string> keys_of(const Published& row);

// From each worker's first finished step to its last, all workers together. REQUIRES: `batch` images of each of `gpus`
// in a step. Fails: FAILED_PRECONDITION where a worker finished fewer than two steps.
[[nodiscard]] StatusOr<double> images_per_second(const Published& row, const Contributions& contributions);

struct Predicted {
  std::string machine;  // the case
  Published published;
  double images_per_second = 0;
  [[nodiscard]] double error() const { return images_per_second / published.images_per_second - 1; }
};

[[nodiscard]] std::string calibration_head();
[[nodiscard]] std::string calibration_line(const Predicted& row);
// "24 points: mean error 2.2 %, worst 7.4 % ...; 18 that were not fitted: ...". REQUIRES: at least one row.
[[nodiscard]] std::string calibration_summary(const std::string& of, std::span<const Predicted> rows);
// A CSV file of all, with a header.
[[nodiscard]] std::string calibration_csv(std::span<const Predicted> rows);

}  // namespace tarry
