#include "results/usual_pause.hpp"

#include <algorithm>
#include <utility>

namespace tarry {
namespace {

// Of so many pauses after another the longest each, the time to the first progress too.
std::vector<Nanos> longest_pauses(const std::vector<Nanos>& progress, std::size_t of) {
  std::vector<Nanos> pauses;
  Nanos last = 0;
  for (std::size_t i = 0; i < progress.size(); ++i) {
    const Nanos pause = progress[i] - std::exchange(last, progress[i]);
    if (i % of == 0)
      pauses.push_back(pause);
    else
      pauses.back() = std::max(pauses.back(), pause);
  }
  return pauses;
}

// The lower of two; 0 of none.
Nanos median_of(std::vector<Nanos> pauses) {
  if (pauses.empty()) return 0;
  const auto middle = pauses.begin() + (std::ssize(pauses) - 1) / 2;
  std::ranges::nth_element(pauses, middle);
  return *middle;
}

}  // namespace

Usual::Usual(std::vector<Nanos> progress, std::size_t a_round) {
  in_a_round = median_of(longest_pauses(progress, a_round));
  // Steps that several workers end together, since they meet or are in step, are one moment.
  progress.erase(std::unique(progress.begin(), progress.end()), progress.end());
  pause = median_of(longest_pauses(progress, 1));
}

}  // namespace tarry
