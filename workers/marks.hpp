// Marks: named places of the runtime to which only a fault or a race leads, and which of them a run came by.
//
// A search is worth as much as the places that it reaches. A mark that is reached *sometimes* stands at a branch that
// handles a fault or a race: a search that draws faults has to come there now and then, and where it never does, it
// draws too little (properties/cluster/marked.hpp). A mark that is reached *never* stands where no run may come,
// whatever the user wrote and whatever happens: a run that does breaks the law `never_reached` (results/laws).
//
// A row here is all that a mark consists of; `mark(auditor, Mark::name)` (workers/auditor.hpp) notes that a run came
// by. Nobody notes it unless the run is audited. Marks are no events: the log and its hash do not know them.
#pragma once

#include <bitset>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tarry {

// clang-format off
#define TARRY_MARKS(SOMETIMES, NEVER)                                                                                  \
  /* calls between tasks */                                                                                            \
  SOMETIMES(call_refused, "A call finds no process at its task, and fails.")                                           \
  SOMETIMES(call_waits_for_process, "A call finds no process at its task, and waits for one.")                         \
  SOMETIMES(call_to_dead_process, "A call arrives when the process that it was sent to has ended.")                    \
  SOMETIMES(call_cancelled_on_its_way, "A call arrives when its caller has given it up.")                              \
  SOMETIMES(call_broken, "A connection breaks, and a call on it ends with UNAVAILABLE.")                               \
  SOMETIMES(call_sent_again, "A connection breaks, and an open call is sent again.")                                   \
  SOMETIMES(caller_died, "A server hears that the process that called it has ended.")                                  \
  SOMETIMES(cancel_after_answer, "A server hears that a call is given up when it has answered it.")                    \
  SOMETIMES(answer_unheard, "A server answers a call that nobody waits for any more.")                                 \
  SOMETIMES(answer_too_late, "An answer arrives when its caller has given the call up.")                               \
  SOMETIMES(request_seen_twice, "A worker refuses a request whose id it has seen before.")                             \
  NEVER(answered_twice, "A server answers a call a second time.")                                                      \
  /* sessions */                                                                                                       \
  SOMETIMES(devices_not_found, "A session is not made: a task does not say which devices it has.")                     \
  SOMETIMES(session_waits_for_task, "A master waits for ten seconds for a task to say which devices it has.")          \
  SOMETIMES(session_half_made, "A session is not made at all of its tasks, and is deleted again.")                     \
  SOMETIMES(older_sessions_dropped, "A worker drops the sessions of an earlier process of a master.")                  \
  SOMETIMES(graph_for_unknown_session, "A graph is registered in a session that the worker does not know.")            \
  SOMETIMES(run_in_unknown_session, "A step is to run in a session that the worker does not know.")                    \
  SOMETIMES(registration_failed, "A task does not take a graph, so that the step that needs it fails.")                \
  SOMETIMES(session_closed_in_a_step, "A session is closed while a step of it is not over.")                           \
  SOMETIMES(deletion_given_up, "A worker does not delete a session in the ten seconds that it has.")                   \
  NEVER(run_of_unknown_graph, "A step runs a graph that its session never registered.")                                \
  /* steps at their master */                                                                                          \
  SOMETIMES(run_broken, "The connection of a step breaks while a task runs its part.")                                 \
  SOMETIMES(step_cancelled_by_error, "The error of one task cancels a step at the others.")                            \
  SOMETIMES(step_cancelled_by_close, "Closing a session cancels a step.")                                              \
  SOMETIMES(consequence_before_cause, "An error that follows from another is heard before that one.")                  \
  SOMETIMES(second_cause, "A step that fails for one reason fails for another, too.")                                  \
  SOMETIMES(step_blocked, "A step that has failed waits for a task that does not answer.")                             \
  SOMETIMES(clean_up_failed, "A task cannot be told that a step is over.")                                             \
  /* steps at their workers */                                                                                         \
  SOMETIMES(run_cancelled, "A step is cancelled while a worker runs its part.")                                        \
  SOMETIMES(element_lost_with_step, "A step fails after it took an element from a queue.")                             \
  SOMETIMES(clean_up_of_unknown_step, "A step is cleaned up of which the worker holds nothing.")                       \
  SOMETIMES(clean_up_of_running_step, "A step is cleaned up while the worker still runs its part.")                    \
  SOMETIMES(clean_up_ends_wait, "A step is cleaned up while a receive waits in it.")                                   \
  SOMETIMES(abort_repeated, "A step is aborted that was aborted before.")                                              \
  SOMETIMES(abort_ends_wait_here, "A step is aborted while a receive waits for a tensor that is made here.")           \
  SOMETIMES(abort_ends_wait_for_peer, "A step is aborted while a receive waits for another task.")                     \
  SOMETIMES(abort_drops_tensor, "A step is aborted while a tensor waits for its receive.")                             \
  SOMETIMES(gpu_lost, "A kernel ends on a GPU that was lost meanwhile.")                                               \
  SOMETIMES(gpu_memory_full, "A kernel's output does not fit into the memory of its GPU.")                             \
  NEVER(step_begun_twice, "A worker runs a part of a step a second time.")                                             \
  /* tensors between workers */                                                                                        \
  SOMETIMES(tensor_asked_before_step, "A peer asks for a tensor before the worker has heard of the step.")             \
  SOMETIMES(tensor_asked_before_made, "A peer asks for a tensor before it is made.")                                   \
  SOMETIMES(tensor_asked_after_made, "A peer asks for a tensor after it is made.")                                     \
  SOMETIMES(tensor_asked_of_aborted_step, "A peer asks for a tensor of a step that is aborted.")                       \
  SOMETIMES(tensor_asked_of_earlier_process, "A peer asks for a tensor of a process that has ended.")                  \
  SOMETIMES(tensor_given_up, "A worker hears that its peer does not want a tensor any more.")                          \
  SOMETIMES(tensor_made_in_aborted_step, "A tensor is made when its step is aborted.")                                 \
  SOMETIMES(receive_in_aborted_step, "A receive begins when its step is aborted.")                                     \
  SOMETIMES(receive_failed, "A peer answers a request for a tensor with an error.")                                    \
  NEVER(receive_before_step, "A receive of a step begins before the step does.")                                       \
  NEVER(tensor_for_ended_receive, "A tensor arrives for a receive that has ended.")                                    \
  /* queues, accumulators, checkpoints */                                                                              \
  SOMETIMES(dequeue_cancelled, "A dequeue is cancelled while it waits.")                                               \
  SOMETIMES(queue_closed_with_waiters, "A queue is closed while a dequeue waits.")                                     \
  SOMETIMES(dequeue_at_closed_queue, "A dequeue comes to a queue that is closed.")                                     \
  SOMETIMES(enqueue_at_closed_queue, "An enqueue comes to a queue that is closed.")                                    \
  SOMETIMES(take_cancelled, "A take is cancelled while it waits for gradients.")                                       \
  SOMETIMES(gradient_stale, "A gradient is dropped, since it is behind its accumulator.")                              \
  SOMETIMES(accumulator_set_back, "The step of an accumulator is set to an earlier one.")                              \
  SOMETIMES(save_failed, "A task cannot write its part of a checkpoint.")                                              \
  SOMETIMES(checkpoint_lost_in_save, "A checkpoint is gone by the time that it is to be listed.")                      \
  SOMETIMES(restore_of_torn_file, "A checkpoint is restored that was torn when it was written.")                       \
  SOMETIMES(restore_of_lost_file, "A checkpoint is restored of which a part is gone.")                                 \
  /* training */                                                                                                       \
  SOMETIMES(session_made_anew, "A client closes its session after an error, and makes a new one.")                     \
  SOMETIMES(model_not_ready, "A client finds that the model is not initialised, and waits.")                           \
  SOMETIMES(model_restored, "A chief that begins anew restores a checkpoint.")                                         \
  SOMETIMES(sync_thread_failed, "A queue runner ends with an error that ends its client's session.")                   \
  SOMETIMES(sync_thread_closed, "A queue runner ends because its queue is closed or its step cancelled.")              \
  SOMETIMES(sync_thread_outlives_session, "A client closes its session although a queue runner still runs.")           \
  SOMETIMES(client_left_at_closed_queue, "A client ends its training because a queue is closed.")                      \
  SOMETIMES(client_failed, "A client ends with an error.")
// clang-format on

#define TARRY_MARK_NAME(name, meaning) name,
enum class Mark : std::uint8_t { TARRY_MARKS(TARRY_MARK_NAME, TARRY_MARK_NAME) };
#undef TARRY_MARK_NAME

struct MarkRow {
  std::string_view name, meaning;  // the meaning is one sentence
  bool is_never = false;
};
#define TARRY_SOMETIMES(name, meaning) {#name, meaning, false},
#define TARRY_NEVER(name, meaning) {#name, meaning, true},
inline constexpr MarkRow kMarks[] = {TARRY_MARKS(TARRY_SOMETIMES, TARRY_NEVER)};
#undef TARRY_NEVER
#undef TARRY_SOMETIMES
#undef TARRY_MARKS

// Those that a run came by.
using Marks = std::bitset<std::size(kMarks)>;

}  // namespace tarry
