#include "scenarios/job/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>

#include "results/trouble.hpp"
#include "scenarios/job/ceiling.hpp"
#include "scenarios/job/cost_users.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/hidden.hpp"
#include "scenarios/job/luck.hpp"
#include "scenarios/job/overheads.hpp"
#include "scenarios/job/settled.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

// ---- kernels ----

constexpr std::size_t kMostOps = 5;
constexpr double kNearly = 0.9;  // of a gain
constexpr double kHidden = 0.1;  // by so much a run is slower than the ideal one; so much of that is a cause's

struct OpTime {
  std::string op;
  Nanos busy = 0;
};

// Of all kernels but those that send and receive, the longest first.
std::vector<OpTime> times_of_ops(const EventLog& log) {
  std::map<std::string, Nanos, std::less<>> by_op;
  for (const LoggedEvent& e : log.events())
    if (const auto* k = std::get_if<KernelRan>(&e.event))
      if (const std::string_view op = log.name(k->op); op != "_Send" && op != "_Recv" && e.at >= log.started_at)
        by_op[std::string(op)] += e.at - k->began;
  std::vector<OpTime> all;
  for (const auto& [op, busy] : by_op)
    if (busy > 0) all.push_back({op, busy});
  std::ranges::stable_sort(all, std::greater(), &OpTime::busy);
  return all;
}

WhatIf without_op(const Job& job, const std::string& op) {
  WhatIf w{{.cause = Cause::op,
            .a = op,
            .what = fmt::format("the kernels of {}", op),
            .instead = fmt::format("with {} taking no time", op)},
           job};
  free_op(w.job, op);
  return w;
}

void add_kernels(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome) {
  const std::vector<OpTime> ops = times_of_ops(outcome.log);
  if (ops.empty()) return;
  WhatIf all{{.cause = Cause::kernels, .what = "the kernels", .instead = "with kernels that take no time"}, job};
  for (const OpTime& o : ops) free_op(all.job, o.op);
  for (std::size_t i = 0; i < std::min(ops.size(), kMostOps) && ops.size() > 1; ++i)
    out.push_back(without_op(job, ops[i].op));
  out.push_back(std::move(all));
}

// ---- T ----

// That of all kernels, which says least, is told last.
bool is_told_first(const WhyCause& a, const WhyCause& b) {
  const bool is_all_a = a.proof.cause == Cause::kernels, is_all_b = b.proof.cause == Cause::kernels;
  return is_all_a != is_all_b ? is_all_b : comes_first(a.proof, b.proof);
}

class Reasons {
 public:
  Reasons(const Job& job, const Outcome& outcome, const ProofWatch& watch)
      : job_(job),
        outcome_(outcome),
        beside_(job, outcome, watch),
        settled_(job, outcome, beside_),
        ceiling_(job, outcome, beside_.base()),
        ideal_(job) {
    out_.base = beside_.base();
  }

  StatusOr<Why> run(std::vector<WhatIf> designs) {
    TARRY_ASSIGN(const std::vector<WhatIf> all, take_all_away());
    TARRY_RETURN_IF_ERROR(run_ideal());
    TARRY_RETURN_IF_ERROR(look_at_causes(all));
    std::vector<WhyCause> told;
    std::ranges::copy_if(out_.causes, std::back_inserter(told), [this](const WhyCause& c) {
      return !is_slow_by_faults(c.proof) && !are_slow_by_told(c.proof) && !is_over_before(c.proof);
    });
    out_.causes = std::move(told);
    if (hides_something()) TARRY_RETURN_IF_ERROR(look_alone(all));
    std::ranges::stable_sort(out_.hidden, std::greater(),
                             [this](const WhyCause& c) { return out_.add(c).value_or(0); });
    if (!faults_stop_it()) add_kernels(designs, job_, outcome_);
    TARRY_RETURN_IF_ERROR(look_at(designs, out_.itself).status());
    for (auto* list : {&out_.causes, &out_.itself}) std::ranges::stable_sort(*list, is_told_first);
    return std::move(out_);
  }

  StatusOr<std::optional<double>> slowdown() {
    TARRY_RETURN_IF_ERROR(take_all_away().status());
    TARRY_RETURN_IF_ERROR(run_ideal());
    return out_.ideal ? std::optional(out_.slowdown()) : std::nullopt;
  }

 private:
  // Makes the ideal job. Gives what it is without.
  StatusOr<std::vector<WhatIf>> take_all_away() {
    std::vector<WhatIf> all = what_ifs(job_, outcome_, Scope::all);
    TARRY_ASSIGN(const std::set<TaskId> by_chance, slow_by_chance(all, job_, beside_));
    if (!by_chance.empty()) all = what_ifs(job_, outcome_, Scope::all, by_chance);
    leave_out_effects(all);
    for (const WhatIf& w : all) {
      make_difference(ideal_, job_, w.job);
      if (w.proof.cause == Cause::slow_worker && !w.proof.together) slow_.push_back(w.proof.task);
    }
    return all;
  }

