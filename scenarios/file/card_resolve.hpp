// Network cards of a scenario file, with names looked up: those of hosts and of tasks, and how they vary.
#pragma once

#include "scenarios/file/lookup.hpp"
#include "scenarios/file/raw.hpp"

namespace tarry {

// All of them tell `in` of what is wrong, with its place.

// The bandwidths of the host's cards, one at the least: its own, or else those of the network.
[[nodiscard]] std::vector<std::uint64_t> cards_of(Reader& in, const RawHost& host, const RawCluster& cluster);
// The card that the task is to use, if it says one. REQUIRES: the host is one of the cluster, or none.
[[nodiscard]] std::optional<std::uint32_t> card_of_task(Reader& in, const RawTask& raw, const ClusterSpec& cluster,
                                                        HostId host);
[[nodiscard]] CardVariation resolve_card_variation(Reader& in, const Lookup& names, const ClusterSpec& cluster,
                                                   const RawCardVariation& raw);

}  // namespace tarry
