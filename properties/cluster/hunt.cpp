#include "properties/cluster/hunt.hpp"

#include "placer/core/check.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "sim/runner.hpp"
#include "workers/known_job.hpp"

namespace tarry {
namespace {

class Hunter {
 public:
  explicit Hunter(const ClusterHunt& hunt)
      : hunt_(hunt), job_(hunt.job), shares_links_(!flow_engine(hunt.job).empty()) {
    job_.keep_kernels = false;
  }

  Status look_without_faults() {
    TARRY_ASSIGN(const Outcome outcome, run());
    course_ = course_of(outcome);
    const auto broken = judged(outcome);
    return broken ? invalid("the job gets the verdict {} without any fault: {}", broken->verdict.kind,
                            broken->verdict.text)
                  : Status();
  }

  [[nodiscard]] Schedule schedule(std::uint64_t number) const {
    Random random = random_of_case(hunt_.seed, number);
    return draw_schedule(job_.cluster, course_, hunt_.most_faults, random);
  }

  StatusOr<std::optional<Broken>> tried(const Schedule& s) {
    job_.faults = s.faults;
    TARRY_ASSIGN(const Outcome outcome, run());
    return judged(outcome);
  }

  // A run that fails is told with its faults.
  [[nodiscard]] Status told(const Status& why, std::uint64_t number, const Schedule& s) const {
    return with_prefix(why, fmt::format("run {} (--faults '{}'): ", number, faults_line(s.faults, job_.cluster)));
  }

  StatusOr<ClusterFinding> shrunk(std::uint64_t number, const Schedule& s, const Broken& found) {
    Status failed;
    const auto breaks = [&](const Schedule& smaller) {
      const auto broken = tried(smaller);
      if (!broken.ok()) failed = broken.status();
      return broken.ok() && *broken && (*broken)->verdict.kind == found.verdict.kind;
    };
    ClusterFinding f{.number = number,
                     .found = s,
                     .shrunk = shrink_greedily(s, breaks, hunt_.most_shrinks),
                     .broken = found,
                     .checked = 0};
    TARRY_RETURN_IF_ERROR(failed);
    TARRY_ASSIGN(const auto broken, tried(f.shrunk.smallest));
    check(broken.has_value(), "the smallest schedule breaks the job no more");
    f.broken = *broken;
    f.checked = f.shrunk.tried < hunt_.most_shrinks ? f.shrunk.smallest.faults.size() : 0;
    return f;
  }

 private:
  // SimGrid has one engine in a process; without it, runs share what does not depend on their faults.
  StatusOr<Outcome> run() try {
    return shares_links_ ? run_apart(job_) : StatusOr<Outcome>(run_here(job_, &known_));
  } catch (const Refused& e) {
    return invalid("{}", e.what());
  }

  [[nodiscard]] std::optional<Broken> judged(const Outcome& o) const {
    for (Verdict& v : judge(o.log, read_contributions(o.log), o.tasks))
      if (std::ranges::find(hunt_.verdicts, v.kind) != hunt_.verdicts.end()) return Broken{std::move(v), o.log.hash()};
    return std::nullopt;
  }

  const ClusterHunt& hunt_;
  Job job_;
  bool shares_links_;
  KnownJob known_;
  Course course_;
};

}  // namespace

StatusOr<std::optional<Broken>> try_schedule(const ClusterHunt& hunt, const Schedule& schedule) {
  return Hunter(hunt).tried(schedule);
}

StatusOr<ClusterReport> hunt(const ClusterHunt& hunt, const Progress& progress) {
  Hunter hunter(hunt);
  TARRY_RETURN_IF_ERROR(hunter.look_without_faults());
  ClusterReport report;
  for (std::uint64_t number = 0; number < hunt.runs && (hunt.keep_going || !report.counterexample); ++number) {
    if (progress) progress(number);
    const Schedule s = hunter.schedule(number);
    ++report.runs;
    const auto tried = hunter.tried(s);
    if (!tried.ok()) return hunter.told(tried.status(), number, s);
    const auto& broken = *tried;
    if (!broken) continue;
    report.broken[broken->verdict.kind].push_back(number);
    if (report.counterexample) continue;
    TARRY_ASSIGN(report.counterexample, hunter.shrunk(number, s, *broken));
  }
  return report;
}

}  // namespace tarry
