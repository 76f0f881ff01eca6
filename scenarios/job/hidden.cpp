#include "scenarios/job/hidden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "results/verdicts/proved.hpp"
#include "scenarios/job/difference.hpp"
#include "scenarios/job/what_if_parts.hpp"

namespace tarry {
namespace {

using Cause = Proof::Cause;

constexpr std::size_t kMostTried = 8;
constexpr double kItsShare = 0.1;  // of what the run gains without all of them a cause costs so much alone

bool makes_workers_slow(const Proof& p) { return p.cause == Cause::slow_worker || p.cause == Cause::workers; }

bool is_effect(const WhatIf& slow, const std::vector<WhatIf>& all) {
  return makes_workers_slow(slow.proof) && std::ranges::any_of(all, [&](const WhatIf& other) {
           return !makes_workers_slow(other.proof) && slow.job.costs == other.job.costs &&
                  slow.job.faults == other.job.faults && slow.job.cluster.tasks == other.job.cluster.tasks;
         });
}

// What a task did, and when: a step began (1) or ended (2), a gradient came (3), an aggregate was taken (4).
using Deed = std::tuple<Nanos, int, TaskId>;

std::vector<Deed> deeds_in(const EventLog& log, Nanos end) {
  std::vector<Deed> all;
  for (const LoggedEvent& e : log.events()) {
    const Nanos at = e.at - log.started_at;
    if (at >= end) break;
    if (const auto* began = std::get_if<StepBegan>(&e.event)) all.emplace_back(at, 1, began->task);
    if (const auto* ended = std::get_if<StepEnded>(&e.event)) all.emplace_back(at, 2, ended->task);
    if (const auto* pushed = std::get_if<GradientPushed>(&e.event)) all.emplace_back(at, 3, pushed->task);
    if (const auto* taken = std::get_if<AggregateTaken>(&e.event)) all.emplace_back(at, 4, taken->task);
  }
  return all;
}

// `all` is about all causes of a kind together, and this is one of them.
bool is_one_of(const Proof& one, const Proof& all) {
  return one.cause == all.cause || (one.cause == Cause::slow_worker && all.cause == Cause::workers);
}

// So that of workers who are slow by such causes nothing more is to be said.
bool makes_one_worker_slow(const Proof& p) { return p.cause == Cause::interference || p.cause == Cause::variations; }

// A host that goes back into a rack is as far away as the rack's trunk makes it, also where the job has a network
// without latency.
void make_trunks_again(NetworkSpec& network, const ClusterSpec& from, const ClusterSpec& to) {
  for (std::size_t h = 0; h < to.hosts.size(); ++h)
    if (const RackId rack = to.hosts[h].rack; rack.valid() && rack != from.hosts[h].rack)
      network.racks[rack.index()].trunk = to.network.racks[rack.index()].trunk;
}

// "with 10 Gb/s on host3", which beside others is not just "there".
std::string instead_in_a_list(const Proof& p) {
  constexpr std::string_view kThere = " there";
  std::string instead = p.instead;
  if (instead.ends_with(kWaitsLeftOut)) instead.resize(instead.size() - kWaitsLeftOut.size());
  if (!instead.ends_with(kThere) || p.a.empty()) return instead;
  instead.resize(instead.size() - kThere.size());
  return instead + " on " + p.a;
}

bool is_of_a_kind(const Proof& p) {
  return p.together && (p.cause == Cause::workers || p.cause == Cause::late_start || p.cause == Cause::slow_card ||
                        p.cause == Cause::far_host);
}

class Hidden {
 public:
  Hidden(const Job& job, Beside& beside, Settled& settled, std::vector<WhatIf> idle, std::span<const WhatIf> known)
      : job_(job), beside_(beside), settled_(settled), idle_(std::move(idle)), known_(known) {}

