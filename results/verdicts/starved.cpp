#include "results/verdicts/starved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kFewGradients = 3;  // from so many on a share means something
constexpr double kNearlyAll = 0.9;

// Where most gradients of the others are dropped, too, since few are aggregated, it takes less than half of their
// share, and more than chance, to lack one's own.
bool is_common_lot(const AccumulatorStory& a, std::size_t w) {
  constexpr double kMany = 0.5, kChance = 0.001;  // that so few of its own, or fewer, are used
  const auto all = static_cast<double>(sum(a.pushed) - a.pushed[w]),
             used = all - static_cast<double>(sum(a.dropped) - a.dropped[w]),
             own = static_cast<double>(a.pushed[w] - a.dropped[w]);
  if (used == 0 || used >= kMany * all) return false;
  const auto pushed = static_cast<double>(a.pushed[w]);
  return own > used / all * pushed / 2 || boost::math::cdf(boost::math::binomial(pushed, used / all), own) > kChance;
}

bool is_starved(const AccumulatorStory& a, std::size_t w) {
  return a.pushed[w] >= kFewGradients &&
         static_cast<double>(a.dropped[w]) >= kNearlyAll * static_cast<double>(a.pushed[w]) && !is_common_lot(a, w);
}

Nanos mean_of(const StepTimes& t, Nanos paused = 0) {
  return t.own.empty() ? 0 : std::max<Nanos>(0, t.total - paused) / std::ssize(t.own);
}
// How long its process stood still.
Nanos time_paused(const Evidence& e, TaskId task) {
  Nanos paused = 0;
  for (const Trouble& t : e.troubles)
    if (t.kind == Trouble::Kind::paused && t.task == task && t.to >= 0) paused += t.to - std::max<Nanos>(0, t.from);
  return paused;
}
bool is_much_longer(Nanos its, Nanos usual) { return 4 * its > 5 * usual; }

// Of the other workers that made steps the one whose part of a step is the median; null = there is none.
const StepTimes* median_of_others(const Loads& loads, TaskId task) {
  std::vector<const StepTimes*> others;
  for (const auto& [other, times] : loads.workers)
    if (other != task && !times.own.empty()) others.push_back(&times);
  std::ranges::sort(others, {}, [](const StepTimes* t) { return t->median(); });
  return others.empty() ? nullptr : others[(others.size() - 1) / 2];
}

// Its part of a step takes at most a quarter longer than that of the median worker, as a rule and, but for pauses, on
// average.
bool is_as_fast(const Evidence& e, const Loads& loads, TaskId task) {
  const auto own = loads.workers.find(task);
  const StepTimes* usual = median_of_others(loads, task);
  return usual != nullptr && own != loads.workers.end() && !is_much_longer(own->second.median(), usual->median()) &&
         !is_much_longer(mean_of(own->second, time_paused(e, task)), mean_of(*usual));
}

// " A step of worker 2 takes 1.200 s up to its push and one of the median worker 0.300 s: most of the difference is
// transfers.": of one that is slower.
std::string why_late(const Evidence& e, const Loads& loads, TaskId task) {
  const auto own = loads.workers.find(task);
  const StepTimes* others = median_of_others(loads, task);
  if (own == loads.workers.end() || own->second.own.empty() || others == nullptr) return "";
  const StepTimes &its = own->second, &usual = *others;
  const auto more = [&](auto part) { return part(its) / std::ssize(its.own) - part(usual) / std::ssize(usual.own); };
  const Nanos transfers = more([](const StepTimes&t) { return t.transferring; }),
              latency = more([](const StepTimes&t) { return t.on_the_way - t.transferring; }),
              all = more([](const StepTimes&t) { return t.total; });
  const std::array<std::pair<Nanos, const char*>, 3> parts{
      {{transfers, "transfers"}, {latency, "latency"}, {all - transfers - latency, "computing"}}};
  const char* what = std::ranges::max_element(parts, {}, [](const auto& part) { return part.first; })->second;
  const bool always = is_much_longer(its.median(), usual.median());
  return fmt::format(
      " A step of {} takes {:.3f} s up to its push{} and one of the median worker {:.3f} s: most of the "
      "difference is {}.",
      e.tasks.show(task), in_seconds(always ? its.median() : mean_of(its)), always ? "" : " on average",
      in_seconds(always ? usual.median() : mean_of(usual)), what);
}

