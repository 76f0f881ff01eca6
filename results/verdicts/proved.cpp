#include "results/verdicts/proved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "placer/core/text.hpp"
#include "results/loads.hpp"

namespace tarry {
namespace {

// Of the faults of a host, or of several: "host1, host2".
bool is_about_hosts(const Proof& p, const Trouble& t) {
  if (p.task.valid() || p.a.empty() || !p.b.empty()) return false;
  if (t.kind == Trouble::Kind::gone) return has_word(t.why, p.a.substr(0, p.a.find(',')));
  return t.b.empty() && !t.a.empty() && has_word(p.a, t.a);
}

// Of faults between two tasks, whose trouble names their hosts.
bool is_about_tasks(const Proof& p, const Trouble& t) {
  return !p.a.empty() && !p.b.empty() && t.fault.ends_with(" " + p.a + " " + p.b);
}

using Fits = bool (*)(const Proof&);

// Of one trouble's faults; null where none makes a difference. Proofs come with the best first.
const Proof* own_proof(const Evidence& e, const Trouble& t, Fits fits) {
  const auto p = std::ranges::find_if(e.proofs, [&](const Proof& proof) {
    return proof.cause == Proof::Cause::faults && !proof.together && fits(proof) && is_about(proof, t);
  });
  return p == e.proofs.end() ? nullptr : &*p;
}

const Proof* proof_of_all(const Evidence& e, Fits fits) {
  const auto p = std::ranges::find_if(e.proofs, [&](const Proof& proof) {
    return proof.cause == Proof::Cause::faults && proof.together && fits(proof);
  });
  return p == e.proofs.end() ? nullptr : &*p;
}

// Where the job goes on without either, the one that comes first stays.
bool helps_more(const Proof& p, const Proof& than) {
  if (p.goes_on || than.goes_on) return !than.goes_on;
  return p.gain > than.gain;
}

// Of several troubles that one proof is about, that which is wrong to the end.
bool is_better(const Proof& own, const Trouble& t, const BestProof& than) {
  if (than.proof == nullptr) return true;
  return &own == than.proof ? is_wrong_for_good(t) && !is_wrong_for_good(*than.trouble) : helps_more(own, *than.proof);
}

// Training stood still for each of them, and went on.
bool were_outlasted(const Evidence& e, std::span<const Trouble> troubles) {
  return std::ranges::all_of(troubles, [&](const Trouble& t) {
    bool was_outlasted = false, was_last = false;
    for (const Standstill& s : e.standstills)
      if (std::ranges::count(s.waits.troubles, t) > 0) (s.to < 0 ? was_last : was_outlasted) = true;
    return was_outlasted && !was_last;
  });
}

BestProof best_that(const Evidence& e, std::span<const Trouble> troubles, Fits fits) {
  BestProof best;
  for (const Trouble& t : troubles)
    if (const Proof* own = own_proof(e, t, fits); own != nullptr && is_better(*own, t, best)) best = {own, &t};
  const Proof* all = proof_of_all(e, fits);
  if (all != nullptr && (all->goes_on ? were_outlasted(e, troubles) : troubles.size() < 2)) all = nullptr;
  const bool says_more =
      all != nullptr && (best.proof == nullptr ||
                         (!best.proof->goes_on && (all->goes_on || all->gain >= best.proof->gain + kWorthTelling)));
  if (says_more) best.proof = all;
  return best;
}

// Where one run was without several faults that came one after the other: that the gain is of all of them.
std::string of_how_many(const Evidence& e, const Proof& p) {
  if (p.goes_on) return "";
  std::set<Nanos> moments;
  for (const Trouble& t : e.troubles)
    if (t.kind != Trouble::Kind::left && t.kind != Trouble::Kind::failed && is_about(p, t)) moments.insert(t.from);
  if (moments.size() < 2) return "";
  const double first = in_seconds(*moments.begin()), last = in_seconds(*moments.rbegin());
  if (moments.size() == 2)
    return fmt::format(" That is the gain of both together, of what began at {:.3f} s and of what began at {:.3f} s.",
                       first, last);
  return fmt::format(
      " That is the gain of all {} together, the first of which began at {:.3f} s and the last at {:.3f} s.",
      moments.size(), first, last);
}

std::string best_in_words(const Evidence& e, std::span<const Trouble> troubles, Fits fits) {
  const Proof* best = best_that(e, troubles, fits).proof;
  return best == nullptr ? "" : in_words(*best) + of_how_many(e, *best);
}

}  // namespace

bool is_about(const Proof& p, const Trouble& t) {
  if (p.harm != Proof::Harm::any && (p.harm == Proof::Harm::slows) != only_slows_down(t)) return false;
  return (p.task == t.task && p.a == t.a && p.b == t.b) || is_about_hosts(p, t) || is_about_tasks(p, t);
}

std::vector<Proof> proved(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> out;
  const bool is_fault = cause == Proof::Cause::faults;
  for (const Proof& p : e.proofs)
    if (p.cause == cause && (p.goes_on ? is_fault : p.gain >= kWorthTelling)) out.push_back(p);
  std::ranges::stable_sort(out, [](const Proof& a, const Proof& b) { return a.gain > b.gain; });
  return out;
}

namespace {

// What the log says of a fault that is over at once: "the connections between ps 0 and worker 0 broke at 1.000 s".
std::string said_of(const Evidence& e, const Proof& p) {
  for (const LoggedEvent& event : e.log.events())
    if (const auto* c = std::get_if<ConditionChanged>(&event.event);
        c != nullptr && !p.b.empty() && e.log.name(c->a) == p.a && e.log.name(c->b) == p.b)
      return fmt::format("{} {}", e.tasks.in_plain(e.log.name(c->what)), moment_in_words(event.at - e.log.started_at));
  return p.what;
}

// What the fault brought about, a client that left with an error, say, is told by who asks.
std::string fault_in_words(const Evidence& e, const Proof& p) {
  std::vector<std::string> all;
  for (const Trouble& t : e.troubles)
    if (is_about(p, t) && t.kind != Trouble::Kind::failed) all.push_back(in_words(t, e.tasks));
  return all.empty() ? said_of(e, p) : join(all, "; and ");
}

}  // namespace

bool is_cut_off(const Evidence& e, const Standstill& s) { return s.to >= e.log.ended_at - e.log.started_at; }

bool may_be_usual(const Evidence& e, const Standstill& s) {
  return s.usual == 0 && is_cut_off(e, s) && proof_of(e, s.waits.troubles).empty();
}

std::vector<Proof> decisive_faults(const Evidence& e) {
  std::vector<Proof> out = proved(e, Proof::Cause::faults);
  std::erase_if(out, [](const Proof& p) { return !p.goes_on || p.together; });
  return out;
}

std::vector<Proof> decisive_besides(const Evidence& e, std::span<const Trouble> troubles) {
  std::vector<Proof> out = decisive_faults(e);
  std::erase_if(out, [&](const Proof& p) {
    return std::ranges::any_of(troubles, [&](const Trouble& t) { return is_about(p, t); });
  });
  return out;
}

std::string behind_it(const Evidence& e, std::span<const Proof> decisive) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (const Proof& p : decisive.first(std::min(kMost, decisive.size())))
    out += fmt::format(" A fault was behind it: {}.{}", fault_in_words(e, p), in_words(p));
  return out;
}

