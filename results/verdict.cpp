#include "results/verdict.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "placer/core/text.hpp"
#include "results/bottlenecks.hpp"
#include "results/losses.hpp"
#include "results/staleness.hpp"

namespace tarry {
namespace {

std::int64_t sum(const std::vector<std::int64_t>& v) { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); }

class Judge {
 public:
  Judge(const EventLog& log, const Contributions& c, const TaskNames& tasks)
      : log_(log), c_(c), tasks_(tasks), losses_(read_losses(log)) {}

  std::vector<Verdict> run() {
    failures();
    if (c_.workers.empty()) {
      add("not_started", "No training step began.");
      return std::move(out_);
    }
    if (const std::string broken = check_credit_law(c_); !broken.empty())
      add("credit_law_broken", "The credit law does not hold: " + broken + ".");
    losses();
    if (!c_.accumulators.empty())
      synchronous();
    else if (const auto stale = read_staleness(log_))
      stale_synchronous(*stale);
    else if (const auto driven = driven_tasks(); c_.workers.size() == 1 && !driven.empty())
      in_graph(driven);
    else
      asynchronous();
    for (Verdict& v : judge_loads(log_, c_, tasks_)) out_.push_back(std::move(v));
    return std::move(out_);
  }

 private:
  void add(std::string kind, std::string text) { out_.push_back({std::move(kind), std::move(text)}); }
  [[nodiscard]] std::string worker(std::size_t w) const { return tasks_.show(c_.workers[w].task); }

  void failures();
  void losses();
  void lost(const Loss& loss);
  [[nodiscard]] bool somebody_trains_after(Nanos at) const;
  [[nodiscard]] std::string who_could_help() const;
  [[nodiscard]] std::string in_unfinished_steps() const;
  void asynchronous();
  void stale_synchronous(const StaleStory& stale);
  [[nodiscard]] std::set<TaskId> driven_tasks() const;
  void in_graph(const std::set<TaskId>& driven);
  void synchronous();
  void uneven(const AccumulatorStory& a);
  void starved(const AccumulatorStory& a);
  void over_full(const AccumulatorStory& a);
  void absent(const AccumulatorStory& a);
  void backup(const AccumulatorStory& a);
  void stuck(const AccumulatorStory& a);
  [[nodiscard]] std::string why_ahead(std::size_t w) const;
  [[nodiscard]] std::string how_to_even_out() const;
  [[nodiscard]] std::string who_takes_besides() const;

  const EventLog& log_;
  const Contributions& c_;
  const TaskNames& tasks_;
  const Losses losses_;
  std::vector<Verdict> out_;
};

void Judge::failures() {
  for (const LoggedEvent& e : log_.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event); s != nullptr && s->stage == SessionStage::failed)
      add("failed", fmt::format("{} left training at {:.3f} s with an error: {}", tasks_.show(s->task),
                                in_seconds(e.at - log_.started_at), log_.name(s->detail)));
}

// ---- what was lost ----

const char* doing_in_words(Loss::Doing d) {
  switch (d) {
    case Loss::Doing::computing:
      return "while it computed: its credit is gone with it";
    case Loss::Doing::waiting_for_token:
      return "while it waited for a token: its gradient counts, and its token is left to the others";
    case Loss::Doing::nothing:
      break;
  }
  return "between two steps: the credit that it had just been given is gone with it";
}

// Training stood still when no aggregate came until the process was back.
bool stood_still(const Loss& l) {
  return l.next_aggregate < 0 ? l.back >= 0 : l.back >= 0 && l.next_aggregate >= l.back;
}

// A client had not left for good by then.
bool Judge::somebody_trains_after(Nanos at) const {
  std::map<TaskId, bool> has_left;
  for (const LoggedEvent& e : log_.events())
    if (const auto* s = std::get_if<SessionMoved>(&e.event);
        s != nullptr && (e.at - log_.started_at <= at || !has_left.contains(s->task)))
      has_left[s->task] = s->stage == SessionStage::closed;
  return std::ranges::any_of(has_left, [](const auto& client) { return !client.second; });
}