  // Of the first `known` ones, those that gain more where the others are taken away as well than alone.
  StatusOr<std::vector<Proof>> partly(std::size_t known) {
    const std::vector<std::size_t> all = each();
    if (all.size() < 2 || all.size() > kMostTried) return std::vector<Proof>();
    TARRY_ASSIGN(const double most, gain_of(without(all), all));
    if (adds_up(all, most)) return std::vector<Proof>();
    TARRY_ASSIGN(const std::vector<std::size_t> joined, joined_of(all, most));
    if (joined.size() < 2 || joined.front() >= known) return std::vector<Proof>();
    TARRY_ASSIGN(const Proof proof, proof_without(joined));
    if (adds_up(joined, proof.gain)) return std::vector<Proof>();
    return with_others(joined, known, proof.gain);
  }

  StatusOr<std::vector<Proof>> run() {
    const std::vector<std::size_t> all = each();
    if (all.size() < 2 || all.size() > kMostTried) return std::vector<Proof>();
    TARRY_ASSIGN(const double most, gain_of(without(all), all));
    if (most < kWorthTelling || adds_up(all, most)) return std::vector<Proof>();
    TARRY_ASSIGN(const std::vector<std::size_t> bad, needed_of(all, most));
    std::vector<std::size_t> particular = bad;
    std::erase_if(particular, [this](std::size_t i) { return is_general(idle_[i].proof.cause); });
    if (bad.size() < 2) return std::vector<Proof>();
    TARRY_ASSIGN(const Proof proof, proof_without(bad));
    if (particular.size() > 1 && particular.size() < bad.size()) {  // what is general may say the same of less
      TARRY_ASSIGN(const Proof of_less, proof_without(particular));
      if (of_less.gain >= proof.gain / 2 && !adds_up(particular, of_less.gain)) return told(particular, of_less);
    }
    return told(bad, proof);
  }

