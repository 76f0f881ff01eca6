// `tarry sweep`: many runs of a scenario and its variants on this machine, with intervals.

#include "scenarios/cli/sweep_command.hpp"

namespace tarry {

void add_sweep(CommandLine& line) { add_sweep_by(line, on_this_machine); }

}  // namespace tarry
