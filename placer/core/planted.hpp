// Bugs that the properties plant, to see whether they are found (properties/programs). In a real run there is none.
#pragma once

#include <cstdint>

namespace tarry {

enum class PlantedRuntimeBug : std::uint8_t {
  none,
  // in the cut
  control_loop_missing,     // a loop over several devices gets no control loops
  control_edge_lost,        // a control edge between parts is forgotten
  dedup_ignores_slot,       // all outputs of a node share one Recv
  incarnation_of_receiver,  // a Recv asks for the incarnation of its own device
  // in the executor
  dead_dropped_at_merge,  // a dead value does not count at a Merge
  dead_exit_lost,         // a loop that was never entered says nothing outside
  dead_send_skipped,      // a Send with a dead input does not run
  frame_never_freed,      // a frame that has ended stays
  invariant_forgotten,    // only iterations that have begun see a loop's invariant
  parallel_one_more,      // one iteration too many at a time
  key_without_iteration,  // Sends and Receives of every iteration have the same key
  recv_started_twice,
  cancel_lost,  // an executor that fails tells nobody
  // in the kernels, put there by the properties
  switch_swapped,   // what is alive leaves a Switch on the dead side
  ref_edge_copied,  // who is given a reference gets a copy of the variable
};

}  // namespace tarry
