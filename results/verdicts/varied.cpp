#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/pace.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
namespace {

// Of one worker, or of several: that they are slower than the others says as much.
bool is_told_by_straggler(const Evidence& e, const Proof& p) {
  if (p.together)
    return std::ranges::any_of(proved(e, Proof::Cause::workers),
                               [&](const Proof& w) { return p.gain < w.gain + kWorthTelling; });
  return p.task.valid() &&
         std::ranges::any_of(proved(e, Proof::Cause::slow_worker), [&](const Proof& w) { return w.task == p.task; });
}

// That some cards have less than the others says as much where they do since they vary, or where no others vary.
bool is_told_by_card(const Evidence& e, const Proof& p) {
  const auto alone = [&](const Proof& c) {
    const auto varies = [&](const std::string& host) { return has_word(p.what, host); };
    const auto is_slow = [&](const std::string& host) { return has_word(c.a, host); };
    return std::ranges::any_of(e.tasks.hosts, varies) &&
           std::ranges::all_of(e.tasks.hosts, [&](const std::string& h) { return !varies(h) || is_slow(h); });
  };
  return std::ranges::any_of(proved(e, Proof::Cause::slow_card), [&](const Proof& c) {
    return (c.instead.find(kDoesNotVary) != c.instead.npos || alone(c)) && p.gain < c.gain + kWorthTelling;
  });
}

}  // namespace

// Where workers draw apart, the slowest of a step sets the pace, and one fewer gradient helps.
Told judge_varied(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::variations))
    if (!is_told_by_straggler(e, p))
      out.push_back(
          fmt::format("It costs time that steps vary: {}.{} To do: look at what makes these steps longer (other "
                      "work on the machines, heat, their input){}.",
                      p.what, in_words(p), aggregates_of_all(e) && p.b == "apart" ? kBackup : ""));
  for (const Proof& p : proved(e, Proof::Cause::card_variations))
    if (!is_told_by_card(e, p))
      out.push_back(fmt::format("It costs time that {}.{} To do: look at what else uses these cards and their links.",
                                p.what, in_words(p)));
  return out;
}

}  // namespace tarry
