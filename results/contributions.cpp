#include "results/contributions.hpp"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "results/event_reader.hpp"
#include "results/staleness.hpp"

namespace tarry {
namespace {

constexpr std::string_view kOfVariable = "/grad_accum";  // in the names of a synchronous optimizer's accumulators

struct StepOwner {
  TaskId client;
  int worker = -1;  // its index; -1 = its client never trained
  Purpose purpose = Purpose::other;
  Nanos began = 0;  // since the start
  bool has_updated = false;
};

// From an accumulator of the program: issued and not answered.
struct OpenTake {
  std::size_t accumulator = 0;  // its index
  StepId step;
  bool operator==(const OpenTake&) const = default;
};

// Of tasks, by number. Most messages are looked up in them.
void set(std::vector<bool>& tasks, TaskId task) {
  if (task.index() >= tasks.size()) tasks.resize(task.index() + 1);
  tasks[task.index()] = true;
}
bool is_set(const std::vector<bool>& tasks, TaskId task) { return task.index() < tasks.size() && tasks[task.index()]; }

class Reader {
 public:
  Reader(const EventLog& log, std::int64_t last_aggregate) : log_(log), last_aggregate_(last_aggregate) {}

  Contributions run() {
    find_workers();
    for (const LoggedEvent& e : log_.events()) {
      now_ = e.at - log_.started_at;
      pass_on(e.event, *this);
      if (last_aggregate_ > 0 && !out_.accumulators.empty() &&
          std::cmp_equal(out_.accumulators[0].aggregates.size(), last_aggregate_))
        break;
    }
    return std::move(out_);
  }

  void on(const StepBegan& e);
  void on(const StepEnded& e);
  void on(const GradientPushed& e);
  void on(const TakeIssued& e);
  void on(const AggregateTaken& e);
  void on(const Enqueued& e);
  void on(const Dequeued& e);
  void on(const ScalarAssigned& e);
  void on(const MessageDelivered& e);
  void on(const SessionMoved& e) {
    if (!worker_index_.contains(e.task)) return;
    out_.sessions += e.stage == SessionStage::ready;
    if (e.stage == SessionStage::ready) has_new_session_.insert(e.task);
    if (e.stage == SessionStage::left_loop || e.stage == SessionStage::failed) left_.insert(e.task);
    if (e.stage == SessionStage::looping) left_.erase(e.task);
    note_who_left();
  }
  void on(const ProcessEnded& e) {
    if (e.task == keeper_of_tokens_) out_.initial_tokens.clear();
    empty_own(e.task);
    if (worker_index_.contains(e.task) && left_.insert(e.task).second) note_who_left();
  }
  void on(const SyncPlanned& e) {
    out_.planned_workers = e.total_replicas;
    out_.sync_client = e.task;
  }
  template <class E>
  Ignored on(const E&) {
    return {};
  }

 private:
  void note_who_left() { out_.left = left_.size() < worker_index_.size() ? -1 : out_.left < 0 ? now_ : out_.left; }
  void find_workers();
  AccumulatorStory& story(NameId accumulator, TaskId task);
  OwnAccumulator& own(NameId accumulator, TaskId task);
  void empty_own(TaskId ended);
  // Nobody answers those any more.
  template <class Predicate>
  void end_takes(Predicate is_over) {
    for (const OpenTake& t : open_takes_)
      if (is_over(t)) --out_.own[t.accumulator].open_takes;
    std::erase_if(open_takes_, is_over);
  }
  [[nodiscard]] int worker_of(StepId step) const;
  // One that the program uses for itself: no optimizer hands out tokens for its aggregates.
  [[nodiscard]] bool is_of_the_program(NameId accumulator) const {
    return !is_synchronous_ && log_.name(accumulator).find(kOfVariable) == std::string_view::npos;
  }
  void note_update(StepOwner& step);
  [[nodiscard]] bool counts_done(NameId queue) const {
    return log_.name(queue).find(kStaleDoneQueue) != std::string_view::npos;
  }

