#include "results/verdicts/standing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "placer/core/text.hpp"
#include "results/verdicts/failed.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/lost_process.hpp"
#include "results/verdicts/lost_server.hpp"
#include "results/verdicts/pace.hpp"
#include "results/verdicts/path_cures.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/several_chiefs.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;

constexpr std::size_t kMostCauses = 5;  // where there are more, the first ones are told

const Loss* loss_of(const Evidence& e, const Trouble& t) {
  const auto it =
      std::ranges::find_if(e.losses.processes, [&](const Loss& l) { return l.task == t.task && l.at == t.from; });
  return it == e.losses.processes.end() ? nullptr : &*it;
}

// It initialised the model, and was lost before anybody took an aggregate: what the log has of the chief by then.
bool is_early_chief(const Evidence& e, TaskId task) {
  return !e.contributions.sync_client.valid() && task.valid() && task == e.contributions.initialiser &&
         !e.is_worker(task);
}

// With it the model, or the tokens, are gone, or begin anew where no checkpoint is restored.
bool is_the_chief(const Evidence& e, TaskId task) {
  if (e.training != Training::synchronous) return task == e.contributions.initialiser;
  return task == e.contributions.sync_client || is_early_chief(e, task);
}

// What a task is there for: ", which takes the aggregates and hands out the tokens".
std::string role_of(const Evidence& e, const Trouble& t) {
  if (!t.task.valid() || e.tasks.is_ps(t.task) || only_slows_down(t)) return "";
  if (e.training != Training::synchronous) return "";
  if (t.task == e.contributions.sync_client && !has_another_chief(e, t.task, t.from))
    return ": its sync thread takes the aggregates and hands out the tokens, and nobody else does";
  if (is_early_chief(e, t.task)) return ": it is the chief, which had initialised the model and not begun to train";
  const Loss* loss = t.kind == Kind::gone && e.is_worker(t.task) ? loss_of(e, t) : nullptr;
  return loss == nullptr ? "" : fmt::format(" ({})", in_words(loss->doing, e.training));
}

}  // namespace

bool waited_for_a_model(const Evidence& e, TaskId task, Nanos since) {
  return std::ranges::any_of(e.log.events(), [&](const LoggedEvent& logged) {
    const auto* moved = std::get_if<SessionMoved>(&logged.event);
    return moved != nullptr && moved->task == task && moved->stage == SessionStage::waiting &&
           logged.at - e.log.started_at >= since;
  });
}

std::string names_of(const Evidence& e, const std::vector<TaskId>& tasks) {
  std::vector<std::string> names;
  for (const TaskId t : tasks) names.push_back(e.tasks.show(t));
  const auto is_ps = [&](TaskId t) { return e.tasks.is_ps(t); };
  if (names.size() > 6)
    return fmt::format("{} {}", names.size(), std::ranges::any_of(tasks, is_ps) ? "tasks" : "workers");
  if (names.size() < 2) return join(names, "");
  const std::string last = std::move(names.back());
  names.pop_back();
  return join(names, ", ") + " and " + last;
}

