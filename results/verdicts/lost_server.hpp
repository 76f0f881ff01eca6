// What to do about a parameter server whose process ended, and about checkpoints.
#pragma once

#include <span>
#include <string>

#include "results/evidence.hpp"

namespace tarry {

// Of a process that ended: the next one was there at once, or for most of the time that it was not ready, or for good.
[[nodiscard]] bool was_back_early(const Trouble& t);
// ", and save checkpoints"; "" where a client saved what it had trained.
[[nodiscard]] const char* and_save(const Evidence& e);
// "; let clients that find no model look again sooner (recovery_wait_secs)"; "" where none of the troubles is a
// parameter server's after which clients slept.
[[nodiscard]] const char* look_sooner(const Evidence& e, std::span<const Trouble> troubles);
// "restart ps 0 soon, and save checkpoints": of the trouble `t`, by the server's name. Where a session that it broke
// closed the queue of tokens, or queues of input that workers keep, their keepers are to begin anew as well; where
// clients slept since they had found no model, they are to look again sooner.
[[nodiscard]] std::string cure_of_lost_server(const Evidence& e, const Trouble& t, const std::string& who);

}  // namespace tarry
