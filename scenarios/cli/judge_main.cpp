#include "scenarios/cli/program.hpp"

int main(int argc, char** argv) {
  using namespace tarry;
  const CommandProgram program{"tarry_judge", "tarry", {add_bench, add_conform, add_exec, add_hunt, add_kernels}, {"doctor", "list", "partition", "place", "run", "schema", "test"}};
  return run_program(program, argc, argv);
}
