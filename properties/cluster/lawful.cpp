#include "properties/cluster/lawful.hpp"

#include "properties/hunting/hunting.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

constexpr int kMostFaults = 4;

}  // namespace

LawfulJob::LawfulJob(Job job) : job_(std::move(job)), known_(std::make_unique<KnownJob>()) {
  job_.faults.clear();
  job_.audits = true;
  course_ = course_of(run_here(job_, known_.get()));
}
LawfulJob::~LawfulJob() = default;

Schedule LawfulJob::schedule(std::uint64_t seed, std::uint64_t number) const {
  Random random = random_of_case(seed, number);
  return draw_schedule(job_.cluster, course_, kMostFaults, random);
}

LawfulJob::Ran LawfulJob::run(const Schedule& schedule, PlantedClusterBug planted, std::optional<std::uint64_t> seed) {
  Job job = job_;
  job.faults = schedule.faults;
  job.planted = planted;
  if (seed) job.seed = *seed;
  try {
    const Outcome o = run_here(job, known_.get());
    return {o.breaches, o.log.hash(), o.log.is_deadlocked};
  } catch (const Refused&) {
    return {{}, {}, true};
  }
}

}  // namespace tarry
