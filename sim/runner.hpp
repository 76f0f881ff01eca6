// One run, one process: the parent stays whole whatever happens in the run.
//
// SimGrid allows one engine a process, and a crash of ours must end with a report, not with the program. The child
// shares nothing with the parent afterwards but what it returns.
#pragma once

#include <functional>
#include <string>

#include "placer/core/status.hpp"

namespace tarry {

// This machine has not enough for what was asked.
[[nodiscard]] inline Status out_of_memory() { return error(Code::kResourceExhausted, "out of memory"); }

// The bytes that `body` returned in a child process. The child ends without destructors or exit handlers.
// Fails: INTERNAL with the text of an exception (a Bug's names file and line), or with the signal that ended the child;
// out_of_memory().
[[nodiscard]] StatusOr<std::string> run_in_child(const std::function<std::string()>& body);

}  // namespace tarry
