#include "scenarios/job/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "results/loads.hpp"
#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/made_like.hpp"
#include "scenarios/job/overheads.hpp"
#include "scenarios/job/slow_kernels.hpp"
#include "scenarios/job/step_costs.hpp"
#include "scenarios/job/step_nodes.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// ---- the candidates ----

class Candidates {
 public:
  Candidates(const Job& job, const Outcome& outcome, const std::set<TaskId>& by_chance)
      : job_(job),
        outcome_(outcome),
        by_chance_(by_chance),
        costs_(job, outcome),
        loads_(read_loads(outcome.log)),
        trained_(training_time(read_contributions(outcome.log), outcome.log.ended_at - outcome.log.started_at)) {
    for (std::size_t t = 0; t < job.cluster.tasks.size(); ++t)
      if (outcome.tasks.is_ps(TaskId{t})) servers_.push_back(TaskId{t});
  }

  std::vector<WhatIf> all(Scope scope) {
    add_fault_what_ifs(out_, job_, outcome_);
    add_start_what_ifs(out_, job_, outcome_, scope);
    add_data_what_ifs(out_, job_, outcome_);
    add_epoch_what_if(out_, job_, outcome_);
    add_stop_what_ifs(out_, job_, outcome_);
    if (scope == Scope::likely) add_token_what_ifs(out_, job_, outcome_);
    add_slow_workers();
    add_card_what_ifs(out_, job_, outcome_);
    add_far_what_ifs(out_, job_, outcome_, costs_, scope, trained_);
    add_all_of_a_kind();
    add_imbalance_what_ifs(out_, job_, outcome_);
    add_device_what_ifs(out_, job_, outcome_, scope, trained_);
    add_input_what_ifs(out_, job_, outcome_, scope, trained_);
    add_room_what_if(out_, job_);
    add_variation_what_ifs(out_, job_, outcome_, scope);
    add_save_what_ifs(out_, job_, outcome_);
    add_overheads(scope);
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string show(TaskId t) const { return outcome_.tasks.show(t); }
  [[nodiscard]] HostId host_of(TaskId t) const { return job_.cluster.tasks[t.index()].host; }
  [[nodiscard]] const std::string& name_of(HostId h) const { return job_.cluster.hosts[h.index()].name; }

  [[nodiscard]] std::string show(HostId h) const { return with_its_tasks(job_, outcome_, h); }

  WhatIf& add(Proof proof) { return out_.emplace_back(WhatIf{std::move(proof), job_}); }

  [[nodiscard]] HostId find_host(const std::string& name) const {
    const auto& hosts = job_.cluster.hosts;
    return HostId{static_cast<std::size_t>(std::ranges::find(hosts, name, &HostSpec::name) - hosts.begin())};
  }

  // ": 50 ms and 80 ms; usual is 1 ms", ": 0.060 s a step each"; of latencies beside bandwidths nothing is usual.
  [[nodiscard]] static std::string each_in_words(const std::vector<std::string>& amounts,
                                                 const std::set<std::string>& usual) {
    const bool are_equal = std::ranges::count(amounts, amounts[0]) == std::ssize(amounts);
    const bool is_told = usual.size() == 1 && !usual.begin()->empty();
    return fmt::format(": {}{}", are_equal ? amounts[0] + " each" : listed(amounts),
                       is_told ? "; " + *usual.begin() : "");
  }

  // All of a kind, where there are several: where everybody waits for all of them, each alone gains nothing.
  void add_all(Cause kind, Cause as, const std::string& what, const std::string& instead) {
    Job job = job_;
    std::vector<std::string> names, hosts, amounts;
    std::set<std::string> usual;
    std::size_t count = 0;
    for (const WhatIf& w : out_) {
      if (w.proof.cause != kind) continue;
      make_difference(job, job_, w.job);
      ++count;
      if (!hosts.empty() && hosts.back() == w.proof.a) continue;  // another card of it
      names.push_back(w.proof.task.valid() ? show(w.proof.task) : show(find_host(w.proof.a)));
      amounts.push_back(w.amount);
      usual.insert(w.usual);
      if (!w.proof.a.empty()) hosts.push_back(w.proof.a);
    }
    if (count < 2) return;
    const std::string how_much = names.size() == 1 || names.size() > kMostNames ? "" : each_in_words(amounts, usual);
    const std::string who = names.size() == 1 ? names.front() : listed(std::move(names));
    out_.push_back({{.cause = as,
                     .a = join(hosts, ", "),
                     .what = fmt::format(fmt::runtime(what), who) + how_much,
                     .instead = instead,
                     .together = true},
                    std::move(job)});
  }
  void add_all_of_a_kind() {
    const bool has_absent = std::ranges::any_of(out_, &WhatIf::is_of_absent);
    add_all(Cause::late_start, Cause::late_start,
            fmt::format("{{}} {} later than the worker that began first", has_absent ? "were to begin" : "began"),
            "with all workers as early as the first");
    add_all(Cause::slow_worker, Cause::workers, "the kernels of {} take longer than those of " + usual_.name,
            "with all workers as fast as " + usual_.name);
    if (!out_.empty() && out_.back().proof.cause == Cause::workers && have_all_slow_ones_no_gpu())
      out_.back().proof.b = "GPU", out_.back().proof.what += "; they have no GPU";
    add_all(Cause::slow_card, Cause::slow_card, "the network cards of {} have less bandwidth than those of the others",
            "with network cards like the others'");
    add_all(Cause::far_host, Cause::far_host,
            "{} are farther from the tasks that they exchange messages with than the others",
            "with all of them as near as the others");
  }

  [[nodiscard]] bool have_all_slow_ones_no_gpu() const {
    return std::ranges::all_of(
        out_, [](const WhatIf& w) { return w.proof.cause != Cause::slow_worker || w.proof.b == "GPU"; });
  }

  void add_slow_workers() {
    if (costs_.of_all().empty()) return;
    usual_ = costs_.usual();
    const auto slower = std::ranges::count_if(
        costs_.of_all(), [this](const auto& of_task) { return kMuchWorse * of_task.second > usual_.cost; });
    worse_ = slower > kMostApart ? kWorseOfMany : kMuchWorse;
    for (const auto& [task, own] : costs_.of_all()) {
      WhatIf* w = add_slow_worker(task, own, usual_.cost);
      if (w == nullptr) continue;
      if (lacks_gpus(task))
        w->job = with_usual_gpus(task);
      else if (auto like = may_be_made_like(task, own) ? made_like(job_, task, usual_.task, costs_.begun_by(task))
                                                       : std::nullopt)
        w->job = *std::move(like);
      else
        set_pace(w->job, task, own, usual_.cost, costs_.kernels());
    }
  }
  // Where workers run different nodes, those that costs name the worker for must take what it takes longer.
  [[nodiscard]] bool may_be_made_like(TaskId task, double cost) const {
    constexpr double kNearlyAll = 0.9;
    return costs_.kernels().are_known() ||
           share_of_own_costs(job_, outcome_, task) * cost >= kNearlyAll * (cost - usual_.cost);
  }
  // So that its steps take the usual time on average.
  void set_pace(Job& job, TaskId task, double own, double usual, const SlowKernels& kernels) const {
    if (kernels.are_known())
      job.costs.node_paces[job_.cluster.tasks[task.index()].name] = kernels.paces_of(task, usual);
    else
      job.faults.push_back({Nanos{0}, Slow{task, {std::max<std::int64_t>(1, std::llround(100 * usual / own))}, {}}});
  }
  [[nodiscard]] Job with_usual_gpus(TaskId task) const {
    Job job = job_;
    job.cluster.tasks[task.index()].gpus = job_.cluster.tasks[usual_.task.index()].gpus;
    return job;
  }
  // The usual worker computes on a GPU, and the task has none: nothing else is said of its speed alone.
  [[nodiscard]] bool lacks_gpus(TaskId task) const {
    if (!job_.cluster.tasks[task.index()].gpus.empty()) return false;
    if (costs_.kernels().are_known() && made_like(with_usual_gpus(task), task, usual_.task)) return false;
    const DeviceUse* busiest = nullptr;
    for (const DeviceUse& d : outcome_.stats.devices)
      if (d.task == usual_.task && d.name.find("memcpy") == d.name.npos &&
          (busiest == nullptr || d.busy > busiest->busy))
        busiest = &d;
    return busiest != nullptr && busiest->name.find("GPU:") != busiest->name.npos;
  }
  [[nodiscard]] std::string slowness_in_words(TaskId task, double cost, double usual) const {
    const char* how = costs_.is_in_a_long_first_step(task)
                          ? "the kernels of the first step of {}, which does not end, take more than {:.3f} s{}{} and "
                            "those of a step of {} {:.3f} s{}"
                          : "the kernels of a step of {} together take {:.3f} s{}{} and those of {} {:.3f} s{}";
    return fmt::format(fmt::runtime(how), show(task), cost / kSecond, is_mostly_input(task, cost) ? kOfInput : "",
                       lacks_gpus(task) ? " on its CPU" : "", usual_.name, usual / kSecond,
                       lacks_gpus(task) ? " on a GPU" : "");
  }
  // It is in a long first step, and nothing but faults is said of it alone: these tell it.
  [[nodiscard]] bool is_long_by_a_fault(TaskId task) const {
    return costs_.is_in_a_long_first_step(task) && !has_own_costs(job_, task) &&
           std::ranges::any_of(job_.faults, [&](const Fault& f) { return lengthens_kernels(f, task, host_of(task)); });
  }
  // One client runs the parts of all: this one has more to do than others, and is not slower, nor said to be.
  [[nodiscard]] bool only_does_more(TaskId task) const {
    return job_.clients.size() == 1 && !has_own_costs(job_, task) &&
           worse_ * costs_.pace_beside(task, usual_.task) <= 1;
  }
  // nullptr where it is not slow.
  WhatIf* add_slow_worker(TaskId task, double cost, double usual) {
    if (usual <= 0 || worse_ * cost <= usual || by_chance_.contains(task) || is_long_by_a_fault(task)) return nullptr;
    if (only_does_more(task)) return nullptr;
    const bool is_without = lacks_gpus(task);
    WhatIf& w = add({.cause = Cause::slow_worker,
                     .task = task,
                     .b = is_without ? "GPU" : "",
                     .what = (is_without ? show(task) + " has no GPU: " : "") + slowness_in_words(task, cost, usual),
                     .instead = is_without ? fmt::format("with GPUs on {} as on {}", show(task), usual_.name)
                                           : fmt::format("with {} as fast as {}", show(task), usual_.name)});
    w.excess = cost / usual - 1;
    w.amount =
        fmt::format("{}{:.3f} s a step", costs_.is_in_a_long_first_step(task) ? "more than " : "", cost / kSecond);
    w.usual = fmt::format("usual is {:.3f} s a step", usual / kSecond);
    return &w;
  }

  static constexpr char kOfInput[] = ", most of it to read and prepare examples,";
  [[nodiscard]] bool is_mostly_input(TaskId task, double cost) const {
    const auto client = std::ranges::find(job_.clients, task, &ClientJob::task);
    return client != job_.clients.end() && costs_.kernels().are_known() &&
           2 * costs_.kernels().time_of(task, nodes_of_its_input(*client)) > cost;
  }

  // ---- what all wait for ----

  // Of all parts of a cause, which of them the job has.
  [[nodiscard]] std::string what_of(const Overhead& o) const {
    if (o.part != std::string_view(kAllParts)) return o.what;
    std::vector<std::string> parts;
    for (const Overhead& part : overheads())
      if (part.cause == o.cause && part.part != o.part && part.is_there(job_)) parts.emplace_back(part.what);
    return join(parts, ", ");
  }
  [[nodiscard]] Proof proof_of(const Overhead& o) const {
    const std::string odd = o.odd == nullptr ? "" : o.odd(job_, outcome_.tasks);
    return {.cause = o.cause,
            .b = odd.empty() ? o.part : "one",
            .what = odd.empty() ? what_of(o) : fmt::format("{}; {}", o.what, odd),
            .instead = o.instead,
            .together = o.part == std::string_view(kAllParts)};
  }
  void add_overheads(Scope scope) {
    const StepTimes all = sum_of(loads_);
    const bool servers_talk = share(time_between(servers_, outcome_.log), trained_) >= kWorthTelling;
    const auto is_likely = [&](const Overhead& o) {
      return o.shows(all) || (servers_talk && (o.cause == Cause::network || o.cause == Cause::latency));
    };
    for (const Overhead& o : overheads())
      if (o.is_there(job_) && (scope == Scope::all || is_likely(o))) o.take_away(add(proof_of(o)).job);
    for (WhatIf& w : out_)
      if (w.proof.cause == Cause::network && w.proof.b.empty()) w.proof.a = hosts_of_most_used_cards(job_, outcome_);
  }

  const Job& job_;
  const Outcome& outcome_;
  const std::set<TaskId>& by_chance_;
  const StepCosts costs_;
  StepCosts::Usual usual_;                         // that slow ones are compared with
  static constexpr std::ptrdiff_t kMostApart = 8;  // a run each; of more workers only those count as slow
  static constexpr double kWorseOfMany = 0.8;      // that are a quarter slower
  double worse_ = kMuchWorse;
  const Loads loads_;
  const Nanos trained_;
  std::vector<TaskId> servers_;
  std::vector<WhatIf> out_;
};

}  // namespace

std::vector<WhatIf> what_ifs(const Job& job, const Outcome& outcome, Scope scope, const std::set<TaskId>& by_chance) {
  return Candidates(job, outcome, by_chance).all(scope);
}

}  // namespace tarry
