// Faults as text: the list of kinds, parsing a single fault, and printing a fault as a scenario would have it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scenarios/file/spec.hpp"

namespace tarry {

struct FaultKindText {
  std::string key, meaning;
  std::string fields;                    // the value of the key, with units
  std::vector<std::string> field_lines;  // the same, a field each
  std::string example;  // a whole fault; it uses the tasks worker/0 and ps/0, and the hosts host0 and server
};
// In the order of the list in scenarios/job/fault.hpp.
[[nodiscard]] std::span<const FaultKindText> fault_kinds();

// Reads "{at: 2s, kill: worker/2}", as in the list `faults` of a scenario with this cluster and these programs. Fails:
// INVALID_ARGUMENT with the position in the text, as parse_scenario (load.hpp) gives it for a file called "fault".
[[nodiscard]] StatusOr<Fault> parse_fault(std::string_view text, const Scenario& scenario);

// The fault on one line. parse_fault(fault_text(f, s.cluster), s) == f for every fault of s.
[[nodiscard]] std::string fault_text(const Fault& fault, const ClusterSpec& cluster);

// Faults on a command line, as a scenario's file has them in less space: "kill worker/2 after token_taken#3 +1ms; part
// host0,server lasts=5s at 2s". A fault is its key; the value of its first field, those of a pair or a list joined by
// commas; the other fields as key=value; and when: `at TIME`, `at +TIME` (that long after the moment of the fault
// before it), or `after MOMENT` with #N for the N-th time, :TASK where it is not the fault's own, +TIME for that long
// after. A fault may also stand as parse_fault takes it, in braces. Fails: INVALID_ARGUMENT with the number and the
// text of the fault.
[[nodiscard]] StatusOr<std::vector<Fault>> parse_faults(std::string_view line, const Scenario& scenario);

// parse_faults(faults_line(s.faults, s.cluster), s) == s.faults.
[[nodiscard]] std::string faults_line(std::span<const Fault> faults, const ClusterSpec& cluster);

}  // namespace tarry
