// Words for what events hold as numbers and keys.
#pragma once

#include <string_view>

#include "workers/events.hpp"

namespace tarry {

// "train step", "initial tokens": what a client wanted.
[[nodiscard]] std::string_view label_of(Purpose purpose);
[[nodiscard]] std::string_view label_of(SessionStage stage);
// "edge_7_w/read": the fourth part of a rendezvous key; all of what is none.
[[nodiscard]] std::string_view tensor_of(std::string_view key);

}  // namespace tarry
