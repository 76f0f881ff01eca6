#include "properties/cluster/trial.hpp"

#include "placer/core/hash.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/make_job.hpp"
#include "sim/runner.hpp"
#include "workers/known_job.hpp"

namespace tarry {
namespace {

// ---- features ----

// An event without what only tells runs apart that are alike.
std::uint64_t shape_of(const Event& event) {
  std::uint64_t detail = 0;
  if (const auto* b = std::get_if<StepBegan>(&event)) detail = static_cast<std::uint64_t>(b->purpose);
  if (const auto* e = std::get_if<StepEnded>(&event)) detail = static_cast<std::uint64_t>(e->code);
  if (const auto* p = std::get_if<GradientPushed>(&event)) detail = p->accepted ? 1 : 0;
  if (const auto* s = std::get_if<SessionMoved>(&event)) detail = static_cast<std::uint64_t>(s->stage);
  return event.index() << 8 | detail;
}

TaskId task_of(const Event& event) {
  return std::visit(
      []<class E>(const E& e) {
        if constexpr (requires { e.task; }) return e.task;
        return TaskId::none();
      },
      event);
}

class FeatureReader {
 public:
  Features run(const EventLog& log) {
    for (const LoggedEvent& e : log.events()) {
      if (std::holds_alternative<MessageDelivered>(e.event)) continue;
      note(e.event);
    }
    return std::move(features_);
  }

 private:
  void note(const Event& event) {
    const std::uint64_t shape = shape_of(event);
    std::uint64_t& before = last_[task_of(event)];
    features_.insert(before << 20 | shape);
    before = shape;
    if (const auto* e = std::get_if<Enqueued>(&event)) filled(e->queue, 1);
    if (const auto* e = std::get_if<Dequeued>(&event)) filled(e->queue, -1);
    if (const auto* e = std::get_if<GradientPushed>(&event); e != nullptr && e->accepted) filled(e->accumulator, 1);
    if (const auto* e = std::get_if<AggregateTaken>(&event)) filled(e->accumulator, -e->averaged);
  }
  void filled(NameId place, std::int64_t by) {
    constexpr std::int64_t kMany = 16;
    std::int64_t& now = fill_[place];
    now += by;
    const auto shown = static_cast<std::uint64_t>(std::clamp(now, -kMany, kMany) + kMany);
    features_.insert(std::uint64_t{1} << 60 | std::uint64_t{place.index()} << 8 | shown);
  }

  Features features_;
  std::map<TaskId, std::uint64_t> last_;
  std::map<NameId, std::int64_t> fill_;
};

}  // namespace

// ---- trials ----

struct Trials::State {
  Job job;
  const Must& must;
  bool shares_links = false;
  KnownJob known;
  Course course;
  WorkDone without_faults;

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
    t.broken = breaches(must, e, t.verdicts, done, &without_faults);
    if (t.broken.empty()) t.verdicts.clear();
    return t;
  }
};

Trials::Trials(const Job& job, const Must& must) : state_(new State{job, must, !flow_engine(job).empty(), {}, {}, {}}) {
  state_->job.keep_kernels = false;
  state_->job.faults.clear();
}
Trials::~Trials() = default;

const Course& Trials::course() const { return state_->course; }
const ClusterSpec& Trials::cluster() const { return state_->job.cluster; }

Status Trials::look_without_faults() {
  TARRY_ASSIGN(const Outcome outcome, state_->outcome());
  state_->course = course_of(outcome);
  const auto broken = state_->judged(outcome).broken;
  if (broken.empty()) return {};
  return invalid("the job breaks '{}' without any fault: {}", broken[0].property, broken[0].text);
}

StatusOr<Trial> Trials::run(const Schedule& schedule, bool wants_features) {
  state_->job.faults = schedule.faults;
  const auto outcome = state_->outcome();
  if (!outcome.ok())
    return with_prefix(outcome.status(),
                       fmt::format("--faults '{}': ", faults_line(schedule.faults, state_->job.cluster)));
  Trial t = state_->judged(*outcome);
  if (wants_features) t.features = FeatureReader().run(outcome->log);
  return t;
}

}  // namespace tarry
