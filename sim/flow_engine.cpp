#include "sim/flow_engine.hpp"

#include <fmt/format.h>
#include <simgrid/engine.h>  // what version.h needs
#include <simgrid/version.h>

namespace tarry {

std::string flow_engine_name() { return fmt::format("simgrid {}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR); }

std::string flow_engine_name(FlowsBy engine) { return engine == FlowsBy::shared ? "shared" : flow_engine_name(); }

}  // namespace tarry
