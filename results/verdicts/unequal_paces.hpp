// What workers' steps and messages take, beside each other.
#pragma once

#include <vector>

#include "results/evidence.hpp"

namespace tarry {

// Of a worker's steps up to their pushes; -1 = none of its steps ended.
struct Pace {
  Nanos step = -1;       // the median
  Nanos transfers = -1;  // on average
};
// Of each worker, in the order of the contributions.
[[nodiscard]] std::vector<Pace> paces_of(const Evidence& e);

// More than twice as long, and by more than a millisecond.
[[nodiscard]] bool is_much_farther(Nanos far, Nanos near);
// Messages of some workers are under way for much longer than others'; or the transfers of a step are, and some are on
// hosts of parameter servers (perhaps, where the hosts are not known), and some not.
[[nodiscard]] bool are_unequally_far(const Evidence& e, const std::vector<Pace>& paces);

}  // namespace tarry