namespace {

// The tasks at both ends: " (worker 1; ps 0)".
std::string tasks_on(const Evidence& e, const Trouble& t) {
  std::vector<TaskId> a, b;
  for (std::size_t i = 0; i < e.tasks.names.size(); ++i) {
    if (e.tasks.host(TaskId{i}) == t.a) a.push_back(TaskId{i});
    if (e.tasks.host(TaskId{i}) == t.b) b.push_back(TaskId{i});
  }
  if (t.b.empty()) return fmt::format(" ({} on {})", names_of(e, a), t.a);
  return fmt::format(" ({} on {}, {} on {})", names_of(e, a), t.a, names_of(e, b), t.b);
}

// Those whose sessions waited for the task while the trouble of its process lasted, and would not with device filters.
std::set<TaskId> needless_waits(const Evidence& e, const Trouble& t) {
  std::set<TaskId> who;
  if (!t.task.valid() || e.tasks.is_ps(t.task) || e.driven.contains(t.task)) return who;
  if (t.kind != Kind::gone && t.kind != Kind::paused) return who;
  for (const SessionWait& w : e.session_waits)
    if (w.awaited == t.task && (t.to < 0 || w.from < t.to) && (w.to < 0 || w.to > t.from)) who.insert(w.client);
  return who;
}

constexpr char kFilters[] = "set device_filters, so that no session waits for another worker";

// " worker 1 and worker 2 wait for worker 0 in CreateSession: ...".
std::string who_waits_for_whom(const Evidence& e, const std::set<TaskId>& who, const std::set<TaskId>& for_whom) {
  return fmt::format(
      " {} {} for {} in CreateSession: without device filters a session is made on every task of the cluster.",
      names_of(e, {who.begin(), who.end()}), who.size() == 1 ? "waits" : "wait",
      names_of(e, {for_whom.begin(), for_whom.end()}));
}

std::string in_create_session(const Evidence& e, const WaitsFor& waits) {
  std::set<TaskId> who, for_whom;
  for (const Trouble& t : waits.troubles)
    if (const std::set<TaskId> clients = needless_waits(e, t); !clients.empty())
      who.insert(clients.begin(), clients.end()), for_whom.insert(t.task);
  return who.empty() ? "" : who_waits_for_whom(e, who, for_whom);
}

std::string cure_of_loss(const Evidence& e, const Trouble& t, const std::string& who) {
  const TaskId task = t.task;
  const std::string cure = cure_of_error(e.log, task, t.text + "\n" + t.why);
  if (t.kind == Kind::failed && !cure.empty()) return cure;
  if (const std::string of_queue = cure_of_closed_queue(e, t.text, t.from); t.kind == Kind::failed && !of_queue.empty())
    return of_queue;
  if (e.tasks.is_ps(task)) return cure_of_lost_server(e, t, who);
  const bool is_sync = e.training == Training::synchronous, is_back = t.kind == Kind::gone && t.back >= 0;
  const bool is_soon_enough = was_back_early(t) || (e.training == Training::replicated && e.is_stuck());
  const std::string verb = is_back && is_soon_enough ? "find out what ends" : "restart";
  const char* sooner = is_back && !is_soon_enough ? " sooner" : "";
  if (is_the_chief(e, task) && who == e.tasks.show(task))
    return fmt::format("{} {}, {}{}{}", verb, who,
                       has_another_chief(e, task, t.from) ? "one of the chiefs" : "the chief",
                       *sooner == 0 ? "" : ", sooner", and_save(e));
  const std::string filters = needless_waits(e, t).empty() ? "" : fmt::format("{}; or ", kFilters);
  const TaskId chief = is_sync ? TaskId() : e.contributions.initialiser;
  const char* save = chief.valid() && has_word(who, e.tasks.show(chief)) ? and_save(e) : "";
  return fmt::format("{}{} {}{}{}{}{}", filters, verb, who, sooner, fewer_gradients(e), save,
                     is_sync ? "; watch the time since the last aggregate" : "");
}

// Processes that ended together, by one fault, and did not come back.
bool ended_together(const Evidence& e, const Trouble& a, const Trouble& b) {
  return a.kind == Kind::gone && b.kind == Kind::gone && a.from == b.from && a.why == b.why && a.back < 0 &&
         b.back < 0 && !e.tasks.is_ps(a.task) && !e.tasks.is_ps(b.task) && role_of(e, a) == role_of(e, b);
}

// Those that `one` of them is told of with.
std::vector<TaskId> ended_with(const Evidence& e, const Trouble& one, std::span<const Trouble> troubles) {
  std::vector<TaskId> who;
  for (const Trouble& t : troubles)
    if (ended_together(e, one, t)) who.push_back(t.task);
  return who;
}

// " (each while it computed)" for " (while it computed)".
std::string each_of(std::string role) { return role.starts_with(" (") ? role.insert(2, "each ") : role; }

// The role is about the task, and not about what was before.
std::string with_role(std::string what, const std::string& role) {
  return what.insert(std::min(what.find("; before that: "), what.size()), role);
}

// Each group's words, in the order of their first ones.
std::vector<std::string> each_in_words(const Evidence& e, std::vector<Trouble> troubles) {
  std::vector<std::string> causes;
  while (!troubles.empty()) {
    const Trouble t = troubles.front();
    const std::vector<TaskId> who = ended_with(e, t, troubles);
    if (who.size() > 1) {
      causes.push_back(fmt::format("the processes of {} ended {}{} and did not come back{}", names_of(e, who),
                                   moment_in_words(t.from), t.why.empty() ? "" : fmt::format(" ({})", t.why),
                                   each_of(role_of(e, t))));
      std::erase_if(troubles, [&](const Trouble& other) { return ended_together(e, t, other); });
    } else {
      causes.push_back(with_role(in_words(t, e.tasks), role_of(e, t)) + (t.a.empty() ? "" : tasks_on(e, t)));
      troubles.erase(troubles.begin());
    }
  }
  return causes;
}

}  // namespace