void Judge::lost(const Loss& l) {
  const bool is_worker = std::ranges::find(c_.workers, l.task, &WorkerStory::task) != c_.workers.end();
  const std::string process = fmt::format("The process of {} ended at {:.3f} s", tasks_.show(l.task), in_seconds(l.at));
  const std::string what =
      is_worker ? fmt::format("{}, {}", process, doing_in_words(l.doing)) : process + ", with all that it held";
  const char* heard = is_worker ? "and nobody was told: the others waited for tokens"
                                : "and every step that needed it failed: all sessions were made anew";
  const std::string back =
      l.back < 0 ? "It did not come back." : fmt::format("Its next one was ready at {:.3f} s.", in_seconds(l.back));
  if (!c_.accumulators.empty() && stood_still(l))
    add("stalled",
        fmt::format("{}. {} Until then no aggregate was complete ({}), {}. To do: {}.", what, back,
                    l.last_aggregate < 0 ? std::string("there was none before")
                                         : fmt::format("the last one was at {:.3f} s", in_seconds(l.last_aggregate)),
                    heard,
                    is_worker ? "watch the time since the last aggregate; restart lost workers, or aggregate fewer "
                                "gradients than there are workers"
                              : "restart it soon, and save checkpoints"));
  else if (is_worker && l.next_aggregate >= 0 && !log_.is_deadlocked)
    add("went_on",
        fmt::format("{}. {} Training went on: whoever takes its tokens contributes in its place.", what, back));
  else if (c_.accumulators.empty() && !is_worker) {
    if (somebody_trains_after(l.at))
      add("stalled",
          fmt::format("{}. {} Until then no step could end, {}. To do: restart it soon, and save checkpoints.", what,
                      back, heard));
  } else if (c_.accumulators.empty())
    add("went_on", fmt::format("{}. {} Asynchronous workers do not wait for each other.", what, back));
}

void Judge::losses() {
  for (const Loss& l : losses_.processes) lost(l);
  for (const Setback& s : losses_.setbacks)
    add("progress_lost",
        fmt::format("At {:.3f} s the global step went from {} back to {}: a chief that starts anew {} over what the "
                    "parameter servers hold. To do: save checkpoints more often, and give the"
                    " chief their folder.",
                    in_seconds(s.at), s.from, s.to,
                    s.to == 0 ? "initialises the model" : "restores its last checkpoint"));
}

// Which lost process could still give what an aggregate lacks.
std::string Judge::who_could_help() const {
  std::vector<std::string> missing;
  for (const Loss& l : losses_.processes)
    if (l.back < 0)
      missing.push_back(
          fmt::format("{} (gone since {:.3f} s, {})", tasks_.show(l.task), in_seconds(l.at), doing_in_words(l.doing)));
  return missing.empty() ? "" : " Missing: " + join(missing, "; ") + ".";
}

// "worker 1, worker 2": whose training steps have begun and not ended.
std::string Judge::in_unfinished_steps() const {
  std::map<StepId, TaskId> open;
  for (const LoggedEvent& e : log_.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train)
      open[began->step] = began->task;
    if (const auto* ended = std::get_if<StepEnded>(&e.event)) open.erase(ended->step);
  }
  std::vector<std::string> names;
  for (const auto& [step, task] : open) names.push_back(tasks_.show(task));
  return join(names, ", ");
}

void Judge::asynchronous() {
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < c_.workers.size(); ++w)
    parts.push_back(fmt::format("{}: {} ({:.1f})", worker(w), c_.workers[w].steps, updates_by_others(c_, w)));
  add("asynchronous",
      fmt::format("Asynchronous training: no barrier, every worker at its own pace. Steps by {}; in brackets the "
                  "updates by others between two of its own, which is how stale its gradients are.",
                  join(parts, ", ")));
  if (const std::string waiting = in_unfinished_steps(); log_.is_deadlocked && !waiting.empty())
    add("stuck", fmt::format("Nothing moves any more: {} in a step that waits for what nobody will give: a queue that "
                             "stays empty, or a task that is gone.{}",
                             waiting, who_could_help()));
}

