#include "sim/tie_order.hpp"

#include <algorithm>
#include <limits>

#include "placer/core/random.hpp"

namespace tarry {

TieOrder::TieOrder(const DrawnOrder& order) : seed_(order.seed) {
  Random random = Random(seed_).fork("order");
  for (std::uint64_t i = 0; i < order.changes && order.within > 0; ++i)
    change_at_.push_back(1 + random.below(order.within));
}

void TieOrder::chosen(Strand strand) {
  ++choices_;
  if (strand == Strand()) return;
  for (std::uint64_t i = 0; i < change_at_.size(); ++i) {
    if (change_at_[i] != choices_) continue;
    std::erase_if(lowered_, [strand](const Lowered& l) { return l.strand == strand; });
    lowered_.push_back({strand, i});
  }
}

// Those that were lowered are below all others.
std::uint64_t TieOrder::priority(Strand strand) const {
  if (strand == Strand()) return std::numeric_limits<std::uint64_t>::max();
  const auto it = std::ranges::find(lowered_, strand, &Lowered::strand);
  if (it != lowered_.end()) return it->priority;
  return Random(seed_ ^ strand.bits).fork("strand").below(std::uint64_t{1} << 60) + change_at_.size();
}

}  // namespace tarry
