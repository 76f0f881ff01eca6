// What differs between two jobs, done to a third one.
#pragma once

#include "scenarios/job/job.hpp"

namespace tarry {

// Where `to` differs from `from` in a fault, a cost rule, a card, a path, a task's threads or devices, the files of its
// readers, a client's program or one of its options, `target` becomes as `to`; all else of it stays. So the job without
// one cause becomes that without two, and a cause that was taken away can be given back. REQUIRES: the same hosts,
// tasks and clients.
void make_difference(Job& target, const Job& from, const Job& to);

// The path between two hosts, in place of the one that they have.
void set_link(NetworkSpec& network, HostId a, HostId b, const PathSpec& path);

}  // namespace tarry
