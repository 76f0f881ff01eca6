// Runs of one job under faults, held against the laws of the runtime (results/laws.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "properties/cluster/schedule.hpp"
#include "results/laws.hpp"

namespace tarry {

// A job without faults, and what its runs share.
class LawfulJob {
 public:
  // Its own faults are left out. REQUIRES: its flows share no links (SimGrid has one engine in a process).
  explicit LawfulJob(Job job);
  ~LawfulJob();

  [[nodiscard]] const Job& job() const { return job_; }
  // Drawn from (seed, number), against what the healthy job does without faults.
  [[nodiscard]] Schedule schedule(std::uint64_t seed, std::uint64_t number) const;

  struct Ran {
    std::vector<BrokenLaw> breaches;
    Hash128 hash;
    bool is_deadlocked = false;  // or an instant without end
  };
  // The audited run under these faults, with a bug planted.
  [[nodiscard]] Ran run(const Schedule& schedule, PlantedClusterBug planted = PlantedClusterBug::none,
                        std::optional<std::uint64_t> seed = {});

 private:
  Job job_;
  std::unique_ptr<KnownJob> known_;
  Course course_;
};

}  // namespace tarry
