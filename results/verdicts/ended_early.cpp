#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/client_error.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/failed.hpp"
#include "results/verdicts/leaving.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/several_chiefs.hpp"
#include "results/verdicts/standing.hpp"
#include "results/work_done.hpp"

namespace tarry {
namespace {

// "worker 1 after 10 steps of 40".
std::string told_of(const Evidence& e, const CutShort& cut) {
  const std::string of_how_many = cut.last_step > 0 ? fmt::format(" of {}", cut.last_step)
                                  : cut.last_global_step > 0
                                      ? fmt::format(", to train up to global step {}", cut.last_global_step)
                                      : "";
  return fmt::format("{} after {}{}", e.tasks.show(cut.task), counted(cut.steps, "step", "steps"), of_how_many);
}

std::string told_of_all(const Evidence& e) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (const CutShort& cut : e.cut_short) {
    if (parts.size() == kMost) {
      parts.push_back(fmt::format("{} more", e.cut_short.size() - kMost));
      break;
    }
    parts.push_back(told_of(e, cut));
  }
  return join(parts, ", ");
}

// When the first of them left.
Nanos cut_at(const Evidence& e) {
  const CutShort& first = e.cut_short.front();
  for (const LoggedEvent& event : e.log.events())
    if (const auto* cut = std::get_if<CutShort>(&event.event);
        cut != nullptr && cut->task == first.task && cut->steps == first.steps)
      return event.at - e.log.started_at;
  return 0;
}

// No chief left before the first of them did, so that it is not known who closed the queue.
Told of_stale_synchronous(const Evidence& e) {
  const auto left = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.task == e.cut_short.front().task && t.to < 0;
  });
  if (left == e.troubles.end()) return {};
  const std::string behind = behind_it(e, decisive_faults(e)), gist = gist_of(left->text);
  return {fmt::format(
      "Training ended early, at {:.3f} s, without an error: {}. A queue of tokens was closed to them{}, which a "
      "client takes for the end of its data.{}",
      in_seconds(cut_at(e)), told_of_all(e), gist.empty() ? "" : fmt::format(" ({})", gist), behind)};
}

// The chief failed in a session that it made after another one had broken: that had closed the queue.
std::string how_it_was_closed(const Evidence& e, const Trouble& left) {
  if (e.training == Training::stale_synchronous) return "With it their queues were closed";
  const bool was_closed = found_its_queue_closed(e, left);
  if (!was_closed && (left.kind != Trouble::Kind::failed || cut_at(e) >= left.from))
    return "With it their queue was closed";
  return fmt::format("Its session before that one broke, and closing it closed their queue by {:.3f} s",
                     in_seconds(std::min(cut_at(e), left.from)));
}

// A process that begins anew counts its own steps from 0, and the chief does not wait for them.
bool is_counted_anew(const Evidence& e, const CutShort& cut) {
  return cut.last_step > 0 &&
         std::ranges::any_of(e.losses.processes, [&](const Loss& l) { return l.task == cut.task && l.back >= 0; });
}

// All that were cut short would have done their steps by then, had they not begun anew: the chief has done as many.
bool are_counted_anew(const Evidence& e, const Trouble& left) {
  const auto& workers = e.contributions.workers;
  const auto chief = std::ranges::find(workers, left.task, &WorkerStory::task);
  return std::ranges::all_of(e.cut_short, [&](const CutShort& cut) {
    return is_counted_anew(e, cut) && chief != workers.end() && chief->steps >= cut.last_step;
  });
}

// What may have broken the chief's session before it left.
std::vector<Trouble> what_broke_its_session(const Evidence& e, const Trouble& left) {
  std::vector<Trouble> before = e.troubles;
  std::erase_if(before, [&](const Trouble& t) {
    return t.from >= left.from || t.kind == Trouble::Kind::left || only_slows_down(t);
  });
  return before;
}

bool goes_on_with(const Evidence& e, Proof::Cause cause) {
  return std::ranges::any_of(e.proofs, [&](const Proof& p) { return p.cause == cause && p.goes_on; });
}

// With a count of epochs for each worker the job goes on, or does more where it does not go on with more data alone;
// null: there is no such proof.
const Proof* epochs_for_each(const Evidence& e, const Trouble& left) {
  if (!is_end_of_data(left.text)) return nullptr;
  const bool may_do_more = !goes_on_with(e, Proof::Cause::data);
  const auto p = std::ranges::find_if(e.proofs, [&](const Proof& proof) {
    const bool does_more = may_do_more && proof.does_more && proof.gain >= kWorthTelling;
    return proof.cause == Proof::Cause::epochs && (proof.goes_on || does_more);
  });
  return p == e.proofs.end() ? nullptr : &*p;
}

// What held those back that the chief did not wait for, when it left as it was told to. Null: nothing is known of that.
const Proof* behind_the_chief(const Evidence& e, const Trouble& left) {
  const bool is_as_told = left.kind == Trouble::Kind::left && left.fault.empty() && !is_end_of_data(left.text);
  return is_as_told && decisive_faults(e).empty() ? what_held_back(e) : nullptr;
}

// By a fault without which the job goes on.
bool were_slowed(const Evidence& e) {
  const std::vector<Proof> decisive = decisive_faults(e);
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    return only_slows_down(t) && std::ranges::any_of(decisive, [&](const Proof& p) { return is_about(p, t); });
  });
}

