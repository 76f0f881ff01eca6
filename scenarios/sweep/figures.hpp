// What the page of a sweep shows (results/page/sweep_page.hpp).
#pragma once

#include "scenarios/sweep/summary.hpp"

namespace tarry {

// More points than this, of all arms and measures together, are left out of a page.
inline constexpr std::size_t kMostPointsOfASweep = 50'000;

// {title, axes, confidence, runs, has_points, measures [{name, unit, what, better, best, counts_alike}], arms [{values,
// verdicts, measures [{mean {mean, half, n}, mean_text, points, change {mean, half, n}, difference {mean, half, n},
// change_text, says}]}], path_changes}. `best` are the places of the arms that best_arms() names; `counts_alike` is
// false where the arms count other things. `change` is a share of the first arm's mean, `difference` in the measure's
// unit, `change_text` the change, or the difference where there is none. `says` is how the arm compares with the first
// one: "better", "worse", or "" where which_is_better() does not say so. `path_changes` is empty: whoever compares two
// scenarios fills it.
[[nodiscard]] nlohmann::ordered_json figures_of_sweep(const SweepPlan& plan, const std::vector<RunRow>& rows);

}  // namespace tarry
