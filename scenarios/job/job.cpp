#include "scenarios/job/job.hpp"

#include <algorithm>
#include <set>

#include "placer/core/hash.hpp"
#include "scenarios/job/ahead.hpp"
#include "scenarios/job/audited.hpp"
#include "scenarios/job/endless.hpp"
#include "scenarios/job/fault_run.hpp"
#include "scenarios/job/run_alone.hpp"
#include "scenarios/job/vigil.hpp"
#include "sim/runner.hpp"
#include "workers/worker/worker.hpp"

namespace tarry {
namespace {

std::vector<TaskInfo> task_infos(const ClusterSpec& cluster, std::uint64_t seed) {
  std::vector<TaskInfo> infos;
  for (const TaskSpec& t : cluster.tasks) infos.push_back({t.name, device_names(t), hash64(t.name, seed) | 1});
  return infos;
}

// A rare bug is there for one seed in a hundred.
PlantedClusterBug planted_in(const Job& job) {
  if (job.planted != PlantedClusterBug::rare) return job.planted;
  return hash64("rare", job.seed) % 100 == 0 ? PlantedClusterBug::token_lost : PlantedClusterBug::none;
}

constexpr std::uint64_t kBetweenLooks = 4096;  // events of the log
constexpr std::uint64_t kBetweenAsks = 64;     // events of the world, some of which take long for a large graph

// What runs at a task besides its server: the client's process, and those before it, whom late answers may still name.
struct Client {
  const ClientJob* job = nullptr;
  std::unique_ptr<TrainingClient> now;  // null while the process is gone
  std::vector<std::unique_ptr<TrainingClient>> gone;
};

// The steps that ended at the present instant.
struct Instant {
  Nanos at = 0;
  std::map<TaskId, std::uint64_t> steps;  // by client
  void note(Nanos now, const Event& e) {
    const auto* ended = std::get_if<StepEnded>(&e);
    if (ended == nullptr) return;
    if (std::exchange(at, now) != now) steps.clear();
    ++steps[ended->task];
  }
};

constexpr std::size_t kLooksInVain = 60;  // of each client: lines of its log and moves of its session, three for a look

std::set<TaskId> tasks_at_the_gate(const Job& job) {
  std::set<TaskId> tasks;
  for (const ClientJob& c : job.clients)
    if (job.start_together && c.options.joins_gate) tasks.insert(c.task);
  return tasks;
}

// A job in progress.
class Running {
 public:
  Running(const Job& job, KnownJob* known)
      : job_(job),
        log_(keeps_kernels(job)),
        world_(job.cluster, job.costs, job.seed, names_, [this](Nanos at, const Event& e) { note(at, e); }),
        directory_(world_, task_infos(job.cluster, job.seed)),
        faults_({world_,
                 directory_,
                 {[this](TaskId t) { end_process(t); }, [this](TaskId t) { begin_process(t); },
                  [this](TaskId t) { end_training(t); }}},
                job.faults),
        gate_(world_, tasks_at_the_gate(job)) {
    if (known != nullptr) log_.reserve(known->events);
    look_closely(known);
    directory_.inputs = job.inputs;
    directory_.fails_fast = job.fail_fast;
    directory_.is_exact = job.is_exact;
    directory_.known = known;
    for (std::size_t i = 0; i < directory_.workers.size(); ++i) start_worker(TaskId{i});
    gate_.on_open = [this](Nanos at) {
      log_.started_at = at;
      begin();
    };
    for (const ClientJob& c : job.clients) {
      clients_.push_back({&c, nullptr, {}});
      clients_.back().now = make_client(clients_.back(), c.options, job.start_together ? &gate_ : nullptr);
    }
  }

  Outcome run() {
    if (!job_.start_together) begin();
    for (const Client& c : clients_) c.now->start();
    Ended ended = Ended::idle;
    if (job_.start_together) ended = world_.run([this] { return gate_.is_open() || is_over(); }, job_.max_time);
    if (!job_.start_together || ended == Ended::stopped) ended = world_.run([this] { return is_over(); }, until());
    if (ended == Ended::endless) throw Refused(endless_text());
    Outcome out = outcome(ended);
    if (job_.looks_ahead && job_.stop.time && ended == Ended::time_up) out.log.goes_on_at = look_ahead(out.log);
    return out;
  }

 private:
  // From here on the world does what the scenario says of it.
  void begin() {
    faults_.start();
    world_.begin_training();
  }

  static bool keeps_kernels(const Job& job) { return job.keep_kernels || job.keep_causes; }

  // For critical paths, and for the laws of the runtime, and to see whether they are broken.
  void look_closely(const KnownJob* known) {
    if (job_.keep_causes) world_.keep_causes(causes_);
    if (job_.audits) directory_.auditor = &auditor_.emplace(world_);
    if (auditor_ && known != nullptr) auditor_->reserve(known->facts);
    directory_.planted = planted_in(job_);
    if (known != nullptr && job_.planted == PlantedClusterBug::unsteady)
      for (std::size_t n = known->events; n > 0; --n) world_.random().next();
    world_.timers_outlive_processes = directory_.planted == PlantedClusterBug::timer_of_dead_process;
  }

