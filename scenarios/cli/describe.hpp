// What other programs ask about the commands: the launcher, the shells' completion, and whoever makes the manual page.
//
//   --program-of COMMAND   the program that has the command; "tarry" for a word that is none
//   --complete WORDS...    what the last word may become, a line each; nothing where a file is expected
//   --man                  the manual page, in roff; --man-commands: the part of it that this program's commands make
//
// These are for machines, so help does not show them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/cli/commands.hpp"

namespace tarry {

// The exit code when `words` are such a question, which is answered on standard output; else nothing.
[[nodiscard]] std::optional<int> answer_about_commands(std::string_view program, const CLI::App& app, const Home& home,
                                                       const std::vector<std::string>& words);

// What the last of `words` may become.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& app, const Home& home,
                                                   const std::vector<std::string>& words);

}  // namespace tarry