std::string cure_of_its_leaving(const Evidence& e, const Trouble& left) {
  if (epochs_for_each(e, left) != nullptr) return kEpochsForEach;
  if (found_its_queue_closed(e, left))
    if (const std::vector<Trouble> broke = what_broke_its_session(e, left); !broke.empty()) return cure_of(e, broke);
  if (const Proof* p = behind_the_chief(e, left))
    return fmt::format("{}{}{}",
                       p->cause == Proof::Cause::late_start ? cure_of_lateness(*p) + std::string(", or ") : "",
                       kStopForAll, no_initial_tokens(e, left));
  const bool is_as_told = left.kind == Trouble::Kind::left && !is_end_of_data(left.text);
  if (is_as_told && left.fault.empty() && e.cut_short.front().last_step > 0 && were_slowed(e))
    return std::string(kStopForAll) + no_initial_tokens(e, left);
  return is_as_told && are_counted_anew(e, left) ? kStopAtGlobalStep : cure_of(e, left);
}

// That the chief stays, or that what made the others late is away.
std::string proof_of_leaving(const Evidence& e, const Trouble& left) {
  if (const Proof* p = epochs_for_each(e, left)) return fmt::format(" The cause: {}.{}", p->what, in_words(*p));
  if (const Proof* p = behind_the_chief(e, left))
    return fmt::format(" What held them back: {}.{}", p->what, in_words(*p));
  const std::string behind = behind_it(e, decisive_faults(e));
  if (found_its_queue_closed(e, left) && !behind.empty()) return behind;
  std::string proof = proof_that_it_goes_on(e, {&left, 1});
  return proof.empty() ? behind : proof;
}

// The chief trains on, in another session.
std::string without_the_others(const Evidence& e) {
  std::vector<TaskId> who;
  for (const CutShort& cut : e.cut_short)
    if (std::ranges::count(who, cut.task) == 0) who.push_back(cut.task);
  return fmt::format(
      "Training ended early for {}, without an error: their queue of tokens was closed with a session of {}, the "
      "chief, by {:.3f} s, which a client takes for the end of its data.{} To do: restart {}.",
      told_of_all(e), e.tasks.show(e.closer), in_seconds(cut_at(e)), behind_it(e, decisive_faults(e)),
      names_of(e, who));
}

// By client, what it was told to do when it left for want of data.
std::map<TaskId, CutShort> cut_by_client(const EventLog& log) {
  std::map<TaskId, CutShort> cut;
  for (const LoggedEvent& event : log.events())
    if (const auto* c = std::get_if<CutShort>(&event.event)) cut.insert_or_assign(c->task, *c);
  return cut;
}

// "worker 1 after 10 steps of 40": it left for want of data before it had done what it was told to; "" where it did
// not, or where nothing is known of that: a fault told it to leave, say.
std::string cut_before_its_stop(const Evidence& e, const WorkerStory& w, const std::map<TaskId, CutShort>& cut) {
  const auto left = std::ranges::find_if(
      e.troubles, [&](const Trouble& t) { return t.kind == Trouble::Kind::left && t.task == w.task && t.to < 0; });
  const auto last = cut.find(w.task);
  if (left == e.troubles.end() || !left->fault.empty() || last == cut.end()) return "";
  const bool has_stop = last->second.last_step > 0 || last->second.last_global_step > 0;
  if (!has_stop || !is_end_of_data(left->text) || is_nearly_done(last->second, e.contributions.global_step)) return "";
  return told_of(e, last->second);
}

// All who trained left for want of data: nobody is there who would go on.
Told of_all_who_left(const Evidence& e) {
  std::vector<std::string> parts;
  std::vector<Trouble> left;
  const std::map<TaskId, CutShort> cut = cut_by_client(e.log);
  for (const WorkerStory& w : e.contributions.workers) {
    parts.push_back(cut_before_its_stop(e, w, cut));
    if (parts.back().empty()) return {};
    for (const Trouble& t : e.troubles)
      if (t.kind == Trouble::Kind::left && t.task == w.task && t.to < 0) left.push_back(t);
  }
  if (left.empty() || e.is_stuck()) return {};
  constexpr std::size_t kMost = 4;
  if (parts.size() > kMost + 1) parts.resize(kMost), parts.push_back(fmt::format("{} more", left.size() - kMost));
  std::vector<TaskId> who;
  for (const Trouble& t : left) who.push_back(t.task);
  return {
      fmt::format("Training ended at {:.3f} s, without an error, as the data of all who trained was at its end: {}. To "
                  "do: give the "
                  "readers of {} {}.",
                  in_seconds(training_ended(e)), join(parts, ", "), names_of(e, who), kMoreData)};
}

}  // namespace

Told judge_ended_early(const Evidence& e, std::span<const Verdict>) {
  using Kind = Trouble::Kind;
  if (e.cut_short.empty()) return of_all_who_left(e);
  const auto left = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return (t.kind == Kind::left || t.kind == Kind::failed) && t.task == e.closer && t.to < 0;
  });
  const bool is_stale = e.training == Training::stale_synchronous;
  if (is_stale && (left == e.troubles.end() || left->from > cut_at(e))) return of_stale_synchronous(e);
  if (left == e.troubles.end()) return {without_the_others(e)};
  if (left->kind == Kind::failed && e.is_stuck()) return {};
  return {fmt::format("{}; it is {}. {}, which ends the training of all others without an error: {}.{} To do: {}.",
                      in_words(*left, e.tasks),
                      has_another_chief(e, left->task, left->from) ? "a chief, which hands out tokens"
                                                                   : "the chief, which hands out the tokens",
                      how_it_was_closed(e, *left), told_of_all(e), proof_of_leaving(e, *left),
                      cure_of_its_leaving(e, *left))};
}

}  // namespace tarry
