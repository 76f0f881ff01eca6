#include "sim/simgrid/module.hpp"

namespace tarry::simgrid_module {
namespace {

constexpr FlowModule kModule{start_engine, replay_messages, execute_nodes, read_platform};

}  // namespace

// The one name that the module shows.
extern "C" [[gnu::visibility("default")]] const FlowModule* tarry_flow_module() { return &kModule; }

}  // namespace tarry::simgrid_module
