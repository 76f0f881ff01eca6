#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "placer/core/text.hpp"
#include "results/verdict.hpp"

namespace tarry {
namespace {

constexpr std::size_t kMostNamed = 8;

// "260 steps (6.4)".
std::string steps_of(const Evidence& e, std::size_t w) {
  return fmt::format("{} ({:.1f})", counted(e.contributions.workers[w].steps, "step", "steps"),
                     mean_after_first(staleness_of_updates(e.contributions)[w]));
}
std::string told_of(const Evidence& e, std::size_t w) { return fmt::format("{} made {}", e.worker(w), steps_of(e, w)); }

// Of many workers those with the fewest and the most.
std::string steps_of_all(const Evidence& e) {
  const auto& workers = e.contributions.workers;
  const auto [fewest, most] = std::ranges::minmax_element(workers, {}, &WorkerStory::steps);
  if (workers.size() > kMostNamed && fewest->steps == most->steps)
    return fmt::format("each of the {} workers made {}", workers.size(), steps_of(e, 0));
  if (workers.size() > kMostNamed)
    return fmt::format("of {} workers, {}, fewest of all, and {}, most of all", workers.size(),
                       told_of(e, static_cast<std::size_t>(fewest - workers.begin())),
                       told_of(e, static_cast<std::size_t>(most - workers.begin())));
  std::vector<std::string> parts;
  for (std::size_t w = 0; w < workers.size(); ++w) parts.push_back(told_of(e, w));
  return join(parts, ", ");
}

// "acc on ps 0 (2 gradients an aggregate) and 3 more": of what the program itself takes aggregates. "" = of nothing.
std::string own_aggregates(const Evidence& e) {
  std::vector<OwnAccumulator> taken = e.contributions.own;
  std::erase_if(taken, [](const OwnAccumulator& a) { return a.required == 0; });
  if (taken.empty()) return "";
  return fmt::format("{} on {} ({} an aggregate){}", taken[0].name, e.tasks.show(taken[0].task),
                     counted(taken[0].required, "gradient", "gradients"),
                     taken.size() == 1 ? "" : fmt::format(" and {} more", taken.size() - 1));
}

// Whether the steps wait for each other.
std::string pace_in_words(const Evidence& e) {
  const std::string own = own_aggregates(e);
  if (own.empty()) return "Training is asynchronous: there is no barrier, and every worker goes at its own pace";
  return fmt::format(
      "No optimizer synchronises this training, but the program takes aggregates of its own: from {}. What a step "
      "waits for is the program's to say",
      own);
}

// " Nobody saved after worker 0 had left at 5.000 s; the others made 500 steps of 900 after that. To do: ...": it is
// the chief, which saved before.
std::string unsaved(const Evidence& e) {
  std::map<TaskId, Nanos> savers;
  for (const LoggedEvent& event : e.log.events())
    if (const auto* s = std::get_if<StepBegan>(&event.event); s != nullptr && s->purpose == Purpose::save)
      savers[s->task] = event.at - e.log.started_at;
  if (savers.size() != 1) return "";
  const auto left = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.to < 0 && t.task == savers.begin()->first;
  });
  if (left == e.troubles.end()) return "";
  std::int64_t all = 0, after = 0;
  for (const WorkerStory& w : e.contributions.workers) {
    all += w.steps;
    after += std::ranges::count_if(w.step_ended, [&](Nanos at) { return at > left->from; });
  }
  if (static_cast<double>(after) < kWorthTelling * static_cast<double>(all)) return "";
  return fmt::format(
      " Nobody saved checkpoints after {} had left at {:.3f} s: it is the chief. The others made {} of {} after "
      "that. To do: let {} train as long as the others.",
      e.tasks.show(left->task), in_seconds(left->from), after, counted(all, "step", "steps"), e.tasks.show(left->task));
}

}  // namespace

Told judge_asynchronous(const Evidence& e, std::span<const Verdict>) {
  const auto& workers = e.contributions.workers;
  if (e.training != Training::asynchronous) return {};
  if (std::ranges::all_of(workers, [](const WorkerStory& w) { return w.steps == 0; })) return {};  // nobody can know
  return {
      fmt::format("{}: {}; in brackets are the updates by others during a step, before its own, which is how stale its "
                  "gradients are.{}",
                  pace_in_words(e), steps_of_all(e), unsaved(e))};
}

}  // namespace tarry
