// Faults as text: the list of kinds, parsing a single fault, and printing a fault as a scenario would have it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scenarios/file/spec.hpp"

namespace tarry {

struct FaultKindText {
  std::string key, meaning;
  std::string fields;   // the value of the key, with units
  std::string example;  // a whole fault; it uses the tasks worker/0 and ps/0, and the hosts host0 and server
};
// In the order of the list in scenarios/job/fault.hpp.
[[nodiscard]] std::span<const FaultKindText> fault_kinds();

// Reads "{at: 2s, kill: worker/2}", as in the list `faults` of a scenario with this cluster and these programs. Fails:
// INVALID_ARGUMENT with the position in the text, as parse_scenario (load.hpp) gives it for a file called "fault".
[[nodiscard]] StatusOr<Fault> parse_fault(std::string_view text, const Scenario& scenario);

// The fault on one line. parse_fault(fault_text(f, s.cluster), s) == f for every fault of s.
[[nodiscard]] std::string fault_text(const Fault& fault, const ClusterSpec& cluster);

}  // namespace tarry
