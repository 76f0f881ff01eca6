// Where the time of a run went: each cause by what the same work takes without it.
//
// The ideal run is the job without all that can be taken away from it: faults, late starts, workers, cards and paths
// that are worse than the others', unequal servers, and the overheads of overheads.hpp. What the job is for stays: its
// kernels, at the pace of the median worker, and its design. T is the time in which a run does the work of the base
// run, in whole nanoseconds; ratios are made for print alone. Of a cause c, as in published analyses of stragglers:
//   add = (T with c alone - T ideal) / (T - T ideal), rem = (T - T without c) / (T - T ideal), slowdown = T / T ideal.
// Kernels, and another design, are no part of the ideal run: of them only the gain, 1 - T without c / T, is told.
#pragma once

#include <optional>
#include <vector>

#include "results/work_done.hpp"
#include "scenarios/job/prove.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

struct WhyCause {
  Proof proof;
  Nanos without = 0;           // T
  std::optional<Nanos> alone;  // T; nullopt = no part of the ideal run, or there is none
};

struct Why {
  WorkDone base;
  std::optional<Nanos> ideal;  // T; nullopt = the run stands still, or the ideal one takes no time
  // In the order of comes_first (results/proof.hpp), that of all kernels last; those that gain less than a hundredth
  // are left out.
  std::vector<WhyCause> causes;  // what the ideal run is without
  // Where the causes gain less one by one than the ideal run does, by a tenth, and that is a tenth faster: those of
  // them that gain nothing, since they hide each other, or another cause hides them. Each is as bad alone as its `add`
  // says; a tenth or more.
  std::vector<WhyCause> hidden;
  // What the job itself takes: kernels, and its design; no kernels where the run stands still because of a fault.
  std::vector<WhyCause> itself;

  [[nodiscard]] double slowdown() const { return ratio(base.time, *ideal); }  // REQUIRES: ideal
  // nullopt where the ideal run is no better, or the cause is no part of it.
  [[nodiscard]] std::optional<double> rem(const WhyCause& c) const;
  [[nodiscard]] std::optional<double> add(const WhyCause& c) const;
  [[nodiscard]] static double ratio(Nanos a, Nanos b) { return static_cast<double>(a) / static_cast<double>(b); }
};

// `designs`: jobs that differ in what the job is. REQUIRES: job.keep_kernels when `outcome` was made. Fails: as
// run_apart.
[[nodiscard]] StatusOr<Why> why(const Job& job, const Outcome& outcome, std::vector<WhatIf> designs,
                                const ProofWatch& watch = {});

// Its slowdown alone, by one more run, the ideal one; nullopt where `ideal` is. REQUIRES and fails: as why().
[[nodiscard]] StatusOr<std::optional<double>> slowdown_of(const Job& job, const Outcome& outcome);

}  // namespace tarry
