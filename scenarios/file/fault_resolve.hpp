// From names to ids: makes a Fault from the fault as read.
#pragma once

#include "scenarios/file/fault_raw.hpp"
#include "scenarios/file/lookup.hpp"

namespace tarry {

// The result is meaningless when the reader holds an error afterwards.
[[nodiscard]] Fault resolve_fault(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawFault& raw);

}  // namespace tarry
