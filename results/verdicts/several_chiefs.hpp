// Workers that take themselves for the chief of one synchronous job.
#pragma once

#include <string>

#include "results/evidence.hpp"

namespace tarry {

// " The aggregates of one step went to several threads ...": where, at the end of the run, the threads of several
// chiefs have aggregates, and none of them has one of every variable, so that none hands out tokens; else "".
[[nodiscard]] std::string split_aggregates(const Evidence& e);

// Another task prepared training as its chief by `at`, and had not been lost, or left, by then.
[[nodiscard]] bool has_another_chief(const Evidence& e, TaskId chief, Nanos at);

}  // namespace tarry
