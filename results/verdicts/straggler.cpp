#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "results/verdict.hpp"
#include "results/verdicts/pace.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

bool aggregates_of_all(const Evidence& e) {
  return e.training == Training::synchronous &&
         std::cmp_greater_equal(e.first_accumulator().required, e.contributions.workers.size());
}

bool workers_wait_for_all(const Evidence& e) {
  return aggregates_of_all(e) || e.training == Training::replicated || e.training == Training::stale_synchronous ||
         e.training == Training::in_graph;
}

namespace {

// "worker 2", "host2": whom it is about.
std::string slow_one(const Evidence& e, const Proof& p) { return p.task.valid() ? e.tasks.show(p.task) : p.a; }

bool is_of_several(const Proof& p) { return !p.task.valid() && p.a.empty(); }

constexpr char kCureOfOne[] = "look at what else its host does, or give it a smaller batch",
               kCureOfHost[] = "look at what else it does, or give its workers a smaller batch",
               kCureOfThose[] = "look at what else goes on there, or give these workers a smaller batch",
               kCureOfSeveral[] = "look at what else their hosts do, or give them a smaller batch",
               kCureOfOneWithout[] = "give it a GPU, as the others have",
               kCureOfThoseWithout[] = "give them GPUs, as the others have";

bool lacks_gpu(const Proof& p) { return p.b == "GPU"; }

const char* cure_of_slow(const Proof& p) {
  if (lacks_gpu(p)) return kCureOfOneWithout;
  if (p.together) return kCureOfThose;
  return p.task.valid() ? kCureOfOne : kCureOfHost;
}

// Whom a proof is about: one worker, or those that it names.
std::vector<TaskId> workers_of(const Evidence& e, const Proof& p) {
  if (p.task.valid()) return {p.task};
  std::vector<TaskId> named;
  for (const WorkerStory& w : e.contributions.workers)
    if (has_word(p.what, e.tasks.show(w.task))) named.push_back(w.task);
  return named;
}

constexpr double kNearly = 0.9;

// What interferes with these workers gains nearly as much: of many workers the proof names some, and others may be slow
// for another reason.
bool is_told_by(const Evidence& e, const Proof& slow, const Proof& interference) {
  const std::vector<TaskId> workers = workers_of(e, slow);
  return interference.gain >= kNearly * slow.gain && !workers.empty() && std::ranges::all_of(workers, [&](TaskId w) {
           return w == interference.task || e.tasks.host(w) == interference.a;
         });
}

// Something interferes with each of them: nobody waits for one that is slower than the others.
bool is_with_all(const Evidence& e, const std::vector<Proof>& interferences) {
  return std::ranges::all_of(e.contributions.workers, [&](const WorkerStory& w) {
    return std::ranges::any_of(interferences, [&](const Proof& i) {
      return w.task == i.task || (!i.a.empty() && e.tasks.host(w.task) == i.a);
    });
  });
}

// Of a host with several workers one gradient fewer is not enough.
bool is_of_one(const Evidence& e, const Proof& p) {
  return p.task.valid() || std::ranges::count_if(e.contributions.workers,
                                                 [&](const WorkerStory& w) { return e.tasks.host(w.task) == p.a; }) < 2;
}

bool slows(const Evidence& e, const Trouble& t, TaskId worker) {
  return (t.kind == Trouble::Kind::slowed && t.task == worker) ||
         (t.kind == Trouble::Kind::slowed_host && t.a == e.tasks.host(worker));
}

// Those that slow these workers, in order.
std::vector<Trouble> slowed_by(const Evidence& e, const Proof& p) {
  const std::vector<TaskId> workers = workers_of(e, p);
  std::vector<Trouble> behind;
  for (const Trouble& t : e.troubles)
    if (std::ranges::any_of(workers, [&](TaskId w) { return slows(e, t, w); })) behind.push_back(t);
  return behind;
}

std::string all_in_words(const Evidence& e, const std::vector<Trouble>& troubles) {
  std::string out;
  for (const Trouble& t : troubles) out += "; " + in_words(t, e.tasks);
  return out;
}

// What slowed them was over when training came to a standstill.
bool was_before_standstill(const Evidence& e, const std::vector<Trouble>& behind) {
  return e.is_stuck() && !behind.empty() && std::ranges::all_of(behind, [](const Trouble& t) { return t.to >= 0; });
}

// Most aggregates lack all of these workers: the others took their tokens.
bool went_on_without(const Evidence& e, const std::vector<TaskId>& slow) {
  if (e.training != Training::synchronous || slow.empty()) return false;
  const auto& workers = e.contributions.workers;
  const std::vector<Aggregate>& all = e.first_accumulator().aggregates;
  const auto lacks_them = std::ranges::count_if(all, [&](const Aggregate& g) {
    for (std::size_t w = 0; w < workers.size(); ++w)
      if (g.by_worker[w] > 0 && std::ranges::count(slow, workers[w].task) > 0) return false;
    return true;
  });
  return 2 * lacks_them > std::ssize(all);
}

std::string slowness_in_words(const Evidence& e, const Proof& p, bool are_all_slow) {
  const std::vector<Trouble> behind = slowed_by(e, p);
  const bool was = was_before_standstill(e, behind),
             waits = workers_wait_for_all(e) && !went_on_without(e, workers_of(e, p));
  const std::string faults = all_in_words(e, behind);
  const char* are = was ? "were" : "are";
  const char* does = are_all_slow ? (p.together ? "slow, as all workers are" : "slow, as all the others are")
                     : waits      ? (was ? "what the others waited for" : "what the others wait for")
                                  : "slower than the others";
  if (is_of_several(p))
    return fmt::format("{} {} {}: {}{}.{} To do: {}.", was ? "Before that, some workers" : "Some workers", are, does,
                       p.what, faults, in_words(p), lacks_gpu(p) ? kCureOfThoseWithout : kCureOfSeveral);
  return fmt::format("{}{} {} {}: {}{}.{} To do: {}{}.", was ? "Before that, " : "", slow_one(e, p),
                     p.together ? are : (was ? "was" : "is"), does, p.what, faults, in_words(p), cure_of_slow(p),
                     aggregates_of_all(e) && !p.together && is_of_one(e, p) && !are_all_slow ? kBackup : "");
}

// Faults slow these workers, or their hosts, and one of the faults, or all together, gain nearly as much: they are the
// cause, and that workers are slow is their effect.
bool is_told_by_fault(const Evidence& e, const Proof& slow) {
  const std::vector<TaskId> workers = workers_of(e, slow);
  if (workers.empty()) return false;
  std::vector<Trouble> behind;
  for (const TaskId w : workers) {
    const auto t = std::ranges::find_if(e.troubles, [&](const Trouble& trouble) { return slows(e, trouble, w); });
    if (t == e.troubles.end()) return false;
    behind.push_back(*t);
  }
  return std::ranges::any_of(proved(e, Proof::Cause::faults), [&](const Proof& p) {
    return !p.goes_on && p.gain >= kNearly * slow.gain &&
           (p.together || std::ranges::any_of(behind, [&](const Trouble& t) { return is_about(p, t); }));
  });
}

}  // namespace

// Whoever sets the pace of the others, or brings less than they do: what interferes with it, or else its kernels.
Told judge_straggler(const Evidence& e, std::span<const Verdict> said) {
  std::vector<Proof> interferences = proved(e, Proof::Cause::interference);
  std::erase_if(interferences, [&](const Proof& p) { return interferes_with_servers(e, p); });
  std::vector<Proof> slow = proved_apart_or_together(e, Proof::Cause::slow_worker);
  std::erase_if(slow, [&](const Proof& p) {
    return (says_any(said, {"slowed", "stalled"}) && is_told_by_fault(e, p)) ||
           std::ranges::any_of(interferences, [&](const Proof& i) { return is_told_by(e, p, i); });
  });
  Told out;
  const bool are_all_slow = is_with_all(e, interferences);
  for (const Proof& p : one_for_each_run(e.tasks, interferences)) out.push_back(slowness_in_words(e, p, are_all_slow));
  for (const Proof& p : slow) out.push_back(slowness_in_words(e, p, false));
  return out;
}

}  // namespace tarry
