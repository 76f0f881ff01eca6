// What reading and preparing examples costs.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "results/evidence.hpp"
#include "scenarios/job/step_nodes.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

constexpr double kShows = 0.10;   // of the training, added up on one task
constexpr double kLimits = 0.90;  // of it, but for standstills: else the queue was full for a while
constexpr double kSlower = 2;     // times as long for an execution as others

// What a task spent on examples.
struct Spent {
  Nanos all = 0;
  std::map<std::string, Nanos> by_reader, by_op;  // reads, by their node; all others
  std::map<std::string, double> each;             // an execution, on average, by op
};
struct Limit {  // what examples wait for: one op after the other on that task
  TaskId task;
  std::string op;
  double takes = 0;  // nanoseconds
  Nanos of_op = 0;   // added up
  bool is_one_reader = false;
  double each = 0;  // nanoseconds of an execution
};

class Input {
 public:
  Input(const Job& job, const Outcome& outcome, Nanos trained) : job_(job), outcome_(outcome), trained_(trained) {
    bool is_any = false;
    for (const ClientJob& c : job.clients) {
      nodes_[c.task] = nodes_of_its_input(c);
      is_any = is_any || !nodes_[c.task].empty();
    }
    if (!is_any) return;
    for (const NodeUse& n : outcome.stats.nodes) count(n);
  }

  void add(std::vector<WhatIf>& out, Scope scope) {
    const Limit limit = strictest();
    if (limit.op.empty() || !shows(limit, scope)) return;
    out.push_back({{.cause = Proof::Cause::input,
                    .a = limit.op,
                    .b = limit.is_one_reader ? "reads" : "",
                    .what = in_words(limit),
                    .instead = "with examples that are read and prepared in no time",
                    .together = true},
                   job_});
    for (const auto& [task, paces] : paces_)
      for (const auto& [node, pace] : paces) out.back().job.costs.node_paces[task][node] = pace;
  }

 private:
  // That of the task which examples keep busy for longest; of those that they keep busy all the time, one whose kernels
  // take much longer.
  [[nodiscard]] Limit strictest() const {
    std::vector<Limit> all;
    for (const auto& [task, spent] : spent_) all.push_back(limit_of(task, spent));
    std::ranges::stable_sort(all, std::ranges::greater(), &Limit::takes);
    if (all.empty() || all.front().takes <= 0) return {};  // all of it was before training
    const auto is_less_busy = [&](const Limit& l) { return l.takes < kLimits * all.front().takes; };
    const auto end = std::ranges::find_if(all, is_less_busy);
    const double slowest =
        std::max_element(all.begin(), end, [](const Limit& a, const Limit& b) { return a.each < b.each; })->each;
    return *std::find_if(all.begin(), end, [&](const Limit& l) { return kSlower * l.each > slowest; });
  }
  [[nodiscard]] bool shows(const Limit& limit, Scope scope) const {
    const double all = static_cast<double>(spent_.at(limit.task).all);
    return all >= kShows * static_cast<double>(trained_) &&
           (scope == Scope::all || limit.takes >= kLimits * static_cast<double>(trained_ - stood_still()));
  }
  [[nodiscard]] Nanos stood_still() const {
    const Contributions c = read_contributions(outcome_.log);
    const Evidence e = read_evidence(outcome_.log, c, outcome_.tasks);
    Nanos all = 0;
    for (const Standstill& s : e.standstills) all += std::max<Nanos>(0, s.to - s.from);
    return all;
  }
  [[nodiscard]] std::string in_words(const Limit& limit) const {
    return fmt::format(
        "the kernels that read and prepare examples ran for {:.3f} s on {}, added up, in {:.3f} s of training; {} took "
        "{:.3f} s of that{}",
        in_seconds(spent_.at(limit.task).all), outcome_.tasks.show(limit.task), in_seconds(trained_), limit.op,
        in_seconds(limit.of_op), first_fill(limit.task));
  }