std::string gain_of(const Evidence& e, std::span<const Trouble> troubles) {
  return best_in_words(e, troubles, [](const Proof& p) { return !p.goes_on; });
}

namespace {

double sum_of_gains(std::span<const Proof> proofs) {
  double sum = 0;
  for (const Proof& p : proofs) sum += p.gain;
  return sum;
}

bool is_of_somebody(Proof::Cause c) {
  using enum Proof::Cause;
  return c == slow_worker || c == late_start || c == slow_card || c == far_host;
}

// All together gain so much more than those apart do that somebody who costs much is not among these.
bool lacks_somebody(std::span<const Proof> apart, const Proof& all) {
  constexpr double kMore = 1.25;
  const double told = sum_of_gains(apart);
  return all.gain >= kMore * told && all.gain >= told + kWorthTelling / 2;
}

}  // namespace

std::vector<Proof> proved_apart_or_together(const Evidence& e, Proof::Cause cause) {
  std::vector<Proof> apart = proved(e, cause);
  std::vector<Proof> together =
      cause == Proof::Cause::slow_worker ? proved(e, Proof::Cause::workers) : std::vector<Proof>();
  for (const Proof& p : apart)
    if (p.together) together.push_back(p);
  std::erase_if(apart, &Proof::together);
  const bool names_all = cause != Proof::Cause::faults && cause != Proof::Cause::variations;
  const double gained = cause == Proof::Cause::faults ? sum_of_gains(apart) : apart.empty() ? 0 : apart.front().gain;
  std::erase_if(together, [&](const Proof& p) {
    const bool tells_more =
        apart.empty() || p.gain >= gained + kWorthTelling || (is_of_somebody(cause) && lacks_somebody(apart, p));
    return p.goes_on || !tells_more;
  });
  if (names_all && !together.empty()) return together;
  apart.insert(apart.end(), together.begin(), together.end());
  return apart;
}

