// The kinds of `tarry conform` that take recorded files.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "properties/conform/executor.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/progress.hpp"

namespace tarry {

struct ConformArguments {
  std::vector<std::string> files;
  int splits = 0;
  bool json = false, explain = false;
};
using ReadRows = std::function<StatusOr<std::vector<ConformRow>>(const std::string& sidecar)>;

// The given files; for a folder, the recorded runs in it, by name. Fails: NOT_FOUND.
[[nodiscard]] StatusOr<std::vector<std::string>> recorded_files(const std::vector<std::string>& given);
void add_conform_executor(CommandLine& line, CLI::App& conform);
void add_conform_rpc(CommandLine& line, CLI::App& conform);
// The exit code of a comparison. When nothing was compared, prints so to stderr and gives the code of bad input.
[[nodiscard]] int conformed(int agreed, int total);
// Prints the differences and, last, `agree N of M`; gives the exit code.
[[nodiscard]] int conform_recorded(const ConformArguments& a, const ReadRows& rows_of);

}  // namespace tarry
