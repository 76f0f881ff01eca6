#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "placer/core/text.hpp"
#include "results/client_error.hpp"
#include "results/standstill.hpp"
#include "results/verdict.hpp"
#include "results/verdicts/standing.hpp"
#include "results/verdicts/unequal_paces.hpp"
#include "results/verdicts/uneven_aggregates.hpp"

namespace tarry {
namespace {

// Its data was at its end, or its queue of tokens was closed: another verdict tells of it.
bool had_to_leave(const Evidence& e, TaskId worker, Nanos at) {
  return std::ranges::any_of(e.troubles, [&](const Trouble& t) {
    if (t.kind != Trouble::Kind::left || t.task != worker || !t.holds_at(at)) return false;
    return is_end_of_data(t.text) || std::ranges::count(e.cut_short, worker, &CutShort::task) > 0;
  });
}

bool lacks(const Evidence& e, const Aggregate& g, std::size_t worker) {
  return g.by_worker[worker] == 0 && !had_to_leave(e, e.contributions.workers[worker].task, g.at);
}

// It lacks such workers alone.
bool is_explained(const Evidence& e, const Aggregate& g) {
  for (std::size_t w = 0; w < g.by_worker.size(); ++w)
    if (lacks(e, g, w)) return false;
  return true;
}

// Longest run of aggregates from the start that one worker filled alone while others were there.
std::size_t lone_start(const Evidence& e, const AccumulatorStory& a, std::size_t& worker) {
  std::size_t n = 0;
  for (const Aggregate& g : a.aggregates) {
    if (!g.is_lone() || is_explained(e, g)) break;
    const auto w = static_cast<std::size_t>(std::ranges::max_element(g.by_worker) - g.by_worker.begin());
    if (n > 0 && w != worker) break;
    worker = w;
    ++n;
  }
  return n;
}

bool is_much_later(Nanos late, Nanos early) { return late > early + 1'000'000'000; }

Nanos beginning(const Evidence& e, const WorkerStory& w) {
  return w.first_step < 0 ? e.log.ended_at - e.log.started_at : w.first_step;
}

// The last of the others to begin.
const WorkerStory& last_of_the_others(const Evidence& e, std::size_t w) {
  const auto& workers = e.contributions.workers;
  std::size_t last = w;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (i != w && (last == w || beginning(e, workers[i]) > beginning(e, workers[last]))) last = i;
  return workers[last];
}

const Pace& pace_of(const Evidence& e, const std::vector<Pace>& paces, const WorkerStory& w) {
  const auto at = std::ranges::find(e.contributions.workers, w.task, &WorkerStory::task);
  return paces[static_cast<std::size_t>(at - e.contributions.workers.begin())];
}

// By much, or by more than a step of the other, and more than what its own step takes longer.
bool began_later(const Evidence& e, const std::vector<Pace>& paces, const WorkerStory& late, const WorkerStory& early) {
  if (is_much_later(beginning(e, late), early.first_step)) return true;
  const Nanos own = pace_of(e, paces, late).step, other = pace_of(e, paces, early).step;
  return other >= 0 && beginning(e, late) - early.first_step > std::max(other, own - other);
}

// Beyond what varies from step to step.
bool has_shortest_steps(const std::vector<Pace>& paces, std::size_t w) {
  for (std::size_t i = 0; i < paces.size(); ++i)
    if (i != w && paces[i].step >= 0 && 10 * paces[i].step <= 11 * paces[w].step) return false;
  return paces[w].step >= 0;
}

// Since training began: where all sessions are ready by then, what they had waited for is no reason.
bool found_no_model(const Evidence& e, TaskId task) { return waited_for_a_model(e, task, 0); }

// Why a worker could run ahead, up to the last aggregate that it filled alone: it began earlier, it is nearer to the
// ps, its transfers are shorter, or it computes faster.
std::string why_ahead(const Evidence& e, std::size_t w, Nanos until) {
  const auto& workers = e.contributions.workers;
  const WorkerStory &ahead = workers[w], &last = last_of_the_others(e, w);
  const std::vector<Pace> paces = paces_of(e);
  if (began_later(e, paces, last, ahead))
    return fmt::format("it began at {:.3f} s, the last of the others at {:.3f} s{}", in_seconds(ahead.first_step),
                       in_seconds(beginning(e, last)),
                       found_no_model(e, last.task) ? ", after it had found no model that was ready" : "");
  Nanos far = 0;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (i != w) far = std::max(far, workers[i].nearest_ps);
  if (ahead.nearest_ps >= 0 && is_much_farther(far, ahead.nearest_ps))
    return fmt::format(
        "its messages reach the parameter server in {:.3f} s, those of the farthest worker take {:.3f} s",
        in_seconds(ahead.nearest_ps), in_seconds(far));
  const Nanos own = paces[w].transfers, most = std::ranges::max(paces, {}, &Pace::transfers).transfers;
  if (own >= 0 && is_much_farther(most, own))
    return fmt::format("the transfers of a step of its take {:.3f} s, those of the slowest worker {:.3f} s",
                       in_seconds(own), in_seconds(most));
  const bool is_only_one = std::ranges::count_if(workers, [](const WorkerStory& s) { return s.steps > 0; }) == 1;
  if (is_only_one && ahead.steps > 0) return "no step of another worker ended";
  if (has_shortest_steps(paces, w)) return "its steps are shorter than the others'";
  return fmt::format("no gradient of another worker was accepted up to {:.3f} s", in_seconds(until));
}

// A client that had trained found no model that was ready, and looked again only after a while.
struct ModelWait {
  TaskId task;
  Nanos from = 0, to = 0;  // when its session was ready, its process ended, or the run did
};

bool has_trained(const Evidence& e, TaskId task, Nanos by) {
  const auto& workers = e.contributions.workers;
  const auto w = std::ranges::find(workers, task, &WorkerStory::task);
  return w != workers.end() && w->first_step >= 0 && w->first_step < by;
}

std::vector<ModelWait> waits_for_a_model(const Evidence& e) {
  const Nanos end = e.log.ended_at - e.log.started_at;
  std::map<TaskId, std::size_t> open;
  std::vector<ModelWait> out;
  for (const LoggedEvent& event : e.log.events()) {
    const Nanos at = event.at - e.log.started_at;
    const auto is_over = [&](TaskId task) {
      if (const auto it = open.find(task); it != open.end()) out[it->second].to = at, open.erase(it);
    };
    if (const auto* ended = std::get_if<ProcessEnded>(&event.event)) is_over(ended->task);
    const auto* s = std::get_if<SessionMoved>(&event.event);
    if (s == nullptr) continue;
    if (s->stage == SessionStage::ready) is_over(s->task);
    if (s->stage == SessionStage::waiting && has_trained(e, s->task, at) && open.emplace(s->task, out.size()).second)
      out.push_back({s->task, at, end});
  }
  return out;
}

// Those that most of these aggregates lack somebody for; else none.
std::vector<ModelWait> waits_that_explain(const Evidence& e, const std::vector<const Aggregate*>& uneven) {
  std::vector<ModelWait> waits = waits_for_a_model(e);
  const auto& workers = e.contributions.workers;
  const auto lacks = [&](const Aggregate* g, const ModelWait& wait) {
    const auto w = std::ranges::find(workers, wait.task, &WorkerStory::task) - workers.begin();
    return g->by_worker[static_cast<std::size_t>(w)] == 0 && wait.from <= g->at && g->at <= wait.to;
  };
  const auto explained = std::ranges::count_if(uneven, [&](const Aggregate* g) {
    return std::ranges::any_of(waits, [&](const ModelWait& wait) { return lacks(g, wait); });
  });
  if (2 * explained <= std::ssize(uneven)) return {};
  std::erase_if(waits, [&](const ModelWait& wait) {
    return std::ranges::none_of(uneven, [&](const Aggregate* g) { return lacks(g, wait); });
  });
  return waits;
}

// " worker 1 and worker 3 found no model that was ready, and waited from 5.011 s to 35.035 s: ...": those that began to
// wait within a second together.
std::string in_words(const Evidence& e, std::span<const ModelWait> waits) {
  std::vector<std::string> parts;
  while (!waits.empty()) {
    std::vector<TaskId> who;
    Nanos until = 0;
    const Nanos from = waits.front().from;
    for (; !waits.empty() && waits.front().from <= from + kSecond; waits = waits.subspan(1))
      who.push_back(waits.front().task), until = std::max(until, waits.front().to);
    std::ranges::sort(who);
    parts.push_back(fmt::format("{} found no model that was ready, and waited from {:.3f} s to {:.3f} s",
                                names_of(e, who), in_seconds(from), in_seconds(until)));
  }
  if (parts.empty()) return "";
  return fmt::format(" {}: a client that finds none looks again only after a while.", join(parts, "; and "));
}

// A worker whose steps did not end, since it was cut off or stood still; a lost one is none.
struct CutOff {
  std::size_t worker = 0;
  Standstill while_away;
};

// Those that most of these aggregates lack; else none.
std::vector<CutOff> cut_off_meanwhile(const Evidence& e, const std::vector<const Aggregate*>& uneven) {
  std::vector<CutOff> all;
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w)
    for (Standstill& s : read_standstills(e, w)) all.push_back({w, std::move(s)});
  const auto lacks = [](const Aggregate* g, const CutOff& c) {
    const Standstill& away = c.while_away;
    return g->by_worker[c.worker] == 0 && away.from <= g->at && (away.to < 0 || g->at <= away.to) &&
           std::ranges::any_of(away.waits.troubles, [&](const Trouble& t) { return !is_away(t) && t.from <= g->at; });
  };
  const auto explained = std::ranges::count_if(uneven, [&](const Aggregate* g) {
    return std::ranges::any_of(all, [&](const CutOff& c) { return lacks(g, c); });
  });
  if (std::ssize(uneven) >= 2 * explained) return {};
  std::erase_if(all, [&](const CutOff& c) {
    return std::ranges::none_of(uneven, [&](const Aggregate* g) { return lacks(g, c); });
  });
  return all;
}

// " No step of worker 3 ended from 0.404 s to 4.095 s: nothing passed between d and s from 0.990 s to 3.990 s."
std::string in_words(const Evidence& e, const CutOff& c) {
  const Standstill& s = c.while_away;
  const std::string to = s.to < 0 ? " on" : fmt::format(" to {:.3f} s", in_seconds(s.to));
  return fmt::format(" No step of {} ended from {:.3f} s{}: {}.", e.worker(c.worker), in_seconds(s.from), to,
                     causes_in_words(e, s.waits));
}

constexpr char kLookSooner[] = "let clients that find no model look again sooner (recovery_wait_secs)";

bool was_gone_for_long(const Loss& l) {
  constexpr Nanos kSoon = kSecond;
  return l.back < 0 || l.back - l.at > kSoon;
}

// Without initial tokens as many workers must train to the end as an aggregate needs gradients, and nobody gives out
// tokens again after a session was lost.
bool may_do_without_tokens(const Evidence& e) {
  std::set<TaskId> gone;
  for (const Trouble& t : e.troubles) {
    if (t.kind == Trouble::Kind::gone || t.kind == Trouble::Kind::breaking) return false;
    if (t.to < 0 && e.is_worker(t.task)) gone.insert(t.task);
  }
  return std::cmp_less_equal(e.first_accumulator().required, e.contributions.workers.size() - gone.size());
}

// Each cure that fits a difference between the workers; a general one when they do not differ, but for a job that ended
// early: what is to be done then is told. `last`: when the last of the uneven aggregates was complete.
std::string how_to_even_out(const Evidence& e, Nanos last, std::span<const Verdict> said, bool has_spare_tokens) {
  const auto [early, late] = std::ranges::minmax(e.contributions.workers, {}, &WorkerStory::first_step);
  const std::vector<Pace> paces = paces_of(e);
  const bool is_late = early.first_step >= 0 && began_later(e, paces, late, early);
  std::vector<std::string> ways;
  if (are_unequally_far(e, paces) && !(is_late && last <= late.first_step))
    ways.push_back("put the parameter servers at equal distance from all workers, or one beside each");
  if (is_late)
    ways.push_back(found_no_model(e, late.task)
                       ? "start the workers after the chief has made the model, or let them look again sooner "
                         "(recovery_wait_secs)"
                       : "start the workers together");
  if (std::ranges::any_of(e.losses.processes, [=](const Loss& l) { return l.at <= last && was_gone_for_long(l); }))
    ways.push_back("restart lost processes soon");
  if (!e.contributions.initial_tokens.empty() && !has_spare_tokens && may_do_without_tokens(e))
    ways.push_back("start without initial tokens (num_tokens=0), so that every worker waits for the first aggregate");
  if (ways.empty() && !says_any(said, {"ended_early"}))
    ways.push_back("make the workers' steps equally long, and keep every worker to the end");
  return join(ways, "; or ");
}

// "worker 2 and worker 3": those that are in none of the aggregates that lack somebody; else "some worker", and who is
// missing most often.
std::string who_lacks(const Evidence& e, std::span<const Aggregate> aggregates, std::int64_t partial) {
  const auto& workers = e.contributions.workers;
  std::vector<std::int64_t> missing(workers.size());
  for (const Aggregate& g : aggregates)
    for (std::size_t w = 0; w < missing.size(); ++w) missing[w] += lacks(e, g, w) ? 1 : 0;
  const std::int64_t most = std::ranges::max(missing);
  std::vector<TaskId> who;
  for (std::size_t w = 0; w < missing.size(); ++w)
    if (missing[w] == most) who.push_back(workers[w].task);
  if (std::cmp_equal(who.size(), missing.size())) return "some worker";
  const auto has_no_step = [&](TaskId t) { return std::ranges::find(workers, t, &WorkerStory::task)->steps == 0; };
  const bool brought_none = most == std::ssize(aggregates) && std::ranges::all_of(who, has_no_step);
  const char* why = !brought_none     ? ""
                    : who.size() == 1 ? ", whose first step did not end"
                                      : ", whose first steps did not end";
  if (most == partial && sum(missing) == most * std::ssize(who)) return names_of(e, who) + why;
  if (most < 2) return "some worker";
  return fmt::format("some worker, most often {} ({}{} times)", names_of(e, who), who.size() == 1 ? "" : "each ", most);
}

// " 3 later ones lack worker 1.", of aggregates after those that one worker filled from the start.
std::string later_ones(const Evidence& e, const AccumulatorStory& a, std::size_t lone, std::int64_t partial) {
  const std::int64_t later = partial - static_cast<std::int64_t>(lone);
  if (later <= 0) return "";
  const std::string ones = counted(later, "later one", "later ones");
  if (std::cmp_less(a.required, e.contributions.workers.size()))
    return fmt::format(" {} {} filled by one worker alone as well.", ones, later == 1 ? "was" : "were");
  return fmt::format(" {} {} {}.", ones, later == 1 ? "lacks" : "lack",
                     who_lacks(e, std::span(a.aggregates).subspan(lone), later));
}

// "2 of 30 aggregates of w:0", "The only aggregate of w:0".
std::string so_many_of(const AccumulatorStory& a, std::int64_t partial) {
  return a.aggregates.size() == 1 ? fmt::format("The only aggregate of {}", a.variable)
                                  : fmt::format("{} of {} aggregates of {}", partial, a.aggregates.size(), a.variable);
}

std::string who_filled(const Evidence& e, const AccumulatorStory& a, std::int64_t partial) {
  std::size_t w = 0;
  const std::size_t lone = lone_start(e, a, w);
  if (lone == 0 && std::cmp_less(a.required, e.contributions.workers.size()))
    return fmt::format("{} {} filled by one worker alone.", so_many_of(a, partial), partial == 1 ? "was" : "were");
  if (lone == 0)
    return fmt::format("{} {} {}.", so_many_of(a, partial), partial == 1 ? "lacks" : "lack",
                       who_lacks(e, a.aggregates, partial));
  return fmt::format("{} filled the first {} of {} by itself: {}.{}", e.worker(w),
                     lone == 1 ? "aggregate" : fmt::format("{} aggregates", lone), a.variable,
                     why_ahead(e, w, a.aggregates[lone - 1].at), later_ones(e, a, lone, partial));
}

// All initial tokens, with those that went with the process of their queue.
std::int64_t tokens_initialised(const EventLog& log) {
  std::set<StepId> initialisations;
  std::int64_t tokens = 0;
  for (const LoggedEvent& event : log.events()) {
    const auto* began = std::get_if<StepBegan>(&event.event);
    if (began != nullptr && began->purpose == Purpose::init_tokens) initialisations.insert(began->step);
    const auto* token = std::get_if<Enqueued>(&event.event);
    tokens += token != nullptr && initialisations.contains(token->step) ? 1 : 0;
  }
  return tokens;
}

// How many tokens each aggregate hands out, where that is more than the gradients that it needs, and one worker alone
// filled no more of the first ones than initial tokens are enough for: those of a worker that is behind are for the
// others then, with initial tokens or without. Else 0.
std::int64_t spare_tokens(const Evidence& e, const AccumulatorStory& a) {
  std::size_t w = 0;
  const Contributions& c = e.contributions;
  const std::int64_t aggregates = std::ssize(a.aggregates), initial = std::ssize(c.initial_tokens);
  const auto lone = static_cast<std::int64_t>(lone_start(e, a, w));
  if (aggregates == 0 || (lone > 0 && (lone - 1) * a.required < initial)) return 0;
  const std::int64_t handed_out = c.tokens_enqueued - std::max(initial, tokens_initialised(e.log));
  const std::int64_t of_each = (handed_out + aggregates - 1) / aggregates;  // the last may lack some
  return of_each > a.required ? of_each : 0;
}

// ": 3 initial tokens let a worker go on without the others": what makes it possible.
std::string why_uneven(const Evidence& e, const AccumulatorStory& a) {
  if (const std::int64_t of_each = spare_tokens(e, a); of_each > 0)
    return fmt::format(
        ": each aggregate hands out {} tokens and needs {}, so that others go on with the token of a worker that is "
        "behind",
        of_each, counted(a.required, "gradient", "gradients"));
  const std::size_t tokens = e.contributions.initial_tokens.size();
  return tokens == 0 ? "" : fmt::format(": {} initial tokens let a worker go on without the others", tokens);
}

}  // namespace

Told judge_uneven(const Evidence& e, std::span<const Verdict> said) {
  if (e.training != Training::synchronous || says_any(said, {"stuck", "absent"})) return {};
  const AccumulatorStory& a = e.first_accumulator();
  std::vector<const Aggregate*> uneven = uneven_aggregates(e, a);
  std::erase_if(uneven, [&](const Aggregate* g) { return is_explained(e, *g); });
  if (uneven.empty()) return {};
  // What backup workers leave over, another verdict tells.
  const std::string dropped =
      std::cmp_less(a.required, e.contributions.workers.size())
          ? ""
          : fmt::format(" {} dropped in silence as stale.", counted(sum(a.dropped), "gradient was", "gradients were"));
  const std::vector<ModelWait> waits = waits_that_explain(e, uneven);
  const std::vector<CutOff> cut_off = waits.empty() ? cut_off_meanwhile(e, uneven) : std::vector<CutOff>();
  std::string because = in_words(e, waits);
  for (const CutOff& c : cut_off) because += in_words(e, c);
  const std::string even = how_to_even_out(e, uneven.back()->at, said, spare_tokens(e, a) > 0);
  std::size_t first = 0;
  const std::string to_do = !waits.empty() ? kLookSooner
                            : cut_off.empty()
                                ? even
                                : cure_of(e, cut_off.front().while_away.waits.troubles) +
                                      (lone_start(e, a, first) > 0 && !even.empty() ? "; or " + even : "");
  return {fmt::format("{}{} Nothing ties a token or a place in an aggregate to a worker{}.{}{}",
                      who_filled(e, a, std::ssize(uneven)), because, why_uneven(e, a), dropped,
                      to_do.empty() ? "" : fmt::format(" To do: {}.", to_do))};
}

}  // namespace tarry