 private:
  [[nodiscard]] std::vector<std::size_t> each() const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < idle_.size(); ++i) all.push_back(i);
    return all;
  }
  [[nodiscard]] Job without(const std::vector<std::size_t>& which) const {
    Job job = job_;
    for (const std::size_t i : which) make_difference(job, job_, idle_[i].job);
    return job;
  }
  [[nodiscard]] Job with_alone(const std::vector<std::size_t>& all, std::size_t i) const {
    Job job = without(all);
    make_difference(job, idle_[i].job, job_);
    make_trunks_again(job.cluster.network, idle_[i].job.cluster, job_.cluster);
    return job;
  }
  // Those that gain more beside the others, which gain `most` all together, than alone.
  StatusOr<std::vector<std::size_t>> joined_of(const std::vector<std::size_t>& all, double most) {
    std::vector<Beside::Trial> with_each;
    for (const std::size_t i : all) with_each.push_back({proof_of(all), with_alone(all, i)});
    std::vector<std::size_t> joined;
    TARRY_RETURN_IF_ERROR(beside_.run_each(with_each, [&](std::size_t i, const Beside::Ran& others) -> Status {
      set_gain(with_each[i].tried, beside_.base(), others.work);
      if (most - with_each[i].tried.gain >= std::max(0.0, idle_[i].proof.gain) + kWorthTelling / 2) joined.push_back(i);
      return {};
    }));
    return joined;
  }
  // Those without which nearly as much is gained are left out one after the other, general ones first: of two that are
  // about the same time one stays.
  StatusOr<std::vector<std::size_t>> needed_of(std::vector<std::size_t> left, double gain) {
    std::vector<std::size_t> tried = left;
    std::stable_partition(tried.begin(), tried.end(),
                          [this](std::size_t i) { return is_general(idle_[i].proof.cause); });
    for (const std::size_t i : tried) {
      TARRY_ASSIGN(const double others, gain_of(with_alone(left, i), left));
      if (gain - others >= kItsShare * gain) continue;
      std::erase(left, i);
      gain = others;
    }
    return left;
  }
  // What each gains alone makes up for nearly all: none hides another.
  [[nodiscard]] bool adds_up(const std::vector<std::size_t>& which, double together) const {
    double apart = 0;
    for (const std::size_t i : which) apart += std::max(0.0, idle_[i].proof.gain);
    return together < apart + kWorthTelling;
  }
  // "with worker 4 as fast as the median worker and with host3 (worker 3) as near as the others, neither of which gains
  // much alone".
  [[nodiscard]] std::string instead_of(const std::vector<std::size_t>& which) const {
    std::vector<std::string> all;
    for (const std::size_t i : which) all.push_back(instead_in_a_list(idle_[i].proof));
    return fmt::format("{}, {}{}", listed(std::move(all)), which.size() == 2 ? "neither" : "none", kNotMuchAlone);
  }
  // The cause by which a gain of all is counted: one that may undo work, or the waits themselves; or else one that
  // these only blur.
  [[nodiscard]] Cause counted_by(const std::vector<std::size_t>& which) const {
    const auto cause_of = [this](std::size_t i) { return idle_[i].proof.cause; };
    for (const Cause first : {Cause::faults, Cause::checkpoints, Cause::polls})
      if (std::ranges::find(which, first, cause_of) != which.end()) return first;
    const auto load = std::ranges::find_if_not(which, is_about_waits, cause_of);
    return cause_of(load == which.end() ? which.front() : *load);
  }
  [[nodiscard]] Proof proof_of(const std::vector<std::size_t>& which) const {
    return {.cause = counted_by(which), .instead = instead_of(which)};
  }
  Status set_gain_of(Proof& proof, Job job) {
    TARRY_ASSIGN(const WorkDone with, beside_.run(proof, std::move(job)));
    set_gain(proof, beside_.base(), with);
    return {};
  }
  // Besides the races around clients that wait.
  StatusOr<Proof> proof_without(const std::vector<std::size_t>& which) {
    Proof proof = proof_of(which);
    TARRY_ASSIGN(const Beside::Ran with, beside_.run_and_keep(proof, without(which)));
    set_gain(proof, beside_.base(), with.work);
    if (const Cause load = blurred_by_waits(which); is_about_waits(proof.cause)) proof.cause = load;
    TARRY_RETURN_IF_ERROR(settled_.lessen(proof, without(which), with.outcome));
    return proof;
  }
  // One that waits of clients only blur, where that is so of all: faults among them only slow down. Else the cause by
  // which their gain is counted.
  [[nodiscard]] Cause blurred_by_waits(const std::vector<std::size_t>& which) const {
    const auto is_about_them = [this](std::size_t i) {
      return idle_[i].proof.cause == Cause::faults ? stops_something(idle_[i].job)
                                                   : is_about_waits(idle_[i].proof.cause);
    };
    const auto load =
        std::ranges::find_if(which, [this](std::size_t i) { return !is_about_waits(idle_[i].proof.cause); });
    const bool are_loads = load != which.end() && std::ranges::none_of(which, is_about_them);
    return are_loads ? idle_[*load].proof.cause : counted_by(which);
  }
  // A fault of the job that this one lacks.
  [[nodiscard]] bool stops_something(const Job& with) const {
    return std::ranges::any_of(job_.faults, [&](const Fault& f) {
      return std::ranges::count(with.faults, f) == 0 && !slows_down_only(key_of(f));
    });
  }
  StatusOr<double> gain_of(Job job, const std::vector<std::size_t>& which) {
    Proof proof = proof_of(which);
    TARRY_RETURN_IF_ERROR(set_gain_of(proof, std::move(job)));
    return proof.gain;
  }
  [[nodiscard]] std::vector<Proof> with_others(const std::vector<std::size_t>& joined, std::size_t known,
                                               double gain) const {
    std::vector<Proof> proofs;
    for (const std::size_t i : joined) {
      if (i >= known) continue;
      std::vector<std::string> others;
      for (const std::size_t o : joined)
        if (o != i) others.push_back(instead_in_a_list(idle_[o].proof));
      Proof& p = proofs.emplace_back(idle_[i].proof);
      p.beside = others.size() == 1 ? others.front() : listed(std::move(others));
      p.beside_gain = gain;
    }
    return proofs;
  }
  // Without a cause that is told, and without these, the work takes hardly less time than without that cause: it is
  // why these gain anything.
  StatusOr<bool> is_explained(const std::vector<std::size_t>& which, double gain) {
    for (const WhatIf& known : known_) {
      if (gain >= known.proof.gain + kWorthTelling) continue;
      Job job = without(which);
      make_difference(job, job_, known.job);
      TARRY_ASSIGN(const double both, gain_of(std::move(job), which));
      if (both < known.proof.gain + kWorthTelling) return true;
    }
    return false;
  }
  StatusOr<std::vector<Proof>> told(const std::vector<std::size_t>& which, const Proof& all) {
    std::vector<Proof> proofs;
    if (all.gain < kWorthTelling || adds_up(which, all.gain)) return proofs;
    TARRY_ASSIGN(const bool has_cause, is_explained(which, all.gain));
    if (has_cause) return proofs;
    for (const std::size_t i : which) {
      Proof& p = proofs.emplace_back(idle_[i].proof);
      p.instead = all.instead;
      p.gain = all.gain;
    }
    return proofs;
  }

