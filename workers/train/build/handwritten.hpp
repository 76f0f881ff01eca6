// Synchronous training written out by hand, for any number of workers (docs/rules/runtime.md#G.2): one client, one
// graph for all tasks, one `sess.run` per step.
//
// Worker 0's task is the master: it holds the parameters, hands them out (dense: all; sparse: the rows of the step's
// working set), adds the workers' gradients up and applies the sum. The graph for another number of workers is made
// from a recorded one: worker i's ops are those under `worker<i>/` and `worker<i>_.../`, and the master's ops for this
// worker alone; the master's ops for all workers gain or lose one input, or output, per worker.
//
// How the master gets the gradients: `list`, as recorded, adds them up as tensors of the step. `queue` passes them
// through a FIFOQueue on the master, as users did who had no AddN over tasks: one enqueue per worker, and as many
// dequeues, in order of arrival. The sums are the same up to the order of addition. Elements that a failed step leaves
// in the queue are added to the next sum, since the queue outlives sessions.
#pragma once

#include "workers/train/build/graph_editor.hpp"
#include "workers/train/program.hpp"

namespace tarry {

enum class Gathering : std::uint8_t { list, queue };

struct HandwrittenPlan {
  int workers = 1;
  Gathering gathering = Gathering::list;
};

// Changes `program`, whose client is then that of worker 0. REQUIRES: plan.workers > 0.
// Fails: INVALID_ARGUMENT when the graph lacks the ops of at least two workers, or its step has no sum of gradients.
[[nodiscard]] Status build_handwritten(ClientProgram& program, const HandwrittenPlan& plan);

}  // namespace tarry
