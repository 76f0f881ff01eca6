// What the error of a client tells of its cause and cure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "results/evidence.hpp"

namespace tarry {

// Why another run of the same client ends the same way, as far as the error and its step tell it: "The
// synchronization thread feeds nothing, ..."; "" where nothing is known.
[[nodiscard]] std::string reason_of(const EventLog& log, TaskId client, std::string_view error);
// What would mend it, where a new process would not: "give it a smaller batch, or ..."; "" where nothing is known.
[[nodiscard]] std::string cure_of_error(const EventLog& log, TaskId client, std::string_view error);
// The parameter server that keeps a queue of tokens which was closed when a session of the chief ended, and which an
// error of its next session speaks of: "From /job:ps/replica:0/task:0:\nFIFOQueue 'sync_token_q' is closed. ...";
// invalid of another error. Only a new process there has an open queue again.
[[nodiscard]] TaskId keeper_of_closed_queue(const TaskNames& tasks, std::string_view error);
// A chief left training for good, and not as it was told to: its queue of tokens was closed when a session that it had
// had before ended.
[[nodiscard]] bool found_its_queue_closed(const Evidence& e, const Trouble& left);
// Such a server that lives, where the chief failed for good, or left like that, after this trouble had broken its
// session.
[[nodiscard]] TaskId keeper_of_queue_closed_by(const Evidence& e, const Trouble& trouble);
// Workers that failed for good after this trouble had broken their sessions, since queues were closed with these; none
// where all of them are of tokens. A worker keeps its queue of input itself: "From
// /job:worker/replica:0/task:1:\nFIFOQueue 'examples' is closed. ...". Only a new process there has an open queue
// again.
[[nodiscard]] std::vector<TaskId> keepers_of_closed_input(const Evidence& e, const Trouble& trouble);
// The parameter server that keeps the queue of tokens of a synchronous job; invalid where its process is gone for good,
// or where no token ever entered it.
[[nodiscard]] TaskId keeper_of_tokens(const Evidence& e);
// That one began anew after a client had failed with this error.
[[nodiscard]] bool has_new_queue(const Evidence& e, std::string_view error, Nanos failed);
// "restart ps 0, which keeps the closed queue of tokens, and save checkpoints"; where nobody trains any more "start the
// whole job again, and save checkpoints"; "" of another error, or of training without tokens.
[[nodiscard]] std::string cure_of_closed_queue(const Evidence& e, std::string_view error, Nanos failed);

}  // namespace tarry
