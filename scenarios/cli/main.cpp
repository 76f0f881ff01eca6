#include "scenarios/cli/program.hpp"

int main(int argc, char** argv) {
  using namespace tarry;
  const CommandProgram program{"tarry",
                               "tarry_judge",
                               {add_run, add_judge, add_list, add_schema, add_test},
                               {"bench", "conform", "doctor", "exec", "hunt", "kernels", "partition", "place"}};
  return run_program(program, argc, argv);
}
