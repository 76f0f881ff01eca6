#include "sim/flow_engine.hpp"

#include <fmt/format.h>
#include <simgrid/engine.h>  // what version.h needs
#include <simgrid/version.h>

namespace tarry {

std::string flow_engine_name() { return fmt::format("simgrid {}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

}  // namespace tarry
