// Bugs that the properties plant to see whether they are found (properties/programs). A real run has none of them.
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
  dead_exit_lost,         // a loop that was never entered sends no dead value to its outside
  dead_send_skipped,      // a Send with a dead input does not run
  frame_never_freed,      // a frame that has ended is kept
  invariant_forgotten,    // a loop invariant reaches only the iterations that have begun
  parallel_one_more,      // one iteration too many at a time
  key_without_iteration,  // Sends and Receives of every iteration have the same key
  recv_started_twice,
  cancel_lost,  // an executor that fails does not cancel the others
  // in the kernels, planted by the properties themselves
  switch_swapped,   // a live value leaves a Switch on the dead side
  ref_edge_copied,  // the receiver of a reference gets a copy of the variable
};

}  // namespace tarry