std::string no_progress(const Evidence& e) {
  return e.training == Training::synchronous ? "No aggregate was complete" : "No step ended";
}

std::string causes_in_words(const Evidence& e, const WaitsFor& waits) {
  std::vector<std::string> causes = each_in_words(e, waits.troubles);
  if (causes.size() > kMostCauses) {
    const std::size_t more = causes.size() - (kMostCauses - 1);
    causes.resize(kMostCauses - 1);
    causes.push_back(fmt::format("{} more", more));
  }
  return join(causes, "; and ");
}

namespace {

std::string at_the_accumulator(const Evidence& e, const WaitsFor& waits) {
  if (waits.required == 0) return "";
  std::string out = fmt::format(" The accumulator of {} holds {}; an aggregate needs {}", waits.variable,
                                counted(waits.gradients, "gradient", "gradients"), waits.required);
  if (!waits.for_tokens.empty())
    out += fmt::format("; {} {} for {}", names_of(e, waits.for_tokens), waits.for_tokens.size() == 1 ? "waits" : "wait",
                       waits.for_tokens.size() == 1 ? "a token" : "tokens");
  return out + ".";
}

}  // namespace

std::string waits_to_the_end(const Evidence& e, const std::vector<TaskId>& clients) {
  std::set<TaskId> who, for_whom;
  for (const SessionWait& w : e.session_waits) {
    const bool is_needless = !e.tasks.is_ps(w.awaited) && !e.driven.contains(w.awaited);
    if (w.to < 0 && is_needless && std::ranges::count(clients, w.client) > 0)
      who.insert(w.client), for_whom.insert(w.awaited);
  }
  return who.empty() ? "" : fmt::format("{} To do: {}.", who_waits_for_whom(e, who, for_whom), kFilters);
}

std::string who_waits(const Evidence& e, const WaitsFor& waits) {
  return at_the_accumulator(e, waits) + in_create_session(e, waits);
}

