// `tarry sweep`: many runs of a scenario and its variants on this machine, with intervals.

#include "scenarios/cli/sweep_command.hpp"

namespace tarry {

void add_sweep(CommandLine& line) {
  add_sweep_by(line, [](const Home& home, int asked) -> StatusOr<Batch> {
    TARRY_ASSIGN(const Batch here, on_this_machine(home, asked));
    return until_interrupted(here);
  });
}

}  // namespace tarry
