#include "placer/partition/rules.hpp"

namespace tarry {

PartitionRules partition_rules_of(const Rules& rules) {
  if (rules.release == "2.15") return {};
  const bool is_oldest = rules.release == "0.9" || rules.release == "0.12";
  return {.control_suffix = "", .follows_first = !is_oldest, .names_ends = false};
}

}  // namespace tarry