namespace {

// Another host is slow at the same time, and a run without this slowness alone takes no less time.
bool is_slow_beside_others(const Evidence& e, const Trouble& t) {
  const auto host_of = [&](const Trouble& o) { return o.a.empty() ? e.tasks.host(o.task) : o.a; };
  return !gains_by_itself(e, t) && std::ranges::any_of(e.troubles, [&](const Trouble& o) {
    return !o.fault.starts_with("slow_save") && (o.kind == Kind::slowed || o.kind == Kind::slowed_host) &&
           host_of(o) != host_of(t) && (t.to < 0 || o.from < t.to) && (o.to < 0 || t.from < o.to);
  });
}

// Of what slows the kernels of a task, or of all tasks on a host. No backup worker helps where a parameter server is
// slow, where several are, or where there is one already.
std::string cure_of_slowness(const Evidence& e, const Trouble& t) {
  bool is_of_server = false;
  for (std::size_t i = 0; i < e.tasks.names.size(); ++i)
    is_of_server |=
        e.tasks.is_ps(TaskId{i}) && (t.task == TaskId{i} || (!t.a.empty() && e.tasks.host(TaskId{i}) == t.a));
  return fmt::format("look at what else runs on {}{}", t.a.empty() ? "the host of " + e.tasks.show(t.task) : t.a,
                     is_of_server ? ", or move the parameter servers there to another host"
                     : aggregates_of_all(e) && !is_slow_beside_others(e, t) ? kBackup
                                                                            : "");
}

// Workers that all were lost, by faults that `fits` says of each.
template <class Fits>
std::vector<TaskId> lost_workers(const Evidence& e, std::span<const Trouble> troubles, Fits fits) {
  std::vector<TaskId> who;
  for (const Trouble& t : troubles) {
    if (!fits(t)) continue;
    if (t.kind != Kind::gone || e.tasks.is_ps(t.task) || t.task == e.contributions.sync_client) return {};
    if (std::ranges::find(who, t.task) == who.end()) who.push_back(t.task);
  }
  return who;
}

// Of these and all others those that are wrong to the end, but for clients that no fault told to leave; and what slows
// down, of these, where no fault alone keeps the job from going on.
std::vector<Trouble> to_cure(const Evidence& e, std::span<const Trouble> troubles) {
  std::vector<Trouble> all(troubles.begin(), troubles.end());
  for (const Trouble& t : e.troubles)
    if (std::ranges::count(all, t) == 0 && !only_slows_down(t)) all.push_back(t);
  for (Trouble& t : yet_to_leave(e)) all.push_back(std::move(t));
  const bool are_slow_ones_left_out = !decisive_faults(e).empty();
  std::erase_if(all, [&](const Trouble& t) {
    if (only_slows_down(t)) return are_slow_ones_left_out;
    return !is_wrong_for_good(t) || (t.kind == Kind::left && t.fault.empty());
  });
  return all;
}

// "worker 1 and worker 2", "these 8 workers".
std::string lost_in_words(const Evidence& e, const std::vector<TaskId>& who) {
  constexpr std::size_t kMostNamed = 6;
  return who.size() > kMostNamed ? fmt::format("these {} workers", who.size()) : names_of(e, who);
}

bool is_lost_worker(const Evidence& e, const Trouble& t) {
  return t.kind == Kind::gone && !e.tasks.is_ps(t.task) && t.task != e.contributions.sync_client;
}

std::string cure_of_pauses(const Evidence& e, std::span<const Trouble> troubles) {
  std::set<TaskId> who;
  for (const Trouble& t : troubles)
    if (t.kind == Kind::paused) who.insert(t.task);
  const std::string names = names_of(e, {who.begin(), who.end()});
  if (who.size() == 1)
    return fmt::format("let the process of {} go on (is it stopped, swapped out, or its machine frozen?); {}", names,
                       kTimeLimit);
  return fmt::format("let the processes of {} go on (are they stopped, swapped out, or their machines frozen?); {}",
                     names, kTimeLimit);
}

// With those that are in the same trouble.
std::string cure_among(const Evidence& e, const Trouble& t, std::span<const Trouble> troubles) {
  if (t.kind == Kind::paused) return cure_of_pauses(e, troubles);
  if (is_of_a_path(t)) return cure_of_paths(paths_like(t, troubles));
  if (!is_lost_worker(e, t)) return cure_of(e, t);
  const auto is_like_it = [&](const Trouble& other) {
    return is_lost_worker(e, other) && (other.back < 0) == (t.back < 0) && was_back_early(other) == was_back_early(t);
  };
  return cure_of_loss(e, t, lost_in_words(e, lost_workers(e, troubles, is_like_it)));
}

}  // namespace

std::vector<std::string> cures_of_each(const Evidence& e, std::span<const Trouble> troubles) {
  std::vector<std::string> cures;
  for (const Trouble& t : troubles)
    if (std::string cure = cure_among(e, t, troubles); std::ranges::count(cures, cure) == 0)
      cures.push_back(std::move(cure));
  return cures;
}

