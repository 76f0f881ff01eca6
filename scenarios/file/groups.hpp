// Hosts and tasks that a scenario writes as a group: `{name: "h{index}", count: 64}` is 64 hosts, h0 to h63, and
// `worker: {count: 64, host: "h{index}"}` the 64 tasks worker/0 to worker/63, the n-th on h{n}. With `per_rack: 16` the
// first 16 hosts of the group are in rack0, the next in rack1, ...; with `rack: "row{index}"` in row0, row1, ....
#pragma once

#include "scenarios/file/raw.hpp"

namespace tarry {

// Puts the members of each group in its place, in the order of their numbers, from 0. What is no group stays as it is.
// Fails, at the group, where it says how many there are but not how they are told apart, or the other way round.
void expand_groups(Reader& in, RawCluster& cluster);

}  // namespace tarry
