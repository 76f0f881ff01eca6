#include "scenarios/cli/program.hpp"

int main(int argc, char** argv) {
  using namespace tarry;
  const CommandProgram program{"tarry", "tarry_judge", {add_run, add_list, add_place, add_partition, add_schema, add_doctor, add_test}, {"bench", "conform", "exec", "hunt", "kernels"}};
  return run_program(program, argc, argv);
}