  const Job& job_;
  Beside& beside_;
  Settled& settled_;
  const std::vector<WhatIf> idle_;
  const std::span<const WhatIf> known_;
};

}  // namespace

void leave_out_alternatives(std::vector<WhatIf>& all) {
  std::vector<WhatIf> left;
  for (WhatIf& w : all) {
    const auto other = std::ranges::find_if(left, [&](const WhatIf& l) { return are_alternatives(l.proof, w.proof); });
    if (other == left.end())
      left.push_back(std::move(w));
    else if (w.proof.gain > other->proof.gain)
      *other = std::move(w);
  }
  all = std::move(left);
}

void leave_out_effects(std::vector<WhatIf>& all) {
  std::vector<std::size_t> causes;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!is_effect(all[i], all)) causes.push_back(i);
  std::vector<WhatIf> left;
  for (const std::size_t i : causes) left.push_back(std::move(all[i]));
  all = std::move(left);
}

namespace {

// What parameter servers compute for checkpoints, which are told.
Status leave_out_saves(std::vector<WhatIf>& causes, const Job& job, Beside& beside, std::span<const WhatIf> known) {
  const auto saves = std::ranges::find(known, Cause::checkpoints, [](const WhatIf& w) { return w.proof.cause; });
  if (saves == known.end()) return {};
  for (std::size_t i = causes.size(); i-- > 0;) {
    if (causes[i].proof.cause != Cause::server_kernels) continue;
    Proof both = saves->proof;
    Job without = saves->job;
    make_difference(without, job, causes[i].job);
    TARRY_ASSIGN(const WorkDone with, beside.run(both, std::move(without)));
    set_gain(both, beside.base(), with);
    if (both.gain < saves->proof.gain + kNoticed) causes.erase(causes.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return {};
}

}  // namespace

bool does_the_same(const EventLog& a, const EventLog& b) {
  const Nanos end = std::min(a.ended_at - a.started_at, b.ended_at - b.started_at);
  return deeds_in(a, end) == deeds_in(b, end);
}

namespace {

// Of slow workers: something idle is why one of them is slow.
bool has_what_makes_slow(const Proof& group, const std::vector<IdleCause>& idle) {
  return group.cause == Cause::workers &&
         std::ranges::any_of(idle, [](const IdleCause& i) { return makes_one_worker_slow(i.cause.proof); });
}

}  // namespace

void tell_by_group(std::vector<WhatIf>& known, std::vector<IdleCause>& idle, const std::vector<WhatIf>& groups) {
  const std::size_t apart = known.size();
  for (const WhatIf& group : groups) {
    const auto is_member = [&](const Proof& p) { return !p.together && is_one_of(p, group.proof); };
    const auto end = known.begin() + static_cast<std::ptrdiff_t>(apart);
    const bool gains_alone = std::any_of(known.begin(), end, [&](const WhatIf& k) { return is_member(k.proof); });
    if (!is_of_a_kind(group.proof) || gains_alone || has_what_makes_slow(group.proof, idle)) continue;
    std::erase_if(idle, [&](const IdleCause& i) { return is_member(i.cause.proof); });
    known.push_back(group);
  }
}

StatusOr<std::vector<Proof>> hidden_causes(const Job& job, Beside& beside, Settled& settled,
                                           std::vector<IdleCause> idle, std::span<const WhatIf> known) {
  if (beside.base().stands_still || beside.base().done == 0) return std::vector<Proof>();
  std::erase_if(idle, [](const IdleCause& i) { return i.cause.proof.together; });
  if (idle.size() > kMostTried) std::erase_if(idle, &IdleCause::changes_nothing);
  std::vector<WhatIf> causes;
  for (IdleCause& i : idle) causes.push_back(std::move(i.cause));
  leave_out_effects(causes);
  leave_out_alternatives(causes);
  TARRY_RETURN_IF_ERROR(leave_out_saves(causes, job, beside, known));
  return Hidden(job, beside, settled, std::move(causes), known).run();
}

StatusOr<std::vector<Proof>> partly_hidden(const Job& job, Beside& beside, Settled& settled,
                                           std::span<const WhatIf> known, const std::vector<IdleCause>& idle) {
  if (beside.base().stands_still || beside.base().done == 0) return std::vector<Proof>();
  std::vector<WhatIf> all(known.begin(), known.end());
  leave_out_effects(all);
  leave_out_alternatives(all);
  const std::size_t of_known = all.size();
  for (const IdleCause& i : idle)
    if (!i.cause.proof.together && !is_general(i.cause.proof.cause) &&
        (idle.size() <= kMostTried || !i.changes_nothing))
      all.push_back(i.cause);
  return Hidden(job, beside, settled, std::move(all), {}).partly(of_known);
}

void leave_out_slow_workers(std::vector<Proof>& proofs, const std::vector<Proof>& partly) {
  std::erase_if(proofs, [&](const Proof& p) {
    return p.cause == Cause::workers && p.together && std::ranges::any_of(partly, [&](const Proof& q) {
             return makes_one_worker_slow(q) && p.gain < q.beside_gain + kWorthTelling / 2;
           });
  });
}

void add_hidden(std::vector<Proof>& proofs, const std::vector<Proof>& hidden, std::size_t faults) {
  if (hidden.empty()) return;
  const double gain = hidden.front().gain;
  const bool are_faults = std::ranges::all_of(hidden, [](const Proof& h) { return h.cause == Cause::faults; });
  const auto is_of_more = [&](const Proof& p) {
    return are_faults && hidden.size() < faults && p.together && p.cause == Cause::faults &&
           gain >= (1 - kItsShare) * p.gain;
  };
  std::erase_if(proofs, is_of_more);
  std::erase_if(proofs, [&](const Proof& p) {
    return p.cause == Cause::workers && p.together && p.gain < gain + kWorthTelling &&
           std::ranges::all_of(hidden, makes_one_worker_slow);
  });
  const bool says_it = std::ranges::any_of(proofs, [&](const Proof& p) {
    return p.together && gain < p.gain + kWorthTelling &&
           std::ranges::any_of(hidden, [&](const Proof& h) { return is_one_of(h, p); });
  });
  if (!says_it) proofs.insert(proofs.end(), hidden.begin(), hidden.end());
}

}  // namespace tarry