  void start_worker(TaskId task) {
    auto worker = std::make_unique<Worker>(directory_, task, WorkerOptions{.values_up_to = job_.values_up_to});
    workers_.push_back(worker.get());
    directory_.start(task, std::move(worker));
  }

  // ---- processes ----

  void end_process(TaskId task) {
    world_.note_cut_off_kernels(task);
    world_.note(ProcessEnded{task});
    world_.end_process(task);
    directory_.end(task);
    for (Client& c : clients_)
      if (c.job->task == task && c.now) c.gone.push_back(std::move(c.now));
    gate_.leave(task);
  }

  void end_training(TaskId task) {
    for (Client& c : clients_)
      if (c.job->task == task && c.now) c.now->stop();
  }

  void begin_process(TaskId task) {
    const std::uint32_t number = directory_.life(task);
    directory_.tasks[task.index()].incarnation = hash64(job_.cluster.tasks[task.index()].name, job_.seed + number) | 1;
    world_.note(ProcessBegan{task, number});
    start_worker(task);
    for (Client& c : clients_)
      if (c.job->task == task) begin_client(c);
  }

  std::unique_ptr<TrainingClient> make_client(const Client& c, TrainOptions options, StartGate* gate) {
    return std::make_unique<TrainingClient>(directory_, c.job->task, c.job->program, std::move(options), gate);
  }

  void begin_client(Client& c) {
    const bool is_before_start = job_.start_together && !gate_.is_open();
    TrainOptions options = c.job->options;
    if (!is_before_start) options.joins_gate = false, options.start_after = options.first_step_after = 0;
    if (options.joins_gate) gate_.expect(c.job->task);
    c.now = make_client(c, options, is_before_start ? &gate_ : nullptr);
    c.now->start();
  }

  void note(Nanos at, const Event& e) {
    if (ahead_) return note_ahead(e);
    log_.add(at, e);
    if (auditor_ && (keeps_kernels(job_) || !std::holds_alternative<KernelRan>(e))) auditor_->count_event();
    if (job_.keep_causes) causes_.noted_in.push_back(world_.present());
    if (job_.keep_turns) turns_.resize(log_.events().size(), world_.asked());
    if (job_.watch && log_.count() % kBetweenLooks == 0) job_.watch(at, log_.count());
    faults_.note(e);
    count_aggregate(e);
    began_ += is_training_step(e) ? 1 : 0;
    vigil_.note(e);
    instant_.note(at, e);
  }

  void count_aggregate(const Event& e) {
    if (const auto* taken = std::get_if<AggregateTaken>(&e)) ++aggregates_[taken->accumulator];
  }

  // ---- after the end ----

  void note_ahead(const Event& e) {
    ahead_->note(e);
    vigil_.note(e);
    count_aggregate(e);
  }

  [[nodiscard]] std::int64_t whole_aggregates() const {
    if (aggregates_.size() < accumulators()) return 0;
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    return aggregates_.empty() ? 0 : std::ranges::min_element(aggregates_, fewer)->second;
  }

  // In the cluster as it is now. That nothing comes is known only where it would not have changed by itself; and where
  // what comes is the last of it, it may as well be said that nothing does.
  Nanos look_ahead(const EventLog& log) {
    const bool may_change = faults_.may_change();
    Ahead& ahead = ahead_.emplace(log);
    faults_.freeze();
    vigil_.begin_anew();
    const std::int64_t before = whole_aggregates();
    const bool aggregates = accumulators() > 0;
    const std::int64_t enough = aggregates ? 2 : std::ssize(clients_) + 1;  // each may be in its last step
    Nanos first = EventLog::kNever;
    const auto is_enough = [&] {
      const std::int64_t done = aggregates ? whole_aggregates() - before : ahead.steps_ended();
      if (done > 0 && first < 0) first = world_.now() - log.started_at;
      return done >= enough || ahead.is_too_long() || is_hopeless() || is_interrupted();
    };
    const Ended ended = world_.run(is_enough, world_.now() + Ahead::kLongest);
    const bool is_over = std::ranges::all_of(clients_, has_finished);
    const bool is_dead = !is_over && (ended == Ended::idle || is_hopeless());
    if (first >= 0 && !is_dead) return first;
    return first < 0 && is_dead && !may_change ? EventLog::kNever : EventLog::kUnknown;
  }

  [[nodiscard]] Nanos until() const { return job_.stop.time ? log_.started_at + *job_.stop.time : job_.max_time; }

  [[nodiscard]] bool is_over() {
    if (is_hopeless()) return gave_up_ = true;
    if (is_interrupted()) return true;
    if (job_.stop.when_clients_finish && !faults_.is_pending() && std::ranges::all_of(clients_, has_finished))
      return true;
    if (job_.stop.began && began_ >= *job_.stop.began) return true;
    if (!job_.stop.aggregates || aggregates_.empty()) return false;
    return aggregates_.size() >= accumulators() &&
           std::ranges::all_of(aggregates_, [this](const auto& a) { return a.second >= *job_.stop.aggregates; });
  }

