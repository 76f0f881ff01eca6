// The commands of the program: each adds itself to the command line and, when it is chosen, sets the exit code.
//
// Exit codes: 0 ok, 1 expectation failed, 2 bad input or usage, 3 safety violation, 4 deadlock or liveness, 5
// non-determinism, 6 internal.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

enum ExitCode : int {
  kOk = 0,
  kExpectationFailed = 1,
  kBadInput = 2,
  kSafety = 3,
  kDeadlock = 4,
  kNonDeterminism = 5,
  kInternal = 6
};

struct Home {  // where what ships with tarry is
  std::string folder;
  [[nodiscard]] std::string graphs() const { return folder + "/scenarios/graphs"; }
  [[nodiscard]] std::string recordings() const { return folder + "/properties/conform/data"; }
  [[nodiscard]] std::string cases() const { return folder + "/scenarios/cases"; }
};

// Where programs built against a real TensorFlow are (doctor --with-tensorflow).
[[nodiscard]] inline std::string tensorflow_folder(const Home& home) { return home.folder + "/build/tensorflow"; }

struct CommandLine {
  CLI::App& app;
  const Home& home;
  int& exit_code;
};

void add_run(CommandLine&);
void add_list(CommandLine&);
void add_judge(CommandLine&);
void add_schema(CommandLine&);
void add_place(CommandLine&);
void add_partition(CommandLine&);
void add_conform(CommandLine&);
void add_exec(CommandLine&);
void add_kernels(CommandLine&);
void add_bench(CommandLine&);
void add_hunt(CommandLine&);
void add_doctor(CommandLine&);
void add_test(CommandLine&);

// Prints a refusal and gives the exit code for it.
[[nodiscard]] int refuse(const Status& why);
// Fails: INVALID_ARGUMENT `PATH: cannot be written`.
[[nodiscard]] Status write_file(const std::string& path, const std::string& text);

struct NamedFile {
  std::string name, path;  // "--log", "dead.log"; "" = not asked for
};
// Before anything is written. Fails: INVALID_ARGUMENT when two outputs are one file, standard output counted, or an
// output is a file that the command reads.
[[nodiscard]] Status check_outputs(std::vector<NamedFile> outputs, const std::vector<NamedFile>& inputs);

// A subcommand with its example in the help.
CLI::App* add_command(CommandLine& line, const std::string& name, const std::string& what, const std::string& example);

}  // namespace tarry
