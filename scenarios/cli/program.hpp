// The frame of a program of tarry: its commands on one command line.
//
// There are two, so that a first `tarry run` need not wait until everything is built: `tarry` (run, list, ...), and
// `tarry_judge` (work on single graphs, compare with recordings, hunt, measure). The launcher builds and calls the one
// that has the command; each hands the other's commands on to it when it is there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenarios/cli/commands.hpp"

namespace tarry {

struct CommandProgram {
  std::string name;   // "tarry"
  std::string other;  // the other program's name
  std::vector<void (*)(CommandLine&)> commands;
  std::vector<std::string> others_commands;
};

// Parses, runs, and gives the exit code; an exception is a defect of ours (6), but for memory or an output that is full
// (2).
[[nodiscard]] int run_program(const CommandProgram& program, int argc, char** argv);

}  // namespace tarry