  [[nodiscard]] bool is_interrupted() { return job_.interrupted && ++asked_ % kBetweenAsks == 0 && job_.interrupted(); }

  // Clients look again and again for what will never come: no kernel runs, no fault comes or goes, nobody is still to
  // begin.
  [[nodiscard]] bool is_hopeless() const {
    if (vigil_.looks() < kLooksInVain * clients_.size() || faults_.will_change() || world_.is_busy()) return false;
    if (vigil_.looks_since_one_began() < kLooksInVain / 2 * clients_.size()) return false;
    return (job_.start_together && !gate_.is_open()) || std::ranges::all_of(clients_, [this](const Client& c) {
             return c.now == nullptr || has_finished(c) || vigil_.has_begun(c.job->task);
           });
  }

  // Which steps went round.
  [[nodiscard]] std::string endless_text() const {
    std::string steps;
    for (const auto& [task, count] : instant_.steps)
      steps += fmt::format("{}{} of {}", steps.empty() ? "" : ", ", count, short_name(task));
    return fmt::format(
        "more than {} events happened at {:.3f} s, {}: nothing in this job takes time. Steps that ended in that "
        "instant: {}. Give ops a cost (costs:) or the network a latency",
        world_.events_in_an_instant(), in_seconds(world_.now()), kTimeStandsStill, steps.empty() ? "none" : steps);
  }
  [[nodiscard]] std::string short_name(TaskId task) const { return job_.cluster.tasks[task.index()].name; }

  static bool has_finished(const Client& c) { return c.now == nullptr || c.now->is_finished(); }

  [[nodiscard]] std::size_t accumulators() const {
    const auto& sync = job_.clients.front().program.sync;
    return sync ? sync->accumulators.size() + sync->sparse_accumulators.size() : 0;
  }

  Outcome outcome(Ended ended) {
    faults_.finish();
    world_.note_cut_off();
    log_.ended_at = world_.now();
    log_.is_deadlocked = gave_up_ || (ended == Ended::idle &&
                                      std::ranges::any_of(clients_, [](const Client& c) { return !has_finished(c); }));
    world_.note(RunEnded{log_.started_at, log_.is_deadlocked});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < names_.size(); ++i) names.emplace_back(names_[NameId{i}]);
    log_.set_names(std::move(names));
    Outcome out{std::move(log_), world_.stats(), {}, {}, {}};
    for (const Worker* w : workers_) {
      out.nodes_run += w->runs().nodes_run();
      for (std::size_t i = 0; i < kCostSources; ++i) out.stats.executions[i] += w->runs().live_by_source()[i];
    }
    out.tasks = task_names(job_.cluster);
    out.faults_at = faults_.happened();
    out.causes = std::move(causes_);
    out.turns = std::move(turns_);
    if (auditor_) out.audit = audit(), out.breaches = broken_laws(out.log, out.audit, out.tasks);
    return out;
  }

  Audit audit() {
    for (std::size_t i = 0; i < directory_.workers.size(); ++i)
      if (const auto* worker = static_cast<const Worker*>(directory_.workers[i].get())) worker->audit(*auditor_);
    Audit all = std::move(auditor_->audit());
    all.may_call = tasks_to_call(job_);
    return all;
  }

  const Job& job_;
  NameTable names_;
  EventLog log_;
  std::map<NameId, std::int64_t> aggregates_;
  std::int64_t began_ = 0;  // training steps
  Causes causes_;
  std::vector<std::uint64_t> turns_;
  World world_;
  std::optional<Auditor> auditor_;
  Directory directory_;
  std::vector<const Worker*> workers_;
  FaultRun faults_;
  StartGate gate_;
  std::vector<Client> clients_;
  Vigil vigil_;
  Instant instant_;
  bool gave_up_ = false;
  std::uint64_t asked_ = 0;     // whether it is over
  std::optional<Ahead> ahead_;  // there after the end
};

bool clients_share_graphs(const Job& job) {
  std::vector<const GraphSpec*> graphs;
  for (const ClientJob& c : job.clients) graphs.push_back(c.program.graph.get());
  std::ranges::sort(graphs);
  return std::ranges::adjacent_find(graphs) != graphs.end();
}

}  // namespace

TaskNames task_names(const ClusterSpec& cluster) {
  TaskNames tasks;
  for (const TaskSpec& t : cluster.tasks) {
    tasks.names.push_back(t.name);
    tasks.hosts.push_back(cluster.hosts[t.host.index()].name);
  }
  return tasks;
}

Outcome run_alone(const Job& job, KnownJob* known) {
  KnownJob of_this_run;
  Running running(job, known == nullptr && clients_share_graphs(job) ? &of_this_run : known);
  Outcome out = running.run();
  if (known != nullptr) known->events = out.log.events().size();
  if (known != nullptr) known->facts = std::max(known->facts, out.audit.facts.size());
  return out;
}

}  // namespace tarry
