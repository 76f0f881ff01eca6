// A recorded graph on another number of parameter servers, or placed by another strategy (docs/rules/runtime.md#G.4).
//
// Variables get their servers as replica_device_setter gives them; ops on a server follow the variable that they are
// colocated with or that they take; groups and the saver, whose form depends on where variables are, are made again. In
// a graph recorded with one server, a group's control dependencies (batch normalisation's moving averages) cannot be
// told from its ops: they are then grouped by device as well.
#pragma once

#include "workers/train/build/variables.hpp"
#include "workers/train/program.hpp"

namespace tarry {

// Changes `program`'s graph. REQUIRES: an asynchronous program (strip_sync.hpp makes one). `ps` > 0.
// An op on a server that belongs to no variable stays where it is. Fails: INVALID_ARGUMENT where that server is gone,
// and with the errors of choose_ps and take_shards.
[[nodiscard]] Status set_ps(ClientProgram& program, int ps, PsStrategy strategy);

// The device that ops of the worker get by default: among the devices that ops on its task request, the one with the
// fewest fields; among equals, the most frequent.
[[nodiscard]] std::string worker_device(const GraphEditor& graph, const std::string& task);

}  // namespace tarry
