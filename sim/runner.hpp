// Runs code in a child process, so that the parent survives whatever happens in it.
//
// SimGrid allows one engine per process, and a crash in a run must become a report rather than end the program. The
// child passes nothing to the parent except the bytes that it returns.
#pragma once

#include <functional>
#include <string>

#include "placer/core/status.hpp"

namespace tarry {

// The error for a request that needs more memory than this machine has.
[[nodiscard]] inline Status out_of_memory() { return error(Code::kResourceExhausted, "out of memory"); }

// The bytes that `body` returned in a child process. The child ends without destructors or exit handlers.
// Fails: INTERNAL with the text of an exception (a Bug's names file and line), or with the signal that ended the child;
// out_of_memory().
[[nodiscard]] StatusOr<std::string> run_in_child(const std::function<std::string()>& body);

}  // namespace tarry
