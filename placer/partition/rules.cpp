#include "placer/partition/rules.hpp"

namespace tarry {

PartitionRules partition_rules_of(const Rules& rules) {
  if (rules.release == "2.15") return {};
  return {.control_suffix = "", .names_ends = false};
}

}  // namespace tarry
