// Bugs that the properties plant in a simulated cluster to see whether its laws are broken
// (properties/cluster/planted). A real run has none of them.
#pragma once

#include <cstdint>

namespace tarry {

enum class PlantedClusterBug : std::uint8_t {
  none,
  // accumulators and queues
  stale_accepted,        // a gradient that is one step behind counts
  barrier_one_short,     // a take is content with one gradient less, while another take's step has failed before
  take_twice,            // a take is served twice, where another take's step has failed before
  token_lost,            // an element that nobody waits for is lost where another one is already inside
  token_doubled,         // an element that several wait for is given to two of them
  credit_kept_on_abort,  // a cancelled dequeue takes an element with it
  close_does_not_wake,   // those who wait at a queue are not told that it was closed
  // workers
  dead_step_counted,       // an aborted step still takes what arrives for it
  incarnation_unchecked,   // a tensor of an earlier process is looked for at the present one
  request_id_forgotten,    // a request that is sent again is served again
  abort_skips_waiter,      // cancelling a step forgets the last that waits in it
  clean_up_leaves_tensor,  // CleanupGraph keeps a rendezvous that holds a tensor, or was aborted
  sessions_kept,           // a worker keeps the sessions that a master has deleted
  // masters and clients
  failed_step_not_cleaned,  // CleanupGraph is not sent for a step that failed
  retry_after_executed,     // a RunGraph whose connection broke is sent again, as another request
  filter_ignored,           // a session takes part with tasks that its device filters exclude
  session_not_anew,         // after a lost connection the client goes on with its old session
  restart_forgets_step,     // a chief that comes back initialises the model although there is a checkpoint
  restore_skips_variable,   // the last tensor of a checkpoint is not given back
  checkpoint_listed_early,  // a checkpoint counts as complete before it is saved
  timer_of_dead_process,    // timers go off although their process is gone
  unsteady,                 // what the last run left changes the random numbers of the next
  rare,                     // token_lost, for one seed in a hundred: what a hunt finds at that rate
};

}  // namespace tarry
