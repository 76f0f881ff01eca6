// For tests: the devices, ops and kernels of a release as recorded.
#pragma once

#include "properties/placement/judge.hpp"

namespace tarry {

[[nodiscard]] inline PlacementWorld world_of(const std::string& release) {
  return placement_world(TARRY_SOURCE_DIR "/properties/conform/data", release).value();
}

}  // namespace tarry