std::vector<Proof> one_for_each_run(const TaskNames& tasks, const std::vector<Proof>& all) {
  const auto name_of = [&](const Proof& p) { return p.task.valid() ? tasks.show(p.task) : p.a; };
  std::vector<Proof> out;
  std::set<std::string> runs;
  for (const Proof& p : all) {
    std::vector<std::string> names, what;
    if (p.instead.ends_with(kNotMuchAlone))
      for (const Proof& other : all)
        if (other.instead == p.instead) names.push_back(name_of(other)), what.push_back(other.what);
    if (names.size() > 1 && !runs.insert(p.instead).second) continue;
    Proof& one = out.emplace_back(p);
    if (names.size() < 2) continue;
    const std::string last = std::move(names.back());
    names.pop_back();
    one.task = TaskId::none(), one.together = true;
    one.a = join(names, ", ") + " and " + last, one.what = join(what, "; ");
  }
  return out;
}

BestProof best_proof(const Evidence& e, std::span<const Trouble> troubles) {
  return best_that(e, troubles, [](const Proof&) { return true; });
}

BestProof best_gain(const Evidence& e, std::span<const Trouble> troubles) {
  return best_that(e, troubles, [](const Proof& p) { return !p.goes_on; });
}

namespace {

bool is_on(const Evidence& e, const Proof& interference, TaskId task) {
  return interference.task == task || (!interference.a.empty() && e.tasks.host(task) == interference.a);
}

// Of one of its tasks, or of several that the proof names; 0 where there is no such proof.
double gain_of_its(const Evidence& e, const Proof& interference, std::initializer_list<Proof::Cause> causes) {
  double gain = 0;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t) {
    if (!is_on(e, interference, TaskId{t})) continue;
    for (const Proof& p : e.proofs)
      if (std::ranges::count(causes, p.cause) > 0 &&
          (p.task.valid() ? p.task == TaskId{t} : has_word(p.what, e.tasks.show(TaskId{t}))))
        gain = std::max(gain, p.gain);
  }
  return gain;
}

}  // namespace

bool interferes_with_servers(const Evidence& e, const Proof& interference) {
  bool has_server = false, has_worker = false;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (is_on(e, interference, TaskId{t})) (e.tasks.is_ps(TaskId{t}) ? has_server : has_worker) = true;
  if (!has_server || !has_worker) return has_server;
  const double of_servers = gain_of_its(e, interference, {Proof::Cause::server_kernels}),
               of_workers = gain_of_its(e, interference, {Proof::Cause::slow_worker, Proof::Cause::workers});
  return of_servers > 0 && of_servers >= of_workers;
}

const Proof* own_proof(const Evidence& e, const Trouble& t) {
  return own_proof(e, t, [](const Proof&) { return true; });
}

bool gains_by_itself(const Evidence& e, const Trouble& t) {
  return own_proof(e, t, [](const Proof& p) { return !p.goes_on; }) != nullptr;
}

std::string proof_of(const Evidence& e, std::span<const Trouble> troubles) {
  return best_in_words(e, troubles, [](const Proof&) { return true; });
}

std::string proof_that_it_goes_on(const Evidence& e, std::span<const Trouble> troubles) {
  return best_in_words(e, troubles, [](const Proof& p) { return p.goes_on; });
}

std::string between_servers(const Evidence& e) {
  std::vector<TaskId> servers;
  for (std::size_t t = 0; t < e.tasks.names.size(); ++t)
    if (e.tasks.is_ps(TaskId{t})) servers.push_back(TaskId{t});
  const double part = share(time_between(servers, e.log), e.trained_for());
  if (part < kWorthTelling) return "";
  return fmt::format(
      "; between the parameter servers a message is under way for {} % of the run, however long it takes",
      percent(part));
}

}  // namespace tarry
