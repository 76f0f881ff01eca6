// What to do about a parameter server whose process ended.
#pragma once

#include <string>

#include "results/evidence.hpp"

namespace tarry {

// Of a process that ended: the next one was there at once, or for most of the time that it was not ready, or for good.
[[nodiscard]] bool was_back_early(const Trouble& t);
// "restart ps 0 soon, and save checkpoints": of the trouble `t`, by the server's name. Where the chief's session closes
// the queue of tokens, its keeper is to begin anew as well; where clients slept since they had found no model, they are
// to look again sooner.
[[nodiscard]] std::string cure_of_lost_server(const Evidence& e, const Trouble& t, const std::string& who);

}  // namespace tarry
