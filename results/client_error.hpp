// What the error with which a client left training says.
#pragma once

#include <string>
#include <string_view>

namespace tarry {

// The line that says what happened: without frames, the tasks that the error came through, the nodes that it names and
// hints. An error of one line is that line.
[[nodiscard]] std::string gist_of(std::string_view error);

// A queue of data ran dry. Those of tokens are closed by others.
[[nodiscard]] bool is_end_of_data(std::string_view error);

}  // namespace tarry
