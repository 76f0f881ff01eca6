#include <fmt/format.h>

#include <algorithm>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

namespace {

// That some servers save more slowly than the others.
bool is_of_slow_savers(const Proof& p) { return !p.a.empty(); }

// What slow servers cost is nearly all that checkpoints do.
bool is_nearly_all(const Proof& slow, const Proof& all) {
  constexpr double kNearlyIt = 0.9;
  return slow.gain >= kNearlyIt * all.gain;
}

std::string told_of(const Proof* slow, const Proof* all, bool is_progress_lost) {
  const std::string what = slow == nullptr ? "" : ": " + slow->what;
  const std::string without_slow = slow == nullptr ? "" : in_words(*slow);
  const std::string without_all = all == nullptr ? "" : in_words(*all);
  const std::string to_do = slow == nullptr ? "save less often, or to a faster disk"
                                            : fmt::format("give {} a faster disk, or save less often", slow->a);
  return fmt::format("It costs time that the chief saves checkpoints between its steps{}.{}{} To do: {}{}.", what,
                     without_slow, without_all, to_do,
                     is_progress_lost ? " (with fewer checkpoints a chief that starts anew may lose more)" : "");
}

}  // namespace

Told judge_checkpoint_bound(const Evidence& e, std::span<const Verdict> said) {
  std::vector<Proof> all = proved(e, Proof::Cause::checkpoints);
  std::erase_if(all, &Proof::does_more);  // it has failed by one, and saved none without
  if (all.empty()) return {};
  const auto slow = std::ranges::find_if(all, is_of_slow_savers),
             rest = std::ranges::find_if_not(all, is_of_slow_savers);
  const Proof* of_slow = slow == all.end() ? nullptr : &*slow;
  const Proof* of_all = rest == all.end() ? nullptr : &*rest;
  if (of_slow != nullptr && of_all != nullptr && is_nearly_all(*of_slow, *of_all)) of_all = nullptr;
  return {told_of(of_slow, of_all, says_any(said, {"progress_lost"}))};
}

}  // namespace tarry
