#include "results/verdicts/leaving.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "results/client_error.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {

const char* fewer_gradients(const Evidence& e) {
  const bool needs_all = e.training == Training::synchronous &&
                         !std::cmp_less(e.first_accumulator().required, e.contributions.workers.size());
  return needs_all ? ", or aggregate fewer gradients than there are workers" : "";
}

namespace {

using Kind = Trouble::Kind;

// The queue of tokens is closed when it leaves.
bool closes_queue(const Evidence& e, TaskId task) { return task == e.closer || task == e.contributions.sync_client; }

// Those that left as it did: since their data was at its end, or as they were told to.
std::vector<TaskId> left_like(const Trouble& left, std::span<const Trouble> troubles) {
  std::vector<TaskId> who;
  for (const Trouble& t : troubles)
    if (t.kind == Kind::left && is_end_of_data(t.text) == is_end_of_data(left.text)) who.push_back(t.task);
  return who;
}

std::vector<TaskId> all_but(const Evidence& e, const std::vector<TaskId>& who) {
  std::vector<TaskId> out;
  for (const WorkerStory& w : e.contributions.workers)
    if (std::ranges::count(who, w.task) == 0) out.push_back(w.task);
  return out;
}

// No fault, and no end of data, told it to.
bool left_as_told(const Evidence& e, TaskId task) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    return t.kind == Kind::left && t.task == task && t.to < 0 && t.fault.empty() && !is_end_of_data(t.text);
  });
}

}  // namespace

const char* no_initial_tokens(const Evidence& e, const Trouble& left) {
  if (e.training != Training::synchronous || e.contributions.initial_tokens.empty()) return "";
  const auto& workers = e.contributions.workers;
  if (std::cmp_greater(e.first_accumulator().required, workers.size())) return "";  // they do not suffice for it
  const auto its = std::ranges::find(workers, left.task, &WorkerStory::task);
  const bool is_ahead = its != workers.end() && its->steps > std::ranges::min(workers, {}, &WorkerStory::steps).steps;
  return is_ahead && *fewer_gradients(e) != 0
             ? "; or start without initial tokens (num_tokens=0), so that no worker is "
               "ahead of the others when it leaves"
             : "";
}

std::string cure_of_leaving(const Evidence& e, const Trouble& left, std::span<const Trouble> troubles) {
  const std::vector<TaskId> leavers = left_like(left, troubles), stayed = all_but(e, leavers);
  const bool are_most = !stayed.empty() && leavers.size() > stayed.size();
  const std::string who = names_of(e, leavers), as_long_as = are_most ? names_of(e, stayed) : "the others";
  const std::string longer = is_end_of_data(left.text) ? fmt::format("give the readers of {} {}", who, kMoreData)
                                                       : fmt::format("let {} train as long as {}", who, as_long_as);
  return fmt::format("{}{}{}", longer, closes_queue(e, left.task) ? "" : fewer_gradients(e),
                     no_initial_tokens(e, left));
}

bool has_no_part(const Evidence& e, const Trouble& left, std::span<const Trouble> troubles) {
  if (left.kind != Kind::left || !left.fault.empty() || !is_end_of_data(left.text)) return false;
  const bool needs_its_data = std::ranges::any_of(e.proofs, [&](const Proof& p) {
    return p.cause == Proof::Cause::data && p.goes_on && (p.together || p.task == left.task);
  });
  const std::vector<Proof> decisive = decisive_faults(e);
  return !needs_its_data && std::ranges::any_of(decisive, [&](const Proof& p) {
    return std::ranges::any_of(troubles, [&](const Trouble& t) { return is_about(p, t); });
  });
}

std::string cure_of_counting_anew(const Evidence& e, std::span<const Trouble> troubles) {
  const auto is_new = [&](TaskId task) {
    return std::ranges::any_of(troubles,
                               [&](const Trouble& t) { return t.kind == Kind::gone && t.back >= 0 && t.task == task; });
  };
  std::set<std::int64_t> steps;
  bool has_new = false;
  for (const WorkerStory& w : e.contributions.workers) {
    has_new |= is_new(w.task);
    if (is_new(w.task)) continue;
    if (!left_as_told(e, w.task)) return "";
    steps.insert(w.steps);
  }
  return has_new && steps.size() == 1 ? kStopAtGlobalStep : "";
}

std::vector<Trouble> yet_to_leave(const Evidence& e) {
  std::vector<Trouble> out;
  for (const LoggedEvent& event : e.log.events()) {
    const auto* c = std::get_if<ConditionChanged>(&event.event);
    if (c == nullptr || e.log.name(c->kind) != "leave") continue;
    const TaskId task = e.tasks.find(e.log.name(c->a));
    const auto has_left = [&](const Trouble& t) { return is_away(t) && t.task == task && t.to < 0; };
    if (task.valid() && std::ranges::none_of(e.troubles, has_left))
      out.push_back({.kind = Kind::left, .task = task, .from = event.at - e.log.started_at, .fault = "leave"});
  }
  return out;
}

namespace {

// It makes somebody slow or late, and not all.
bool is_of_some_workers(const Proof& p) {
  using enum Proof::Cause;
  return p.cause == slow_worker || p.cause == workers || p.cause == late_start || p.cause == far_host ||
         p.cause == slow_card || p.cause == interference || p.cause == variations || p.cause == card_variations;
}

// Of the kernels of all workers.
bool is_of_all_that_vary(const Proof& p) {
  return p.cause == Proof::Cause::variations && !p.task.valid() && p.a.empty();
}

// The workers that it is about are those with the fewest steps, and others made more.
bool is_about_the_last(const Evidence& e, const Proof& p) {
  const auto& all = e.contributions.workers;
  if (all.empty()) return false;
  const std::int64_t fewest = std::ranges::min(all, {}, &WorkerStory::steps).steps,
                     most = std::ranges::max(all, {}, &WorkerStory::steps).steps;
  const auto is_of_it = [&](const WorkerStory& w) {
    if (p.task.valid()) return w.task == p.task;
    return p.a.empty() ? has_word(p.what, e.tasks.show(w.task)) : has_word(p.a, e.tasks.host(w.task));
  };
  return fewest < most &&
         std::ranges::all_of(all, [&](const WorkerStory& w) { return (w.steps == fewest) == is_of_it(w); });
}

}  // namespace

const Proof* what_held_back(const Evidence& e) {
  const auto first = [&](auto is_it) {
    const auto p = std::ranges::find_if(e.proofs, [&](const Proof& o) { return o.goes_on && is_it(o); });
    return p == e.proofs.end() ? nullptr : &*p;
  };
  const Proof* of_some = first([&](const Proof& p) { return is_of_some_workers(p) && is_about_the_last(e, p); });
  return of_some != nullptr ? of_some : first([&](const Proof& p) { return is_of_all_that_vary(p); });
}

}  // namespace tarry
