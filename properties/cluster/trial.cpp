#include "properties/cluster/trial.hpp"

#include "properties/cluster/situation.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "sim/runner.hpp"
#include "workers/known_job.hpp"

namespace tarry {
namespace {

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
  const Must& must;
  bool shares_links = false;
  KnownJob known;
  Course course;
  WorkDone without_faults;
  std::optional<Healing> healing;

  // SimGrid has one engine in a process; without it, runs share what does not depend on their faults.
  StatusOr<Outcome> outcome() try {
    return shares_links ? run_apart(job) : StatusOr<Outcome>(run_here(job, &known));
  } catch (const Refused& e) {
    return invalid("{}", e.what());
  }

  [[nodiscard]] Trial judged(const Outcome& o) {
    const Contributions c = read_contributions(o.log);
    const Evidence e = read_evidence(o.log, c, o.tasks);
    const WorkDone done = work_done(e, job.stop.time);
    if (job.faults.empty()) without_faults = done;
    Trial t{.verdicts = judge(e), .hash = o.log.hash()};
    for (const BrokenLaw& b : o.breaches) t.broken.push_back({"law " + b.law, b.text + "."});
    for (Breach& b : breaches(must, e, t.verdicts, done, &without_faults)) t.broken.push_back(std::move(b));
    if (t.broken.empty()) t.verdicts.clear();
    return t;
  }
};

Trials::Trials(const Job& job, const Must& must)
    : state_(new State{job, must, !flow_engine(job).empty(), {}, {}, {}, {}}) {
  state_->job.keep_kernels = false;
  state_->job.faults.clear();
  state_->job.audits = true;
}
Trials::~Trials() = default;

const Course& Trials::course() const { return state_->course; }
const ClusterSpec& Trials::cluster() const { return state_->job.cluster; }

Status Trials::look_without_faults() {
  TARRY_ASSIGN(const Outcome outcome, state_->outcome());
  state_->course = course_of(outcome);
  state_->healing.emplace(state_->job, outcome, [this](std::vector<Fault> faults, const StopRule& stop) {
    const StopRule usual = std::exchange(state_->job.stop, stop);
    auto o = this->outcome({std::move(faults)});
    state_->job.stop = usual;
    return o;
  });
  const auto broken = state_->judged(outcome).broken;
  if (broken.empty()) return {};
  return invalid("the job breaks '{}' without any fault: {}", broken[0].property, broken[0].text);
}

StatusOr<Outcome> Trials::outcome(const Schedule& schedule) {
  state_->job.faults = schedule.faults;
  auto outcome = state_->outcome();
  if (outcome.ok()) return outcome;
  return with_prefix(outcome.status(),
                     fmt::format("--faults '{}': ", faults_line(schedule.faults, state_->job.cluster)));
}

StatusOr<Trial> Trials::healed(const Schedule& schedule, bool wants_features) {
  TARRY_ASSIGN(HealedRun h, state_->healing->heal(schedule));
  Trial t{.broken = h.healed.broken, .verdicts = {}, .hash = h.log.hash(), .features = {}};
  if (wants_features) t.features = features_of(h.log);
  t.healed = std::move(h.healed);
  return t;
}

StatusOr<Trial> Trials::run(const Schedule& schedule, bool wants_features) {
  if (heals_) return healed(schedule, wants_features);
  TARRY_ASSIGN(const Outcome o, outcome(schedule));
  Trial t = state_->judged(o);
  if (wants_features) t.features = features_of(o.log);
  return t;
}

}  // namespace tarry
