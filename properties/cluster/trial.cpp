#include "properties/cluster/trial.hpp"

#include "properties/cluster/no_effect.hpp"
#include "properties/cluster/situation.hpp"
#include "results/first_difference.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "scenarios/job/kept.hpp"
#include "sim/runner.hpp"
#include "workers/known_job.hpp"

namespace tarry {
namespace {

constexpr const char* kGivenUp = "the time was up before the run had ended";

// ---- features ----

Features features_of(const EventLog& log) {
  Features features;
  Situation situation;
  for (const LoggedEvent& e : log.events()) {
    if (std::holds_alternative<MessageDelivered>(e.event)) continue;
    features.insert(situation.last_of(task_of(e.event)) << 20 | shape_of(e.event));
    situation.note(e.event);
    const NameId place = place_of(e.event);
    if (!place.valid()) continue;
    const auto fill = static_cast<std::uint64_t>(situation.fill_of(place) + 16);
    features.insert(std::uint64_t{1} << 60 | std::uint64_t{place.index()} << 8 | fill);
  }
  return features;
}

}  // namespace

// ---- trials ----

struct Trials::State {
  Job job;
  Must must;
  bool needs_simgrid = false;
  KnownJob known;
  Course course;
  WorkDone without_faults;
  std::optional<NoEffect> no_effect;
  Marks usual_marks;
  bool is_sound = false;  // it breaks nothing without faults
  std::optional<Healing> healing;

  // SimGrid has one engine in a process; without it, runs share what does not depend on their faults.
  StatusOr<Outcome> outcome(const Job& j) try {
    return needs_simgrid ? run_apart(j) : StatusOr<Outcome>(run_here(j, &known));
  } catch (const Refused& e) {
    return invalid("{}", e.what());
  }

  StatusOr<Outcome> outcome(const Schedule& schedule, const TrialOptions& how, bool is_second = false) {
    Job j = job;
    j.faults = schedule.faults;
    j.planted = how.planted.value_or(job.planted);
    j.seed = how.seed.value_or(job.seed);
    j.shifts_memory = is_second;
    j.audits = !is_second;  // its log is the same without
    j.interrupted = how.is_time_up;
    auto ran = outcome(j);
    if (how.is_time_up && how.is_time_up()) return error(Code::kDeadlineExceeded, "{}", kGivenUp);
    if (ran.ok() || schedule.faults.empty()) return ran;
    return with_prefix(ran.status(), fmt::format("--faults '{}': ", faults_line(schedule.faults, job.cluster)));
  }

  [[nodiscard]] Trial judged(const Outcome& o, const TrialOptions& how) const {
    Trial t{.broken = law_breaches(o), .hash = o.log.hash(), .is_deadlocked = o.log.is_deadlocked};
    t.marks = o.audit.marks;
    if (how.wants_features) t.features = features_of(o.log);
    if (!how.wants_verdicts && t.broken.empty() && must == Must()) return t;
    const Contributions c = read_contributions(o.log);
    const Evidence e = read_evidence(o.log, c, o.tasks);
    t.verdicts = judge(e);
    const WorkDone done = work_done(e, job.stop.time, last_global_step(job));
    for (Breach& b : breaches(must, e, t.verdicts, done, &without_faults)) t.broken.push_back(std::move(b));
    if (t.broken.empty() && !how.wants_verdicts) t.verdicts.clear();
    return t;
  }

  // Without a run: that of the job without faults broke nothing.
  [[nodiscard]] bool may_tell(const Schedule& schedule, const TrialOptions& how) const {
    return !how.wants_features && !how.wants_verdicts && !how.planted && !how.seed && is_sound &&
           no_effect->is_of(schedule);
  }

  StatusOr<Trial> healed(const Schedule& schedule, const TrialOptions& how) {
    TARRY_ASSIGN(HealedRun h, healing->heal(schedule, how.is_time_up));
    Trial t{.broken = h.healed.broken, .hash = h.log.hash(), .is_deadlocked = h.log.is_deadlocked};
    if (how.wants_features) t.features = features_of(h.log);
    t.marks = h.marks;
    t.healed = std::move(h.healed);
    return t;
  }

  void learn(const Outcome& o) {
    course = course_of(o);
    no_effect.emplace(job, o);
    usual_marks = o.audit.marks;
    healing.emplace(job, o,
                    [this](std::vector<Fault> faults, const StopRule& stop, const Healing::IsTimeUp& is_time_up) {
                      const StopRule usual = std::exchange(job.stop, stop);
                      auto ran = outcome({std::move(faults)}, {.is_time_up = is_time_up});
                      job.stop = usual;
                      return ran;
                    });
    if (must == Must()) return;
    const Contributions c = read_contributions(o.log);
    without_faults = work_done(read_evidence(o.log, c, o.tasks), job.stop.time, last_global_step(job));
  }
};

bool is_given_up(const Status& s) { return s.code() == Code::kDeadlineExceeded && text_of(s) == kGivenUp; }

std::vector<Breach> law_breaches(const Outcome& outcome) {
  std::vector<Breach> all;
  for (const BrokenLaw& b : outcome.breaches) all.push_back({"law " + b.law, b.text + "."});
  return all;
}

Trials::Trials(Job job, Must must) : state_(new State{.job = std::move(job), .must = std::move(must)}) {
  state_->needs_simgrid = has_flows(state_->job.cluster) && flows_by(state_->job.cluster) == FlowsBy::simgrid;
  state_->job.keep_kernels = false;
  state_->job.faults.clear();
  state_->job.audits = true;
}
Trials::~Trials() = default;

const Course& Trials::course() const { return state_->course; }
const ClusterSpec& Trials::cluster() const { return state_->job.cluster; }

StatusOr<Trial> Trials::without_faults(const TrialOptions& how) {
  state_->job.keep_turns = true;
  auto ran = state_->outcome({}, how);
  state_->job.keep_turns = false;
  TARRY_ASSIGN(const Outcome o, std::move(ran));
  state_->learn(o);
  Trial t = state_->judged(o, how);
  state_->is_sound = t.broken.empty();
  return t;
}

Status Trials::look_without_faults() {
  TARRY_ASSIGN(const Trial t, without_faults());
  if (t.broken.empty()) return {};
  return invalid("the job breaks '{}' without any fault: {}", t.broken[0].property, t.broken[0].text);
}

StatusOr<Outcome> Trials::outcome(const Schedule& schedule) { return state_->outcome(schedule, {}); }

StatusOr<Trial> Trials::run(const Schedule& schedule, const TrialOptions& how) {
  if (heals_) return state_->healed(schedule, how);
  if (!how.must_run && state_->may_tell(schedule, how)) return Trial{.marks = state_->usual_marks};
  TARRY_ASSIGN(const Outcome o, state_->outcome(schedule, how));
  Trial t = state_->judged(o, how);
  if (!how.twice) return t;
  TARRY_ASSIGN(const Outcome again, state_->outcome(schedule, how, true));
  if (const std::string where = first_difference(o.log, again.log, o.tasks); !where.empty())
    t.broken.push_back({std::string(kDeterminism), "Two runs of the same job differ: " + where});
  return t;
}

}  // namespace tarry
