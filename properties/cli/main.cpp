#include "scenarios/cli/program.hpp"

int main(int argc, char** argv) {
  using namespace tarry;
  const CommandProgram program{
      "tarry_judge",
      "tarry",
      {add_bench, add_conform, add_doctor, add_exec, add_hunt, add_kernels, add_partition, add_place},
      {"judge", "list", "run", "schema", "test"}};
  return run_program(program, argc, argv);
}
