// For tests: a shipped scenario without its faults, as a hunt takes it.
#pragma once

#include "properties/cluster/hunt.hpp"
#include "scenarios/cases/shipped.hpp"

namespace tarry {

struct Hunted {
  Scenario scenario;
  Job job;
  Must must;
  Hunted(const std::string& name, Must m) : scenario(shipped(name)), job(), must(std::move(m)) {
    scenario.faults.clear();
    job = job_for(scenario).value();
  }
  [[nodiscard]] ClusterHunt with(StrategyKind kind, std::uint64_t runs) const {
    return {.job = job, .must = must, .strategy = {.kind = kind}, .runs = runs};
  }
};
inline const Must kNeverStuck{.never = {"stuck"}};

}  // namespace tarry