  // What the causes gain one by one falls short of what all of them do.
  [[nodiscard]] bool hides_something() const {
    if (!out_.ideal) return false;
    double one_by_one = 0, most = 0;  // what is general, or of several, is of the others, too
    for (const WhyCause& c : out_.causes) {
      const double gain = std::max(0.0, c.proof.gain);
      if (!is_general(c.proof.cause) && !c.proof.together && !has_better_alternative(c)) one_by_one += gain;
      most = std::max(most, gain);
    }
    return 1 - Why::ratio(*out_.ideal, out_.base.time) >= std::max(one_by_one, most) + kHidden;
  }
  [[nodiscard]] bool has_better_alternative(const WhyCause& cause) const {
    return std::ranges::any_of(out_.causes, [&](const WhyCause& c) {
      return &c != &cause && are_alternatives(c.proof, cause.proof) &&
             std::pair(c.proof.gain, &c) > std::pair(cause.proof.gain, &cause);
    });
  }
  [[nodiscard]] bool is_told(const Proof& p) const {
    return p.together || is_slow_by_faults(p) || std::ranges::any_of(out_.causes, [&](const WhyCause& c) {
             return is_same_cause(c.proof, p) && c.proof.what == p.what;
           });
  }

  // A fault that is told slows this worker, or its host: that it is slow on average is the effect.
  [[nodiscard]] bool is_slow_by_faults(const Proof& slow) const {
    if (slow.cause != Cause::slow_worker || !slow.task.valid() || has_own_costs(job_, slow.task)) return false;
    const HostId host = host_of(slow.task);
    const auto slows_it = [&](const Fault& f) { return slows(f, slow.task); };
    const auto is_of_it = [&](const WhyCause& c) {
      const Proof& p = c.proof;
      const bool is_about_it = p.task == slow.task || p.a == job_.cluster.hosts[host.index()].name;
      return p.cause == Cause::faults && !p.together && p.harm != Proof::Harm::stops && is_about_it;
    };
    return std::ranges::any_of(job_.faults, slows_it) && std::ranges::any_of(out_.causes, is_of_it);
  }

  // Each of these workers is slowed by a fault or an interference, all of which a cause is about that gains nearly as
  // much: that they are slow is its effect.
  [[nodiscard]] bool are_slow_by_told(const Proof& workers) const {
    if (workers.cause != Cause::workers) return false;
    return std::ranges::any_of(out_.causes, [&](const WhyCause& c) {
      const Proof& p = c.proof;
      const bool may_slow =
          (p.cause == Cause::faults && p.harm != Proof::Harm::stops) || p.cause == Cause::interference;
      return may_slow && p.gain >= kNearly * workers.gain &&
             std::ranges::all_of(slow_, [&](TaskId t) { return slows(p, t); });
    });
  }
  [[nodiscard]] bool slows(const Proof& p, TaskId task) const {
    const bool is_about_it =
        p.together || p.task == task || has_word(p.a, job_.cluster.hosts[host_of(task).index()].name);
    if (!is_about_it || has_own_kernels(job_, task)) return false;
    if (p.cause == Cause::interference) return true;
    return std::ranges::any_of(job_.faults, [&](const Fault& f) { return slows(f, task); });
  }
  [[nodiscard]] bool slows(const Fault& f, TaskId task) const { return lengthens_kernels(f, task, host_of(task)); }
  [[nodiscard]] HostId host_of(TaskId task) const { return job_.cluster.tasks[task.index()].host; }

  // With what only takes time gone it is done before the fault that stops it.
  [[nodiscard]] bool is_over_before(const Proof& p) const {
    return p.goes_on && !changes_what_is_done(p.cause) && faults_stop_it();
  }

  // It stands still, and goes on without some fault: that kernels take no time would say nothing, since such a job may
  // be over before the fault.
  [[nodiscard]] bool faults_stop_it() const {
    return std::ranges::any_of(out_.causes,
                               [](const WhyCause& c) { return c.proof.cause == Cause::faults && c.proof.goes_on; });
  }

