// The frame of a program of tarry: its commands (command_table.hpp) on one command line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "scenarios/cli/command_table.hpp"

namespace tarry {

// Runs the command that `words` begin with, or hands it on to the program that has it. Gives the exit code; an
// exception is a defect of ours (6), but for memory or an output that is full (2).
[[nodiscard]] int run_program(std::string_view program, std::vector<std::string> words);

// Where what ships with tarry is: where the launcher says, else beside an installed program, else in the source tree.
[[nodiscard]] Home find_home();

// Where this program is.
[[nodiscard]] std::filesystem::path program_folder();

// Becomes `program`, which stands beside this one; returns only when there is none: NOT_FOUND.
[[nodiscard]] Status hand_on(std::string_view program, const std::vector<std::string>& words);

}  // namespace tarry
