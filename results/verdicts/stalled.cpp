#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/path_cures.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

// Who has left does not come back.
std::string in_a_new_session(const Evidence& e, const Standstill& s) {
  const bool has_left =
      std::ranges::any_of(s.waits.troubles, [](const Trouble& t) { return t.kind == Trouble::Kind::left; });
  const Trouble* before = has_left ? lost_in_between(e, s.from, s.to) : nullptr;
  if (before == nullptr) return "";
  return fmt::format(" It ended {} the session that was made after the process of {} had ended at {:.3f} s.",
                     e.contributions.initial_tokens.empty() ? "in" : "with the initial tokens of",
                     e.tasks.show(before->task), in_seconds(before->from));
}

// The last of the causes to end is what ended the standstill; those that were there after it did not. Of processes and
// connections the cause tells their end.
std::string what_ended_it(const Evidence& e, const Standstill& s) {
  if (is_cut_off(e, s)) return "";
  const Trouble* last = nullptr;
  for (const Trouble& t : s.waits.troubles)
    if (t.to >= 0 && t.to <= s.to && t.over <= s.to && (last == nullptr || t.to > last->to)) last = &t;
  if (last == nullptr) return in_a_new_session(e, s);
  if (last->kind == Trouble::Kind::gone || last->kind == Trouble::Kind::breaking) return "";
  if (last->over >= last->to + kSecond)
    return fmt::format(" It ended after the {} that was under way then, at {:.3f} s.",
                       last->fault.starts_with("slow_save") ? "save" : "step", in_seconds(last->over));
  return fmt::format(" It ended after {}, at {:.3f} s.", end_in_words(*last, e.tasks), in_seconds(last->to));
}

std::string what_would_end_it(const Evidence& e, const Standstill& s) {
  if (!is_cut_off(e, s)) return "";
  std::string text;
  if (const std::vector<TaskId> later = find_a_model_later(e); !later.empty())
    text = fmt::format(" When the run ended, {} slept: a client that finds no model looks again after {} s.",
                       names_of(e, later), kLongestWait / kSecond);
  const Nanos at = e.log.goes_on_at;
  return at < 0 ? text : text + fmt::format(" Training would have gone on at {:.3f} s.", in_seconds(at));
}

// What is to be cured. Training went on although some are wrong to the end: these are left out, unless all are, or
// their faults cost time of their own.
std::vector<Trouble> to_cure(const Evidence& e, const Standstill& s) {
  std::vector<Trouble> ended = s.waits.troubles;
  std::erase_if(ended, is_wrong_for_good);
  if (ended.empty()) return s.waits.troubles;
  std::vector<Trouble> out = s.waits.troubles;
  std::erase_if(out, [&](const Trouble& t) {
    const Proof* own = own_proof(e, t);
    const auto has_same = [&](const Trouble& other) { return own_proof(e, other) == own; };
    return is_wrong_for_good(t) && (own == nullptr || std::ranges::any_of(ended, has_same));
  });
  return out;
}

// While all of this was wrong, at the latest at `again`, no step had begun yet.
bool is_before_all_steps(const Evidence& e, const Standstill& s, Nanos again) {
  Nanos over = again;
  for (const Trouble& t : s.waits.troubles) over = std::max(over, t.to < 0 ? s.to : t.to);
  return std::ranges::none_of(e.contributions.workers,
                              [&](const WorkerStory& w) { return w.first_step >= 0 && w.first_step < over; });
}

std::string what_to_do(const Evidence& e, const Standstill& s, Nanos again) {
  std::string cure = cure_of(e, to_cure(e, s));
  return is_before_all_steps(e, s, again) ? without_time_limit(std::move(cure)) : cure;
}

// Beside what stops a task and alone costs time, what only slows one down is a cause only where it does so, too, and
// comes after it.
Standstill without_bystanders(const Evidence& e, Standstill s) {
  std::vector<Trouble>& all = s.waits.troubles;
  const auto stops_alone = [&](const Trouble& t) { return !only_slows_down(t) && own_proof(e, t) != nullptr; };
  if (std::ranges::any_of(all, stops_alone))
    std::erase_if(all, [&](const Trouble& t) { return only_slows_down(t) && own_proof(e, t) == nullptr; });
  std::stable_partition(all.begin(), all.end(), [](const Trouble& t) { return !only_slows_down(t); });
  return s;
}

std::string in_words(const Evidence& e, const Standstill& s, Nanos again) {
  const std::string usual = s.usual == 0 ? "" : fmt::format(", in place of the usual {:.3f} s", in_seconds(s.usual));
  return fmt::format("{} from {:.3f} s to {:.3f} s ({:.3f} s{}). The cause: {}.{}{}{}{} To do: {}.", no_progress(e),
                     in_seconds(s.from), in_seconds(s.to), in_seconds(s.to - s.from), usual,
                     causes_in_words(e, s.waits), who_waits(e, s.waits), what_ended_it(e, s), what_would_end_it(e, s),
                     proof_of(e, s.waits.troubles), what_to_do(e, s, again));
}

// The same trouble of the same tasks and hosts, whenever it was.
bool are_alike(const Trouble& a, const Trouble& b) {
  return a.kind == b.kind && a.task == b.task && a.a == b.a && a.b == b.b && a.fault == b.fault;
}

// What was slow then cost no time, as a run without it shows, and something else did cost time.
bool is_of_another_cause(const Evidence& e, const Standstill& s) {
  return std::ranges::all_of(s.waits.troubles, only_slows_down) && proof_of(e, s.waits.troubles).empty() &&
         std::ranges::any_of(e.proofs, [](const Proof& p) { return p.gain >= kWorthTelling; });
}

struct Alike {
  const Standstill* first;
  int more = 0;
  Nanos last = 0, took = 0;  // of the further ones
};

// What it stood still for in the end for good is told of that.
bool is_of_the_end(const Evidence& e, const Standstill& s) {
  return e.is_stuck() && e.standstills.back().waits.troubles == s.waits.troubles;
}

// In order.
std::vector<Alike> standstills_by_cause(const Evidence& e) {
  std::vector<Alike> all;
  for (const Standstill& s : e.standstills) {
    if (s.to < 0 || may_be_usual(e, s) || is_of_the_end(e, s) || is_of_another_cause(e, s)) continue;
    const auto same = std::ranges::find_if(
        all, [&](const Alike& a) { return std::ranges::equal(a.first->waits.troubles, s.waits.troubles, are_alike); });
    if (same == all.end())
      all.push_back({&s});
    else
      ++same->more, same->last = s.to, same->took += s.to - s.from;
  }
  return all;
}

}  // namespace

Told judge_stalled(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Alike& a : standstills_by_cause(e)) {
    out.push_back(in_words(e, without_bystanders(e, *a.first), a.last));
    if (a.more > 0)
      out.back() += fmt::format("\nThe same cause stopped training {}, up to {:.3f} s, for {:.3f} s{}.",
                                a.more == 1 ? "once more" : fmt::format("{} times more", a.more), in_seconds(a.last),
                                in_seconds(a.took), a.more == 1 ? "" : " together");
  }
  return out;
}

}  // namespace tarry
