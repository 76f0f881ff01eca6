// Errors that TensorFlow's kernel also writes into the log of its process, as a warning with the place in its source.
//
// The log line travels as the status's payload until the worker takes it: workers add recent warnings to the errors of
// steps (TF_WORKER_NUM_FORWARDED_LOG_MESSAGES).
#pragma once

#include <string>
#include <string_view>

#include "placer/core/status.hpp"

namespace tarry {

// `s` with the log line "OP_REQUIRES failed at WHERE : CODE: TEXT", where WHERE is `where`. REQUIRES: `s` is an error.
[[nodiscard]] Status as_logged(Status s, std::string_view where);
// Gives the log line and removes it from the status; "" when there is none.
[[nodiscard]] std::string take_log_line(Status& s);

}  // namespace tarry
