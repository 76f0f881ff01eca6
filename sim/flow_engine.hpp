// Which release of SimGrid decides how flows share bandwidth: its results may differ in the last nanosecond between
// releases.
//
// The release is the one that tarry was compiled with; SimGrid's libraries carry it in their names, so no other loads.
#pragma once

#include <string>

namespace tarry {

[[nodiscard]] std::string flow_engine_name();  // "simgrid 3.32"

}  // namespace tarry
