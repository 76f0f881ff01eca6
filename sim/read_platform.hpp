// Reads a platform file of SimGrid: SimGrid itself does, in a child process, so that nothing of it stays and whatever
// it says of a wrong file becomes an error.
//
// A platform file says more than how messages travel: speeds of hosts, disks, loopbacks. None of that is taken.
#pragma once

#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "sim/platform.hpp"

namespace tarry {

struct ReadPlatform {
  std::vector<std::string> hosts;  // all of the file, in its order
  PlatformSpec platform;           // place i is that of wanted[i]; not given where some of them is no host of the file
};

// Fails: INVALID_ARGUMENT "file:line: what is wrong", or "file: ..." where the line is not known: the file is missing
// or no platform; a route between two of `wanted` is missing; a link varies in time or is one of WiFi; the file starts
// actors; or SimGrid does not load (flow_module.hpp). RESOURCE_EXHAUSTED as run_in_child.
[[nodiscard]] StatusOr<ReadPlatform> read_platform(const std::string& file, const std::vector<std::string>& wanted);

}  // namespace tarry
