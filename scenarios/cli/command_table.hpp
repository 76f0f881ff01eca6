// Every command of tarry, in one table. Both programs, their help, the launcher, the manual page and the shells'
// completion are made from it.
//
// There are two programs, so that a first `tarry run` need not wait until everything is built: `tarry` replays, and
// `tarry_judge` works on single graphs, compares with recordings, hunts and measures. Each hands the other's commands
// on to it (program.hpp).
#pragma once

#include <span>
#include <string_view>

#include "scenarios/cli/commands.hpp"

namespace tarry {

enum class CommandGroup { replay, ask, judge, measure };

struct Command {
  std::string_view name;
  std::string_view what;  // one line: a sentence
  std::string_view example;
  CommandGroup group;
  std::string_view program;   // that has it: "tarry" or "tarry_judge"
  void (*add)(CommandLine&);  // its options; null in a program without it
};

// By group, in the order in which help shows them.
[[nodiscard]] std::span<const Command> command_table();
// nullptr when there is no such command.
[[nodiscard]] const Command* find_command(std::string_view name);
// "Replay", as help heads its commands.
[[nodiscard]] std::string_view heading(CommandGroup group);

}  // namespace tarry
