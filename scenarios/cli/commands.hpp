// What every command has: where it adds its options, what ships with tarry, and how it refuses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "results/exit_code.hpp"

namespace tarry {

struct Home {  // where what ships with tarry is
  std::string folder;
  [[nodiscard]] std::string graphs() const { return folder + "/scenarios/graphs"; }
  [[nodiscard]] std::string recordings() const { return folder + "/properties/conform/data"; }
  [[nodiscard]] std::string cases() const { return folder + "/scenarios/cases"; }
  [[nodiscard]] std::string plans() const { return folder + "/scenarios/plans"; }
};

// Where programs built against a real TensorFlow are (doctor --with-tensorflow): in the build folder of a source tree,
// in the user's cache when tarry is installed.
[[nodiscard]] std::string tensorflow_folder(const Home& home);

// Where a command (command_table.hpp) adds its options and says what it does when it is chosen.
struct CommandLine {
  CLI::App& command;
  const Home& home;
  int& exit_code;
};

// For an option that takes a whole number from 0.
[[nodiscard]] CLI::Validator whole_number();

// For an option that names a file that is written: "" and "-", which would be a file of that name, are refused.
[[nodiscard]] CLI::Validator new_file();

// To standard error. One that cannot be written is no reason to end.
void complain(const std::string& text);

// "wrote PATH", to standard error: the answer on standard output stays the same, whatever its files are called.
void say_written(std::string_view path);

// Prints a refusal, with --json also as an object on standard output, and gives the exit code for it.
[[nodiscard]] int refuse(const Status& why);
// What was there before is lost only when all of the new is written. Fails: INVALID_ARGUMENT `PATH: cannot be
// written`.
[[nodiscard]] Status write_file(const std::string& path, const std::string& text);
// The same, and says so.
[[nodiscard]] Status write_and_say(const std::string& path, const std::string& text);

struct NamedFile {
  std::string name, path;     // "--log", "dead.log"; "" = not asked for
  bool makes_folder = false;  // its folder is made when the file is written
};
// Before anything is written. Fails: INVALID_ARGUMENT when an output's folder is not there or cannot be written to, two
// outputs are one file, standard output counted, or an output is a file that the command reads.
[[nodiscard]] Status check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs);

}  // namespace tarry
