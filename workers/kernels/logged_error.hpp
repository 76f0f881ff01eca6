// An error that TensorFlow's kernel also writes into the log of its process, as a warning with the place in its source.
//
// It travels as a payload until the worker takes it: workers add recent warnings to the errors of steps
// (TF_WORKER_NUM_FORWARDED_LOG_MESSAGES).
#pragma once

#include <string>
#include <string_view>

#include "placer/core/status.hpp"

namespace tarry {

// `where` as in "OP_REQUIRES failed at WHERE : CODE: TEXT". REQUIRES: an error.
[[nodiscard]] Status as_logged(Status s, std::string_view where);
// The line, which the status has no longer; "" when there is none.
[[nodiscard]] std::string take_log_line(Status& s);

}  // namespace tarry