  // T, and how it compares; without races around clients that wait where that is asked for.
  StatusOr<Nanos> time_of(Proof& proof, const Job& other, const Beside::Ran& ran, Settled* settled = nullptr) {
    set_gain(proof, out_.base, ran.work);
    if (settled != nullptr) TARRY_RETURN_IF_ERROR(settled->lessen(proof, other, ran.outcome));
    const Compared both = comparable(proof.cause, out_.base, ran.work);
    if (both.with.done == 0) return both.with.time;
    if (out_.base.stands_still) return both.with.time_for_as_much_as(both.base);
    return time_left(proof);
  }
  [[nodiscard]] Nanos time_left(const Proof& proof) const {
    return static_cast<Nanos>(std::llround((1 - proof.gain) * static_cast<double>(out_.base.time)));
  }

  Status run_ideal() {
    if (out_.base.stands_still || out_.base.done == 0) return {};
    Proof proof{.instead = "without all that can be taken away"};
    TARRY_ASSIGN(const Beside::Ran ran, beside_.run_and_keep(proof, ideal_));
    TARRY_ASSIGN(const Nanos ideal, time_of(proof, ideal_, ran));
    if (ideal > 0) out_.ideal = ideal;
    return {};
  }

  // Gives which of them are noticed, and are in the list.
  StatusOr<std::vector<std::size_t>> look_at(const std::vector<WhatIf>& all, std::vector<WhyCause>& list) {
    std::vector<Beside::Trial> trials;
    for (const WhatIf& w : all) trials.push_back({w.proof, w.job});
    std::vector<std::size_t> noticed;
    TARRY_RETURN_IF_ERROR(beside_.run_each(trials, [&](std::size_t i, const Beside::Ran& ran) -> Status {
      WhyCause c{all[i].proof, 0, {}};
      TARRY_ASSIGN(c.without, time_of(c.proof, all[i].job, ran, &settled_));
      if (ceiling_.lessen(c.proof)) c.without = time_left(c.proof);
      if (is_noticed(c.proof)) list.push_back(std::move(c)), noticed.push_back(i);
      return {};
    }));
    return noticed;
  }

  Status look_at_causes(const std::vector<WhatIf>& all) {
    TARRY_ASSIGN(const std::vector<std::size_t> noticed, look_at(all, out_.causes));
    if (!out_.ideal) return {};
    std::vector<Beside::Trial> alone;
    for (const std::size_t i : noticed) alone.push_back(with_it_alone(all[i]));
    return beside_.run_each(alone, [&](std::size_t i, const Beside::Ran& ran) -> Status {
      TARRY_ASSIGN(out_.causes[i].alone, time_of(alone[i].tried, alone[i].job, ran));
      return {};
    });
  }

  [[nodiscard]] Beside::Trial with_it_alone(const WhatIf& w) const {
    Beside::Trial trial{{.instead = "as ideal, but for this: " + w.proof.what}, ideal_};
    make_difference(trial.job, w.job, job_);
    return trial;
  }

  // Of several causes that each would be as bad alone, none gains anything while the others are there.
  Status look_alone(const std::vector<WhatIf>& all) {
    std::vector<WhyCause> asked;
    std::vector<Beside::Trial> with, without;
    for (const WhatIf& w : all) {
      if (is_told(w.proof)) continue;
      asked.push_back({w.proof, 0, {}});
      with.push_back(with_it_alone(w));
      without.push_back({w.proof, w.job});
    }
    return beside_.run_each(with, [&](std::size_t i, const Beside::Ran& ran) -> Status {
      WhyCause& c = asked[i];
      TARRY_ASSIGN(c.alone, time_of(with[i].tried, with[i].job, ran));
      if (out_.add(c).value_or(0) < kHidden) return {};
      TARRY_ASSIGN(const Beside::Ran again, beside_.run_and_keep(without[i].tried, without[i].job));
      TARRY_ASSIGN(c.without, time_of(c.proof, without[i].job, again));
      out_.hidden.push_back(c);
      return {};
    });
  }

  const Job& job_;
  const Outcome& outcome_;
  Beside beside_;
  Settled settled_;
  Ceiling ceiling_;
  Job ideal_;
  std::vector<TaskId> slow_;  // workers
  Why out_;
};

}  // namespace

std::optional<double> Why::rem(const WhyCause& c) const {
  if (!c.alone || base.time <= *ideal) return std::nullopt;
  return ratio(base.time - c.without, base.time - *ideal);
}

std::optional<double> Why::add(const WhyCause& c) const {
  if (!c.alone || base.time <= *ideal) return std::nullopt;
  return ratio(*c.alone - *ideal, base.time - *ideal);
}

StatusOr<Why> why(const Job& job, const Outcome& outcome, std::vector<WhatIf> designs, const ProofWatch& watch) {
  return Reasons(job, outcome, watch).run(std::move(designs));
}

StatusOr<std::optional<double>> slowdown_of(const Job& job, const Outcome& outcome) {
  const ProofWatch nobody;
  return Reasons(job, outcome, nobody).slowdown();
}

}  // namespace tarry