struct Starved {
  std::vector<TaskId> who;
  std::int64_t pushed = 0, dropped = 0;
};

// Without those that are lost for good more gradients would never be there.
std::string what_to_do(const Evidence& e, const Starved& s, bool are_as_fast) {
  std::vector<TaskId> lost;
  for (const Trouble& t : e.troubles)
    if (t.kind == Trouble::Kind::gone && t.back < 0 && std::ranges::count(s.who, t.task) > 0) lost.push_back(t.task);
  if (!lost.empty()) return fmt::format("restart {}, and aggregate more gradients", names_of(e, lost));
  const bool is_chief = std::ranges::count(s.who, e.contributions.sync_client) > 0;  // without it nobody trains
  return fmt::format("aggregate more gradients{}", are_as_fast || is_chief ? ""
                                                   : s.who.size() > 1      ? ", or take the workers out"
                                                                           : ", or take the worker out");
}

std::string starved_in_words(const Evidence& e, const Loads& loads, const Starved& s, bool are_as_fast) {
  const AccumulatorStory& a = e.first_accumulator();
  const bool are_several = s.who.size() > 1;
  const std::string why = are_as_fast ? fmt::format(" {} steps are no longer than those of the others: {}.",
                                                    are_several ? "Their" : "Its", kOfEqualWorkers)
                                      : why_late(e, loads, s.who.front());
  return fmt::format(
      "{} of {} gradients that {} pushed to {} were dropped: they came with a token older than the aggregate, "
      "too late for {}; TensorFlow reports nothing.{} To do: {}.",
      s.dropped, s.pushed, names_of(e, s.who), a.variable,
      a.required == 1 ? "it" : fmt::format("one of {} gradients", a.required), why, what_to_do(e, s, are_as_fast));
}

// Gradients that are made with initial tokens, which all are of the first step, while the global step moves on.
std::string of_many_tokens(const Evidence& e, const Proof& without) {
  const AccumulatorStory& a = e.first_accumulator();
  return fmt::format(
      "{} of {} gradients that the workers pushed to {} were dropped: there are {} initial tokens for {} workers, all "
      "of step 0, and a gradient that is made with one of them comes too late once the global step has moved on.{} To "
      "do: start without initial tokens (num_tokens=0), so that every worker waits for the first aggregate.",
      sum(a.dropped), sum(a.pushed), a.variable, e.contributions.initial_tokens.size(), e.contributions.workers.size(),
      in_words(without));
}

}  // namespace

// Those that are as fast as the others are told apart from those that are slow.
Told judge_starved(const Evidence& e, std::span<const Verdict>) {
  if (e.training != Training::synchronous) return {};
  const AccumulatorStory& a = e.first_accumulator();
  const Loads loads = read_loads(e.log);
  std::array<Starved, 2> slow_or_fast;
  for (std::size_t w = 0; w < e.contributions.workers.size(); ++w) {
    if (!is_starved(a, w)) continue;
    Starved& s = slow_or_fast[is_as_fast(e, loads, e.contributions.workers[w].task) ? 1 : 0];
    s.who.push_back(e.contributions.workers[w].task);
    s.pushed += a.pushed[w], s.dropped += a.dropped[w];
  }
  Told out;
  const std::vector<Proof> of_tokens = proved(e, Proof::Cause::tokens);
  if (!of_tokens.empty()) out.push_back(of_many_tokens(e, of_tokens.front()));
  for (const bool is_fast : {false, true})
    if (const Starved& s = slow_or_fast[is_fast ? 1 : 0]; !s.who.empty() && (of_tokens.empty() || !is_fast))
      out.push_back(starved_in_words(e, loads, s, is_fast));
  return out;
}

}  // namespace tarry
