// An independent placer, written directly from the rules (docs/rules/placer.md#A to #C), with which ours is compared on
// random graphs.
//
// It shares nothing with placer/place and placer/device but the imported graph: names are parsed here, groups are
// explicit lists of members, and every look-up is a scan. Slow and plain on purpose. It answers with devices, or with
// the code of an error, without texts.
//
// Not modelled: called functions (docs/rules/placer.md#C.3.3), datasets (variant edges), composite devices. REQUIRES: a
// graph without them.
#pragma once

#include <map>

#include "placer/graph/graph.hpp"
#include "properties/placement/case.hpp"

namespace tarry {

enum class Release { r0_9, r0_12, r1_12, r1_15, r2_15 };

struct ReferenceTables {
  Release release = Release::r2_15;
  const KernelRegistry* kernels = nullptr;
  std::map<std::string, int, std::less<>> type_priority;  // from 1.0; absent = -1
};

// `g` is the case's graph, imported in the order of the release.
[[nodiscard]] PlacementAnswer reference_place(const PlacementCase& c, const Graph& g, const ReferenceTables& tables);

}  // namespace tarry
