// The release of SimGrid that computes how flows share bandwidth; results may differ by a nanosecond between releases.
//
// It is the release that tarry was compiled with: SimGrid's libraries have it in their names, so no other is loaded.
#pragma once

#include <string>

namespace tarry {

[[nodiscard]] std::string flow_engine_name();  // "simgrid 3.32"

}  // namespace tarry
