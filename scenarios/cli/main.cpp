#include "scenarios/cli/program.hpp"

int main(int argc, char** argv) { return tarry::run_program("tarry", {argv + 1, argv + argc}); }