// Tasks that are no parameter servers and run parts of other tasks' steps.
std::set<TaskId> Judge::driven_tasks() const {
  std::set<TaskId> driven;
  for (const LoggedEvent& e : log_.events())
    if (const auto* m = std::get_if<MessageDelivered>(&e.event); m != nullptr && m->from != m->to &&
                                                                 log_.name(m->kind) == "RunGraph request" &&
                                                                 !tasks_.show(m->to).starts_with("ps "))
      driven.insert(m->to);
  return driven;
}

void Judge::in_graph(const std::set<TaskId>& driven) {
  std::vector<std::string> names;
  for (const TaskId t : driven) names.push_back(tasks_.show(t));
  add("in_graph",
      fmt::format("One client for all: {} made {} steps, parts of which ran on {}. A step ends when all its parts "
                  "have: a barrier in which nothing is stale or dropped, as slow as the slowest part, and which"
                  " fails as a whole when one fails.",
                  worker(0), c_.workers[0].steps, join(names, ", ")));
}

void Judge::stale_synchronous(const StaleStory& stale) {
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < stale.done.size(); ++w) parts.push_back(fmt::format("worker {}: {}", w, stale.done[w]));
  add("stale_synchronous",
      fmt::format("Stale-synchronous training: nobody began a step more than {} ahead of the slowest; {} are allowed. "
                  "Steps of {}. The workers waited {:.3f} s for tokens in all.",
                  stale.farthest, stale.bound, join(parts, ", "), in_seconds(stale.waited)));
  if (log_.is_deadlocked)
    add("stuck", fmt::format("Nothing moves any more: the others are as far ahead of the slowest worker as they may "
                             "be, and it does not finish its step.{} To do: let it return.",
                             who_could_help()));
}

// Longest run of aggregates from the start that one worker filled alone.
std::size_t lone_start(const AccumulatorStory& a, std::size_t& worker) {
  std::size_t n = 0;
  for (const Aggregate& g : a.aggregates) {
    if (!g.is_lone()) break;
    const auto w = static_cast<std::size_t>(std::ranges::max_element(g.by_worker) - g.by_worker.begin());
    if (n > 0 && w != worker) break;
    worker = w;
    ++n;
  }
  return n;
}

