// What differs between releases of the partitioner, as data (design: releases are data). The values are those of 2.15.
#pragma once

#include <string>

#include "placer/place/rules.hpp"

namespace tarry {

struct PartitionRules {
  std::string control_suffix = "/ctrl";  // of the constants that stand for control edges; "" up to 1.15
  bool follows_first =
      true;  // an Enter or NextIteration with several consumers moves to the first one's device; in 0.12 it stays
  bool names_ends = true;  // `_src` and `_dst` on Send and Recv; not up to 1.15
};

// The partitioner's rules of the release that `rules` belongs to.
[[nodiscard]] PartitionRules partition_rules_of(const Rules& rules);

}  // namespace tarry