  // "; input/queue keeps 1000 examples back (min_after_dequeue) and held 499 at the end": a queue of the task's steps
  // that has given none yet, and keeps at least as many as it holds.
  [[nodiscard]] std::string first_fill(TaskId task) const {
    const auto own = std::ranges::find(job_.clients, task, &ClientJob::task);
    if (own == job_.clients.end() || own->program.graph == nullptr) return "";
    const NodeNames of_step = nodes_of_a_step(*own);
    for (const NodeSpec& n : own->program.graph->nodes) {
      const auto* kept = n.attrs.get<std::int64_t>("min_after_dequeue");
      const std::optional<std::int64_t> held = kept == nullptr ? std::nullopt : held_by(task, n.name);
      if (held && of_step.contains(n.name) && *held <= *kept)
        return fmt::format("; {} keeps {} examples back (min_after_dequeue) and held {} at the end", n.name, *kept,
                           *held);
    }
    return "";
  }
  // How many elements the queue has got; nullopt where some have left it.
  [[nodiscard]] std::optional<std::int64_t> held_by(TaskId task, std::string_view queue) const {
    std::int64_t held = 0;
    for (const LoggedEvent& e : outcome_.log.events()) {
      const auto* put = std::get_if<Enqueued>(&e.event);
      const auto* taken = std::get_if<Dequeued>(&e.event);
      if (taken != nullptr && taken->task == task && outcome_.log.name(taken->queue) == queue) return std::nullopt;
      held += put != nullptr && put->task == task && outcome_.log.name(put->queue) == queue;
    }
    return held;
  }

  // Reads of one reader follow each other; what else is done threads do side by side.
  [[nodiscard]] Limit limit_of(TaskId task, const Spent& spent) const {
    Limit limit{.task = task};
    Nanos others = 0, most = 0;
    for (const auto& [op, time] : spent.by_op) {
      others += time;
      if (time > most) limit.op = op, limit.of_op = most = time;
    }
    limit.takes = static_cast<double>(others) / threads_of(task);
    for (const auto& [reader, time] : spent.by_reader)
      if (static_cast<double>(time) > limit.takes)
        limit = {task, std::string(op_of(reader)), static_cast<double>(time), time, true};
    if (const auto each = spent.each.find(limit.op); each != spent.each.end()) limit.each = each->second;
    return limit;
  }
  // Those that fill the queue of examples, as far as the task's CPU has threads for them.
  [[nodiscard]] int threads_of(TaskId task) const {
    const auto own = std::ranges::find(job_.clients, task, &ClientJob::task);
    const ClientJob& client = own == job_.clients.end() ? job_.clients.front() : *own;
    const NodeNames of_step = nodes_of_a_step(client);
    std::size_t threads = 0;
    for (const QueueRunner& runner : client.program.queue_runners)
      if (of_step.contains(runner.queue)) threads += runner.enqueue_ops.size();
    const int room = job_.cluster.tasks[task.index()].inter_op_threads, all = static_cast<int>(threads);
    return std::max(1, room > 0 ? std::min(room, all) : all);
  }

  // What runs on a task without a client, such as a parameter server, or where one client runs all, may be anybody's.
  [[nodiscard]] bool is_input(TaskId task, std::string_view node) const {
    const auto own = nodes_.find(task);
    if (nodes_.size() > 1 && own != nodes_.end()) return own->second.contains(node);
    return std::ranges::any_of(nodes_, [&](const auto& of_client) { return of_client.second.contains(node); });
  }
  void count(const NodeUse& n) {
    const std::string_view node = outcome_.log.name(n.node);
    if (n.time == 0 || !is_input(n.task, node)) return;
    const std::string_view op = op_of(node);
    const Nanos time = n.time - n.time_before;
    Spent& spent = spent_[n.task];
    spent.all += time;
    double& each = spent.each[std::string(op)];
    each = std::max(each, static_cast<double>(n.time) / static_cast<double>(n.executions));
    if (reads_in_turn(op))
      spent.by_reader[std::string(node)] += time;
    else
      spent.by_op[std::string(op)] += time;
    paces_[job_.cluster.tasks[n.task.index()].name][std::string(node)] = 0;
  }
  [[nodiscard]] std::string_view op_of(std::string_view node) const {
    for (const ClientJob& c : job_.clients) {
      if (c.program.graph == nullptr) continue;
      const auto found = std::ranges::find(c.program.graph->nodes, node, &NodeSpec::name);
      if (found != c.program.graph->nodes.end()) return found->op;
    }
    return "";
  }

  const Job& job_;
  const Outcome& outcome_;
  const Nanos trained_;
  std::map<TaskId, std::set<std::string_view>> nodes_;  // by client
  std::map<TaskId, Spent> spent_;
  std::map<std::string, NodePaces, std::less<>> paces_;  // by task: of its kernels that take no time then
};

}  // namespace

void add_input_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope, Nanos trained) {
  Input(job, outcome, trained).add(out, scope);
}

}  // namespace tarry