bool is_much_farther(Nanos far, Nanos near) { return far > 2 * near + 1'000'000; }
bool is_much_later(Nanos late, Nanos early) { return late > early + 1'000'000'000; }

// Why a worker could run ahead: it is nearer to the ps, it began earlier, or it computes faster.
std::string Judge::why_ahead(std::size_t w) const {
  const WorkerStory& ahead = c_.workers[w];
  bool is_nearer = false, is_earlier = false;
  Nanos far = 0, late = 0;
  for (std::size_t i = 0; i < c_.workers.size(); ++i) {
    if (i == w) continue;
    far = std::max(far, c_.workers[i].nearest_ps);
    late = std::max(late, c_.workers[i].first_step < 0 ? log_.ended_at - log_.started_at : c_.workers[i].first_step);
  }
  is_nearer = ahead.nearest_ps >= 0 && is_much_farther(far, ahead.nearest_ps);
  is_earlier = is_much_later(late, ahead.first_step);
  if (is_earlier)
    return fmt::format("it began at {:.3f} s, the last of the others at {:.3f} s", in_seconds(ahead.first_step),
                       in_seconds(late));
  if (is_nearer)
    return fmt::format(
        "its messages reach the parameter server in {:.3f} s, those of the farthest worker take {:.3f} s",
        in_seconds(ahead.nearest_ps), in_seconds(far));
  return "its steps are shorter than the others'";
}

// What would help, of what is so.
std::string Judge::how_to_even_out() const {
  const auto [near, far] = std::ranges::minmax(c_.workers, {}, &WorkerStory::nearest_ps);
  const auto [early, late] = std::ranges::minmax(c_.workers, {}, &WorkerStory::first_step);
  std::vector<std::string> ways;
  if (near.nearest_ps >= 0 && is_much_farther(far.nearest_ps, near.nearest_ps))
    ways.push_back("put the parameter servers at equal distance from all workers, or one beside each");
  if (early.first_step >= 0 && is_much_later(late.first_step, early.first_step))
    ways.push_back("start the workers together");
  if (!losses_.processes.empty()) ways.push_back("restart lost processes soon");
  if (!c_.initial_tokens.empty())
    ways.push_back("start without initial tokens (num_tokens=0), so that every worker waits for the first aggregate");
  if (ways.empty()) ways.push_back("make the workers' steps equally long, and keep every worker to the end");
  return join(ways, "; or ");
}

void Judge::uneven(const AccumulatorStory& a) {
  std::size_t w = 0;
  const std::size_t lone = lone_start(a, w);
  const auto partial = static_cast<std::size_t>(std::ranges::count_if(
      a.aggregates, [](const Aggregate& g) { return std::ranges::find(g.by_worker, 0) != g.by_worker.end(); }));
  if (partial == 0 || a.aggregates.empty()) return;
  std::string text;
  if (lone > 0)
    text = fmt::format("{} filled the first {} aggregate{} of {} by itself: {}.", worker(w), lone, lone == 1 ? "" : "s",
                       a.variable, why_ahead(w));
  else
    text = fmt::format("{} of {} aggregates of {} lack some worker.", partial, a.aggregates.size(), a.variable);
  const std::string tokens =
      c_.initial_tokens.empty()
          ? ""
          : fmt::format(": {} initial tokens let a worker go on without the others", c_.initial_tokens.size());
  text += fmt::format(
      " Nothing ties a token or a place in an aggregate to a worker{}. {} gradient{} dropped in silence as stale. To "
      "do: {}.",
      tokens, sum(a.dropped), sum(a.dropped) == 1 ? " was" : "s were", how_to_even_out());
  add("uneven", std::move(text));
}

void Judge::starved(const AccumulatorStory& a) {
  for (std::size_t w = 0; w < c_.workers.size(); ++w)
    if (a.pushed[w] > 2 && a.dropped[w] == a.pushed[w])
      add("starved",
          fmt::format("All {} gradients that {} pushed to {} were dropped: each came with a token older than the "
                      "aggregate. It is too slow for {} gradients an aggregate;"
                      " TensorFlow reports nothing. To do: aggregate more gradients, or take the worker out.",
                      a.pushed[w], worker(w), a.variable, a.required));
}

void Judge::over_full(const AccumulatorStory& a) {
  const auto n = std::ranges::count_if(a.over_accepted, [](std::int64_t over) { return over > 0; });
  if (n > 0)
    add("over_full", fmt::format("{} of {} aggregates of {} hold more gradients than the {} asked for: they arrived "
                                 "while the next take was still on its way from the chief.",
                                 n, a.aggregates.size(), a.variable, a.required));
}

// "worker 0": in whose training steps aggregates are taken, which is the sync thread's to do.
std::string Judge::who_takes_besides() const {
  std::map<StepId, TaskId> training;
  std::set<std::string> who;
  for (const LoggedEvent& e : log_.events()) {
    if (const auto* began = std::get_if<StepBegan>(&e.event); began != nullptr && began->purpose == Purpose::train)
      training[began->step] = began->task;
    if (const auto* take = std::get_if<TakeIssued>(&e.event); take != nullptr && training.contains(take->step))
      who.insert(tasks_.show(training[take->step]));
  }
  return join(std::vector(who.begin(), who.end()), ", ");
}

void Judge::stuck(const AccumulatorStory& a) {
  if (!log_.is_deadlocked) return;
  if (a.required == 0) {
    add("stuck",
        fmt::format("Nothing moves any more: {} gradients wait in the accumulator of {}, and nobody ever asked for an "
                    "aggregate: the thread that takes them and hands out tokens never ran."
                    " To do: have the chief start the queue runner of SyncReplicasOptimizer (its session hook does).",
                    sum(a.left), a.variable));
    return;
  }
  const std::string waits = fmt::format(
      "Nothing moves any more: {} of {} gradients wait in the accumulator of {}, the token queue is {}", sum(a.left),
      a.required, a.variable, c_.tokens_enqueued == c_.tokens_dequeued ? "empty" : "not empty");
  if (const std::string who = who_takes_besides(); !who.empty())
    return add(
        "stuck",
        fmt::format(
            "{}. The training steps of {} take aggregates of their own: what they get, the thread that hands out "
            "tokens lacks, and each waits for gradients that nobody will push."
            " To do: fetch no aggregated gradient in a training step; look at the gradients before they are pushed.",
            waits, who));
  add("stuck",
      fmt::format("{}, and every worker that runs waits for a token. One round has lost more workers or tokens than "
                  "there are to spare.{} To do: let the missing workers return, or aggregate fewer gradients"
                  " than there are workers.",
                  waits, who_could_help()));
}

void Judge::absent(const AccumulatorStory& a) {
  const std::int64_t running = std::ssize(c_.workers), missing = c_.planned_workers - running;
  if (missing <= 0) return;
  add("absent",
      fmt::format("The graph is for {} workers, {} never began a step. Nothing waits for a worker that is missing: the "
                  "others use its tokens ({} of their gradients were dropped)"
                  " and training goes on without its data. To do: start it, or build the graph for {} workers.",
                  c_.planned_workers, missing == 1 ? "one" : fmt::format("{}", missing), sum(a.dropped), running));
}

void Judge::backup(const AccumulatorStory& a) {
  const std::int64_t pushed = sum(a.pushed), dropped = sum(a.dropped);
  add("backup",
      fmt::format("{} workers, {} gradients an aggregate: each aggregate leaves {} over, which is dropped as stale "
                  "when it arrives. {} of {} gradients ({:.0f} %) were computed for nothing; that is the price"
                  " of not waiting for the slowest.",
                  c_.workers.size(), a.required, static_cast<std::int64_t>(c_.workers.size()) - a.required, dropped,
                  pushed, pushed == 0 ? 0.0 : 100.0 * static_cast<double>(dropped) / static_cast<double>(pushed)));
}

void Judge::synchronous() {
  const AccumulatorStory& a = c_.accumulators.front();
  const std::size_t before = out_.size();
  stuck(a);
  if (out_.size() == before && losses_.processes.empty()) absent(a);
  starved(a);
  const bool has_backup = std::cmp_less(a.required, c_.workers.size());
  if (out_.size() == before && has_backup) backup(a);
  if (out_.size() == before) uneven(a);
  over_full(a);
  if (out_.size() > before || !losses_.processes.empty() || a.aggregates.empty()) return;
  add("fair",
      fmt::format("Every worker has its share: all {} aggregates of {} hold {} of each of the {} workers. {} gradients "
                  "were dropped{}.",
                  a.aggregates.size(), a.variable,
                  std::cmp_equal(a.required, c_.workers.size()) ? "one gradient" : "gradients", c_.workers.size(),
                  sum(a.dropped), sum(a.dropped) == 0 ? "" : " at the start, for the initial tokens"));
}

}  // namespace

std::string TaskNames::show(TaskId t) const {
  if (!t.valid() || t.index() >= names.size()) return "somebody";
  const std::string& name = names[t.index()];
  const auto job = name.find("/job:"), task = name.rfind("/task:");
  if (job != 0 || task == std::string::npos) return name;
  return fmt::format("{} {}", name.substr(5, name.find('/', 1) - 5), name.substr(task + 6));
}

std::vector<Verdict> judge(const EventLog& log, const Contributions& c, const TaskNames& tasks) {
  return Judge(log, c, tasks).run();
}

const std::vector<std::string>& verdict_kinds() {
  static const std::vector<std::string> kinds{"absent",
                                              "asynchronous",
                                              "backup",
                                              "credit_law_broken",
                                              "failed",
                                              "fair",
                                              "in_graph",
                                              "network_bound",
                                              "not_started",
                                              "over_full",
                                              "progress_lost",
                                              "ps_imbalance",
                                              "stale_synchronous",
                                              "stalled",
                                              "starved",
                                              "straggler",
                                              "stuck",
                                              "uneven",
                                              "went_on"};
  return kinds;
}

}  // namespace tarry