namespace {

// What several of them name is named once.
std::string joined(std::vector<std::string> cures) {
  bool has_limit = false;
  if (cures.size() > kMostCauses) {
    const std::size_t more = cures.size() - (kMostCauses - 1);
    cures.resize(kMostCauses - 1);
    cures.push_back(fmt::format("{} more", more));
  }
  for (std::string& cure : cures) {
    std::string short_one = without_time_limit(cure);
    has_limit = has_limit || short_one != cure;
    cure = std::move(short_one);
  }
  return join(cures, "; and ") + (has_limit ? fmt::format("; {}", kTimeLimit) : "");
}

// Where only all together help: without one of them alone the job does `the_same`.
std::string cure_of_all(const Evidence& e, std::span<const Trouble> troubles, const char* the_same) {
  const std::vector<std::string> cures = cures_of_each(e, troubles);
  return (cures.size() < 2 ? "" : fmt::format("all of these, since without one of the faults alone {}: ", the_same)) +
         joined(cures);
}

// The proof is of all faults.
std::string cure_of_all_that_gain(const Evidence& e, std::span<const Trouble> troubles) {
  const bool gains_alone = std::ranges::any_of(troubles, [&](const Trouble& t) { return gains_by_itself(e, t); });
  return gains_alone ? joined(cures_of_each(e, troubles)) : cure_of_all(e, troubles, "the work takes as long");
}

std::string cure_by(const Evidence& e, const BestProof& best, std::span<const Trouble> troubles) {
  const Trouble& first = best.trouble == nullptr ? troubles.front() : *best.trouble;
  const bool needs_none = best.proof != nullptr && best.proof->together && best.proof->goes_on;
  if (needs_none && !decisive_faults(e).empty()) return cure_of(e, first);  // of those, to be without one is enough
  if (const auto all = needs_none ? to_cure(e, troubles) : std::vector<Trouble>(); !all.empty())
    return cure_of_all(e, all, "the job stands still as well");
  const bool is_of_all = best.proof == nullptr || best.proof->together;
  if (is_of_all && first.kind == Kind::left) return cure_of_leaving(e, first, troubles);
  if (const auto all = lost_by_one_fault(e, first, troubles); !all.empty())
    return fmt::format("restart {}{}{}{}", names_of(e, all), first.back >= 0 ? " sooner" : "", and_save(e),
                       look_sooner(e, troubles));
  std::vector<TaskId> who = ended_with(e, first, troubles);
  if (best.proof != nullptr && best.proof->together) return cure_of_all_that_gain(e, troubles);
  if (is_of_all && is_of_a_path(first)) return cure_of_paths(paths_like(first, troubles));
  if (who.size() < 2 && !e.proofs.empty())
    who = lost_workers(e, troubles, [&](const Trouble& t) { return is_of_all || is_about(*best.proof, t); });
  return who.size() < 2 ? cure_of(e, first) : cure_of_loss(e, first, lost_in_words(e, who));
}

}  // namespace

std::string cure_of(const Evidence& e, std::span<const Trouble> troubles) {
  return cure_by(e, best_proof(e, troubles), troubles);
}

std::string cure_of_gain(const Evidence& e, std::span<const Trouble> troubles) {
  const BestProof best = best_gain(e, troubles);
  return best.proof == nullptr ? cure_of(e, troubles) : cure_by(e, best, troubles);
}

std::string cure_of(const Evidence& e, const Trouble& t) {
  const std::string who = e.tasks.show(t.task);
  switch (t.kind) {
    case Kind::gone:
    case Kind::failed:
      return cure_of_loss(e, t, who);
    case Kind::left:
      return cure_of_leaving(e, t, {&t, 1});
    case Kind::slowed:
      if (t.fault.starts_with("slow_save")) return fmt::format("give {} a faster storage, or save less often", who);
      return cure_of_slowness(e, t);
    case Kind::slowed_host:
      return cure_of_slowness(e, t);
    case Kind::paused:
      return cure_of_pauses(e, {&t, 1});
    default:
      return cure_of_paths({&t, 1});
  }
}

}  // namespace tarry
