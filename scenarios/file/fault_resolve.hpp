// From names to ids: a fault's file, once read, becomes a Fault.
#pragma once

#include "scenarios/file/fault_raw.hpp"
#include "scenarios/file/lookup.hpp"

namespace tarry {

// Meaningless when the reader holds an error afterwards.
[[nodiscard]] Fault resolve_fault(Reader& in, const Lookup& names, const RawFault& raw);

}  // namespace tarry
