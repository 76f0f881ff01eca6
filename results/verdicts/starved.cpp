#include "results/verdicts/starved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "results/verdict.hpp"
#include "results/verdicts/standing.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kFewGradients = 3;  // from so many on a share means something
constexpr double kNearlyAll = 0.9;

bool is_starved(const AccumulatorStory& a, std::size_t w) {
  return a.pushed[w] >= kFewGradients &&
         static_cast<double>(a.dropped[w]) >= kNearlyAll * static_cast<double>(a.pushed[w]);
}

// Its part of a step takes at most a quarter longer than that of the median worker.
bool is_as_fast(const Loads& loads, const Evidence& e, std::size_t w) {
  constexpr Nanos kMuchLonger = 5, kOfThat = 4;
  std::vector<Nanos> of_others;
  for (const auto& [task, times] : loads.workers)
    if (task != e.contributions.workers[w].task) of_others.push_back(times.median());
  const auto own = loads.workers.find(e.contributions.workers[w].task);
  if (of_others.empty() || own == loads.workers.end()) return false;
  std::ranges::sort(of_others);
  return kOfThat * own->second.median() <= kMuchLonger * of_others[(of_others.size() - 1) / 2];
}

// " A step of worker 2 takes 1.200 s up to its push and one of the median worker 0.300 s: most of the difference is
// transfers.": of one that is slower.
std::string why_late(const Evidence& e, const Loads& loads, TaskId task) {
  const auto own = loads.workers.find(task);
  if (own == loads.workers.end() || own->second.own.empty()) return "";
  std::vector<const StepTimes*> others;
  for (const auto& [other, times] : loads.workers)
    if (other != task && !times.own.empty()) others.push_back(&times);
  if (others.empty()) return "";
  std::ranges::sort(others, {}, [](const StepTimes* t) { return t->median(); });
  const StepTimes &its = own->second, &usual = *others[(others.size() - 1) / 2];
  const auto more = [&](auto part) { return part(its) / std::ssize(its.own) - part(usual) / std::ssize(usual.own); };
  const Nanos transfers = more([](const StepTimes&t) { return t.transferring; }),
              latency = more([](const StepTimes&t) { return t.on_the_way - t.transferring; }),
              all = more([](const StepTimes&t) { return t.total; });
  const std::array<std::pair<Nanos, const char*>, 3> parts{
      {{transfers, "transfers"}, {latency, "latency"}, {all - transfers - latency, "computing"}}};
  const char* what = std::ranges::max_element(parts, {}, [](const auto& part) { return part.first; })->second;
  return fmt::format(
      " A step of {} takes {:.3f} s up to its push and one of the median worker {:.3f} s: most of the "
      "difference is {}.",
      e.tasks.show(task), in_seconds(its.median()), in_seconds(usual.median()), what);
}

struct Starved {
  std::vector<TaskId> who;
  std::int64_t pushed = 0, dropped = 0;
};

std::string starved_in_words(const Evidence& e, const Loads& loads, const Starved& s, bool are_as_fast) {
  const AccumulatorStory& a = e.first_accumulator();
  const bool are_several = s.who.size() > 1;
  const std::string why = are_as_fast ? fmt::format(" {} steps are no longer than those of the others: {}.",
                                                    are_several ? "Their" : "Its", kOfEqualWorkers)
                                      : why_late(e, loads, s.who.front());
  const bool is_chief = std::ranges::count(s.who, e.contributions.sync_client) > 0;  // without it nobody trains
  return fmt::format(
      "{} of {} gradients that {} pushed to {} were dropped: they came with a token older than the aggregate, "
      "too late for {}; TensorFlow reports nothing.{} To do: aggregate more gradients{}.",
      s.dropped, s.pushed, names_of(e, s.who), a.variable,
      a.required == 1 ? "it" : fmt::format("one of {} gradients", a.required), why,
      are_as_fast || is_chief ? ""
      : are_several           ? ", or take the workers out"
                              : ", or take the worker out");
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
    Starved& s = slow_or_fast[is_as_fast(loads, e, w) ? 1 : 0];
    s.who.push_back(e.contributions.workers[w].task);
    s.pushed += a.pushed[w], s.dropped += a.dropped[w];
  }
  Told out;
  for (const bool is_fast : {false, true})
    if (const Starved& s = slow_or_fast[is_fast ? 1 : 0]; !s.who.empty())
      out.push_back(starved_in_words(e, loads, s, is_fast));
  return out;
}

}  // namespace tarry
