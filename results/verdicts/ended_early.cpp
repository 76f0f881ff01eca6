#include <fmt/format.h>

#include <algorithm>

#include "placer/core/text.hpp"
#include "results/client_error.hpp"
#include "results/verdict.hpp"
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

// Who closed the queue has left, too, with what it heard of it.
Told of_stale_synchronous(const Evidence& e) {
  const auto left = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return t.kind == Trouble::Kind::left && t.task == e.cut_short.front().task && t.to < 0;
  });
  if (left == e.troubles.end()) return {};
  const std::string behind = behind_it(e, decisive_faults(e));
  return {fmt::format(
      "Training ended early, at {:.3f} s, without an error: {}. A queue of tokens was closed to them ({}), which a "
      "client takes for the end of its data.{}",
      in_seconds(training_ended(e)), told_of_all(e), gist_of(left->text), behind)};
}

}  // namespace

Told judge_ended_early(const Evidence& e, std::span<const Verdict>) {
  using Kind = Trouble::Kind;
  if (e.cut_short.empty()) return {};
  if (e.training == Training::stale_synchronous) return of_stale_synchronous(e);
  const auto left = std::ranges::find_if(e.troubles, [&](const Trouble& t) {
    return (t.kind == Kind::left || t.kind == Kind::failed) && t.task == e.closer && t.to < 0;
  });
  if (left == e.troubles.end() || (left->kind == Kind::failed && e.is_stuck())) return {};
  return {fmt::format(
      "{}; it is {}. With it their queue was closed, which ends the training of all others without an error: {}.{} To "
      "do: {}.",
      in_words(*left, e.tasks),
      has_another_chief(e, left->task, left->from) ? "a chief, which hands out tokens"
                                                   : "the chief, which hands out the tokens",
      told_of_all(e), proof_of(e, {left, left + 1}), cure_of(e, *left))};
}

}  // namespace tarry
