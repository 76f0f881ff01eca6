// The placer's errors, in the words of the release (docs/rules/placer.md#D.1). The numbers are those of that table.
#pragma once

#include "placer/place/placement.hpp"

namespace tarry {

// Tells the journal the error's number and the node that it is about.
void note_kind(const Placement& p, NodeId n, const char* kind);

// `s` with the node that it is about appended (docs/rules/placer.md#D.2).
[[nodiscard]] Status attached(const Placement& p, const Status& s, NodeId n);

[[nodiscard]] Status unknown_assigned(const Placement& p, const std::string& name);  // docs/rules/placer.md#D3
[[nodiscard]] Status no_kernel(const Placement& p, NodeId n);                        // docs/rules/placer.md#D5
[[nodiscard]] Status malformed_request(const Placement& p, NodeId n);                // docs/rules/placer.md#D6
// docs/rules/placer.md#D7 or #D8. `x_root`, `y_root`: the groups' roots before they were to be joined.
[[nodiscard]] Status cannot_colocate(Placement& p, NodeId x, NodeId y, NodeId x_root, NodeId y_root,
                                     const Refusal& why);
[[nodiscard]] Status in_connection(const Placement& p, NodeId dst, const Status& why);  // docs/rules/placer.md#D9
// docs/rules/placer.md#D12 or #D13; `which` is "assigned" or "resource".
[[nodiscard]] Status incompatible_edge(const Placement& p, NodeId src, NodeId dst, const char* which,
                                       DeviceRequestId of_src, DeviceRequestId of_dst);
[[nodiscard]] Status cannot_assign(
    Placement& p,
    NodeId n);  // docs/rules/placer.md#D10 around docs/rules/placer.md#D16 or #D17: no device is left for `n`

// The group of a root as errors describe it: its types and devices, its members and their requests
// (docs/rules/placer.md#D.2).
[[nodiscard]] std::string group_text(Placement& p, NodeId root);

[[nodiscard]] std::vector<std::string> names_of(const DeviceSet& devices);  // in insertion order

}  // namespace tarry
