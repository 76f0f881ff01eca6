// A sweep's runs, computed by the ranks of an MPI job: rank 0 hands them out, each other rank computes one at a time.
//
// A rank that dies, or stands still, costs no row: its run is handed to another one (scenarios/sweep/hand_out.hpp).
// What was handed out twice is ended at the others as soon as one has answered all. Rank 0 is needed to the end.
#pragma once

#include "scenarios/sweep/task.hpp"

namespace tarry {

// At rank 0. REQUIRES: an MpiJob with ranks besides this one, which all serve().
[[nodiscard]] Batch over_ranks();

// At every other rank: answers rank 0's requests, each in a child process, until it says stop.
// Gives what rank 0's stop_ranks() gives.
[[nodiscard]] bool serve(const std::string& graphs_folder);

// At rank 0, when there is nothing more to do: the others' serve() returns. False: a rank did not answer within ten
// seconds, and is dead.
[[nodiscard]] bool stop_ranks();

}  // namespace tarry
