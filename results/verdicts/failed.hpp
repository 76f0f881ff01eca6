// What the error of a client tells of its cause and cure.
#pragma once

#include <string>
#include <string_view>

#include "results/log.hpp"

namespace tarry {

// Why another run of the same client ends the same way, as far as the error and its step tell it: "The
// synchronization thread feeds nothing, ..."; "" where nothing is known.
[[nodiscard]] std::string reason_of(const EventLog& log, TaskId client, std::string_view error);
// What would mend it, where a new process would not: "give it a smaller batch, or ..."; "" where nothing is known.
[[nodiscard]] std::string cure_of_error(const EventLog& log, TaskId client, std::string_view error);

}  // namespace tarry
