#include "properties/cli/checkout.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "scenarios/cli/shell_word.hpp"

namespace tarry {
namespace {

int exit_code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::string all_of(FILE* pipe) {
  std::string text;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, n);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

Status check_checkout(const Home& home, const std::string& option) {
  std::error_code none;
  if (std::filesystem::exists(home.folder + "/.git", none)) return {};
  return error(Code::kFailedPrecondition,
               "{} needs a git checkout of tarry, and {} is none; clone it, and call ./tarry bench {} there", option,
               home.folder, option);
}

StatusOr<std::string> git(const std::string& folder, const std::vector<std::string>& arguments) {
  std::string command = "git -C " + shell_word(folder);
  for (const std::string& a : arguments) command += " " + shell_word(a);
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return invalid("{}: cannot be started", command);
  std::string said = all_of(pipe);
  if (exit_code_of(pclose(pipe)) != 0) return invalid("{}", said);
  return said;
}

StatusOr<std::string> commit_of(const Home& home) {
  TARRY_ASSIGN(const std::string commit, git(home.folder, {"rev-parse", "--short=10", "HEAD"}));
  TARRY_ASSIGN(const std::string changes,
               git(home.folder, {"status", "--porcelain", "--", ".", ":(exclude)results/speed.csv"}));
  return changes.empty() ? commit : commit + "-dirty";
}

int run_shell(const std::string& command) {
  return exit_code_of(std::system(("ulimit -S -v \"$(ulimit -H -v)\"; " + command).c_str()));
}

}  // namespace tarry