  const EventLog& log_;
  std::int64_t last_aggregate_;
  Contributions out_;
  TaskId keeper_of_tokens_;
  absl::flat_hash_map<StepId, StepOwner> steps_;  // looked up, never iterated
  std::map<TaskId, int> worker_index_;
  std::set<TaskId> has_new_session_;          // and has begun no training step in it
  std::map<TaskId, Nanos> first_of_session_;  // when the first training step of a session began that has not ended
  bool is_synchronous_ = false;               // the job has a plan for it, or a step of a thread that takes aggregates
  std::set<TaskId> left_;                     // workers that have left training, or whose process ended
  std::map<NameId, std::size_t> accumulator_index_, own_index_;
  std::vector<OpenTake> open_takes_;
  std::vector<bool> sends_, holds_accumulator_;  // by task: it trains, it holds an accumulator; shorter than all tasks
  Nanos now_ = 0;
};

void Reader::find_workers() {
  for (const LoggedEvent& e : log_.events()) {
    if (const auto* s = std::get_if<StepBegan>(&e.event); s != nullptr && s->purpose == Purpose::train)
      worker_index_.emplace(s->task, 0);
    if (const auto* s = std::get_if<StepBegan>(&e.event))
      is_synchronous_ |= s->purpose == Purpose::sync || s->purpose == Purpose::init_tokens;
    is_synchronous_ |= std::holds_alternative<SyncPlanned>(e.event);
    if (const auto* p = std::get_if<GradientPushed>(&e.event)) set(holds_accumulator_, p->task);
  }
  for (auto& [task, index] : worker_index_) {
    index = static_cast<int>(out_.workers.size());
    out_.workers.push_back({.task = task});
    set(sends_, task);
  }
}

int Reader::worker_of(StepId step) const {
  const auto it = steps_.find(step);
  return it == steps_.end() ? -1 : it->second.worker;
}

AccumulatorStory& Reader::story(NameId accumulator, TaskId) {
  const auto [it, is_new] = accumulator_index_.emplace(accumulator, out_.accumulators.size());
  if (is_new) {
    AccumulatorStory& a = out_.accumulators.emplace_back();
    a.name = log_.name(accumulator);
    a.variable = variable_of(a.name);
    const std::size_t n = out_.workers.size();
    for (auto* counts : {&a.left, &a.pushed, &a.accepted, &a.dropped}) counts->assign(n, 0);
  }
  return out_.accumulators[it->second];
}

void Reader::on(const StepBegan& e) {
  const auto worker = worker_index_.find(e.task);
  steps_[e.step] = {e.task, worker == worker_index_.end() ? -1 : worker->second, e.purpose, now_};
  if (e.purpose == Purpose::sync) out_.sync_client = e.task;
  const bool makes_model = e.purpose == Purpose::init || e.purpose == Purpose::restore;
  if (makes_model && !out_.initialiser.valid()) out_.initialiser = e.task;
  const int w = e.purpose == Purpose::train ? worker_of(e.step) : -1;
  if (w < 0) return;
  if (out_.workers[w].first_step < 0) out_.workers[w].first_step = now_;
  if (has_new_session_.erase(e.task) > 0) first_of_session_[e.task] = now_;
}

void Reader::on(const StepEnded& e) {
  end_takes([&](const OpenTake& t) { return t.step == e.step; });
  const auto it = steps_.find(e.step);
  if (e.code != 0 || it == steps_.end() || it->second.purpose != Purpose::train) return;
  WorkerStory& w = out_.workers[it->second.worker];
  ++w.steps;
  const auto first = first_of_session_.find(e.task);
  const Nanos before = first != first_of_session_.end() ? first->second
                       : w.step_ended.empty()           ? w.first_step
                                                        : w.step_ended.back();
  if (first != first_of_session_.end()) first_of_session_.erase(first);
  w.step_ended.push_back(now_);
  w.step_times.push_back(now_ - before);
  note_update(it->second);
}

OwnAccumulator& Reader::own(NameId accumulator, TaskId task) {
  const auto [it, is_new] = own_index_.emplace(accumulator, out_.own.size());
  const std::vector<std::int64_t> none(out_.workers.size());
  if (is_new) out_.own.push_back({std::string(log_.name(accumulator)), task, 0, 0, none, none});
  return out_.own[it->second];
}

// With the task's process goes what its accumulators hold, and what its client's steps or others' ask of them.
void Reader::empty_own(TaskId ended) {
  for (OwnAccumulator& a : out_.own)
    if (a.task == ended) std::ranges::fill(a.left, 0);
  end_takes([&](const OpenTake& t) {
    const auto step = steps_.find(t.step);
    return out_.own[t.accumulator].task == ended || (step != steps_.end() && step->second.client == ended);
  });
}

void Reader::on(const GradientPushed& e) {
  const int w = worker_of(e.step);
  if (is_of_the_program(e.accumulator)) {
    OwnAccumulator& a = own(e.accumulator, e.task);
    if (w >= 0 && e.accepted) ++a.given[w], ++a.left[w];
    return;
  }
  AccumulatorStory& a = story(e.accumulator, e.task);
  if (w < 0) return;
  ++a.pushed[w];
  ++(e.accepted ? a.accepted : a.dropped)[w];
  if (e.accepted) ++a.left[w];
}

void Reader::on(const TakeIssued& e) {
  if (!is_of_the_program(e.accumulator)) {
    story(e.accumulator, e.task).required = e.required;
    return;
  }
  OwnAccumulator& a = own(e.accumulator, e.task);
  a.required = e.required;
  ++a.open_takes;
  open_takes_.push_back({own_index_.at(e.accumulator), e.step});
}

void Reader::on(const AggregateTaken& e) {
  if (is_of_the_program(e.accumulator)) {
    OwnAccumulator& a = own(e.accumulator, e.task);
    std::ranges::fill(a.left, 0);
    const auto take = std::ranges::find(open_takes_, OpenTake{own_index_.at(e.accumulator), e.step});
    if (take != open_takes_.end()) open_takes_.erase(take), --a.open_takes;
    return;
  }
  AccumulatorStory& a = story(e.accumulator, e.task);
  Aggregate g{static_cast<std::int64_t>(a.aggregates.size()) + 1, a.left, e.averaged, now_};
  a.over_accepted.push_back(e.averaged - a.required);
  std::ranges::fill(a.left, 0);
  a.aggregates.push_back(std::move(g));
}

// Only once: a step that waits for its token ends later.
void Reader::note_update(StepOwner& step) {
  if (!std::exchange(step.has_updated, true)) out_.workers[step.worker].updates.push_back({step.began, now_});
}

void Reader::on(const Enqueued& e) {
  const auto it = steps_.find(e.step);
  if (it != steps_.end() && it->second.worker >= 0 && it->second.purpose == Purpose::train && counts_done(e.queue))
    note_update(it->second);
  if (it == steps_.end() || (it->second.purpose != Purpose::init_tokens && it->second.purpose != Purpose::sync)) return;
  out_.token_queue = log_.name(e.queue);
  ++out_.tokens_enqueued;
  if (it->second.purpose != Purpose::init_tokens) return;
  keeper_of_tokens_ = e.task;
  out_.initial_tokens.push_back(e.value);
}

void Reader::on(const Dequeued& e) {
  const auto it = steps_.find(e.step);
  if (it == steps_.end() || it->second.worker < 0 || it->second.purpose != Purpose::train || out_.accumulators.empty())
    return;
  if (log_.name(e.queue) != out_.token_queue) return;  // of a queue of examples, say
  ++out_.tokens_dequeued;
  out_.workers[it->second.worker].tokens.push_back(e.value);
}

void Reader::on(const ScalarAssigned& e) {
  if (log_.name(e.variable) == "global_step") out_.global_step = e.value;
}

void Reader::on(const MessageDelivered& e) {
  if (!is_set(sends_, e.from) || !is_set(holds_accumulator_, e.to)) return;
  const Nanos took = now_ + log_.started_at - e.sent;
  Nanos& nearest = out_.workers[worker_index_.at(e.from)].nearest_ps;
  nearest = nearest < 0 ? took : std::min(nearest, took);
}

}  // namespace

std::string variable_of(std::string_view accumulator) {
  return std::string(accumulator.substr(0, accumulator.find(kOfVariable)));
}

std::int64_t Aggregate::total() const { return std::accumulate(by_worker.begin(), by_worker.end(), std::int64_t{0}); }

bool takes_own_aggregates(const Contributions& c) {
  return std::ranges::any_of(c.own, [](const OwnAccumulator& a) { return a.required > 0; });
}

bool Aggregate::lacks_a_worker() const { return std::ranges::find(by_worker, 0) != by_worker.end(); }

bool Aggregate::is_lone() const {
  return total() > 1 && std::ranges::count_if(by_worker, [](std::int64_t n) { return n > 0; }) == 1 &&
         by_worker.size() > 1;
}

Contributions read_contributions(const EventLog& log, std::int64_t last_aggregate) {
  return Reader(log, last_aggregate).run();
}

std::int64_t gradients_used(const Contributions& c) {
  std::int64_t n = 0;
  if (c.accumulators.empty())
    for (const WorkerStory& w : c.workers) n += std::ssize(w.updates);
  else
    for (const Aggregate& g : c.accumulators.front().aggregates) n += g.total();
  return n;
}

Nanos training_time(const Contributions& c, Nanos run) { return c.left < 0 ? run : c.left; }

std::string check_credit_law(const Contributions& c) {
  if (c.accumulators.empty()) return "";
  const std::int64_t credits = c.sessions + c.tokens_enqueued;
  for (const AccumulatorStory& a : c.accumulators) {
    const std::int64_t spent = std::accumulate(a.pushed.begin(), a.pushed.end(), std::int64_t{0});
    if (spent > credits)
      return fmt::format("{} pushes to {} but only {} credits ({} sessions of workers, {} tokens)", spent, a.name,
                         credits, c.sessions, c.tokens_enqueued);
  }
  return "";
}

namespace {

std::vector<Nanos> times_of_updates(const std::vector<WorkerStory>& workers) {
  std::vector<Nanos> all;
  for (const WorkerStory& w : workers)
    for (const Update& u : w.updates) all.push_back(u.at);
  std::ranges::sort(all);
  return all;
}

// In the step, up to and with its own one.
std::int64_t count_in(const std::vector<Nanos>& times, const Update& u) {
  return std::ranges::upper_bound(times, u.at) - std::ranges::upper_bound(times, u.began);
}

}  // namespace

std::vector<std::vector<std::int64_t>> staleness_of_updates(const Contributions& c) {
  const std::vector<Nanos> all = times_of_updates(c.workers);
  std::vector<std::vector<std::int64_t>> out;
  for (const WorkerStory& w : c.workers) {
    const std::vector<Nanos> own = times_of_updates({w});
    auto& of_worker = out.emplace_back();
    for (const Update& u : w.updates) of_worker.push_back(count_in(all, u) - count_in(own, u));
  }
  return out;
}

double mean_after_first(const std::vector<std::int64_t>& numbers) {
  if (numbers.size() < 2) return 0;
  return std::accumulate(numbers.begin() + 1, numbers.end(), 0.0) / static_cast<double>(numbers.size() - 1);
}

}  // namespace tarry
