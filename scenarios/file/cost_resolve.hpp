// Cost rules, variations and interference of a scenario file, with names looked up.
#pragma once

#include "scenarios/file/lookup.hpp"
#include "scenarios/file/raw.hpp"

namespace tarry {

// They tell `in` of what is wrong, with its place. A rule's trace is read later (trace.hpp).
[[nodiscard]] CostRule resolve_cost(Reader& in, const Lookup& names, const ClusterSpec& cluster, const RawCost& raw);
[[nodiscard]] Variation resolve_variation(Reader& in, const Lookup& names, const ClusterSpec& cluster,
                                          const RawVariation& raw);
[[nodiscard]] Interference resolve_interference(Reader& in, const Lookup& names, const RawInterference& raw);
void check_factor_law(Reader& in, Position at, const FactorLaw& law);

}  // namespace tarry
