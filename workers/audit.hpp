// What a run did that its log does not hold: facts for the laws of the runtime (results/laws.hpp).
//
// Facts are kept beside the log, in its order, so that auditing a run changes neither its events nor its hash. Nobody
// audits unless the job asks for it (workers/auditor.hpp). An audit has a table of texts of its own, since the names of
// the log are hashed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "workers/marks.hpp"
#include "workers/nanos.hpp"

namespace tarry {

struct AuditFact {
  enum class What : std::uint8_t {
    request_taken,      // a worker takes up a RunGraph or RecvTensor call; `number`: its request id
    run_began,          // the executors of a RunGraph call begin
    run_cancelled,      // the caller of a RunGraph call gave it up or is gone
    run_ended,          // its executors have ended
    cleaned_up,         // CleanupGraph was served; `number`: 1 when the step's rendezvous is still there
    value_arrived,      // a tensor of another task was handed to the step that asked for it; `text`: its key
    tensor_asked,       // RecvTensor passed its checks; `number`: the incarnation that the key names, `other`: the
                        // device's own
    session_opened,     // a worker made the session `text` for the master `number` of incarnation `other`
    session_used,       // a call found the session `text`
    session_deleted,    // the session `text` was deleted at a worker
    checkpoint_saved,   // a tensor was written: `text` = the file, `name` = the tensor, `number` = its digest; `other`
                        // = 1: a part of it, which `name` says behind a space
    checkpoint_merged,  // the file `name` became part of the file `text`
    checkpoint_listed,  // the file `text` counts as complete
    model_restored,     // a step began that restores the file `text`
    value_assigned,     // to the variable `name`; `number`: its digest
    client_acted,       // a training client's session moved on, or it ran something
    clean_up_failed,    // a CleanupGraph call to the task broke
    save_waits,         // a step's kernel waits for the storage of the task, which cancelling does not end; `number`: 1
                        // when it begins to, 0 when it goes on
  };
  What what = What::request_taken;
  TaskId task = TaskId::none();
  std::uint64_t process = 0;  // how many processes the task had before
  StepId step = {};
  std::uint64_t number = 0, other = 0;
  std::uint32_t text = 0, name = 0;  // in Audit::texts; 0 = ""
  Nanos at = 0;
  std::uint64_t events = 0;  // of the log that came before it
};

// What stands at a living process when the run ends.
struct AuditRest {
  enum class What : std::uint8_t {
    queue,        // `name`; inside, waiting dequeues, whether it is closed, elements lost with cancelled dequeues
    accumulator,  // `name`; gradients in it, its step, waiting takes, what the first of these requires
    rendezvous,   // of a step: values, waiting receives, calls that came before its RunGraph, whether it is aborted
    session,      // `name`; the master's task and incarnation
  };
  What what = What::queue;
  TaskId task = TaskId::none();
  std::uint64_t process = 0;
  StepId step = {};
  std::uint32_t name = 0;  // in Audit::texts
  std::int64_t a = 0, b = 0, c = 0, d = 0;
};

struct Audit {
  bool is_on = false;
  std::vector<std::string> texts = {""};
  std::vector<AuditFact> facts;
  std::vector<AuditRest> rests;
  Marks marks;                                       // that the run came by
  std::vector<std::vector<std::uint64_t>> may_call;  // by task: the tasks that the filters of its client admit
};

}  // namespace tarry
