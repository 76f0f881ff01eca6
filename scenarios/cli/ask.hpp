// The built programs, run as a user runs them, for tests.
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "placer/core/check.hpp"
#include "placer/core/folder_test.hpp"

namespace tarry {

struct Answer {
  int exit_code = -1;
  std::string message;  // stderr
  long peak_kib = 0;
};

inline std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(from, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  return text;
}

// Runs a command with its standard error piped to us, and its standard output to a file.
inline Answer ask(std::vector<std::string> words, const char* output = "/dev/null") {
  int to_us[2];
  check(pipe(to_us) == 0, "a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to_us[1], STDERR_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_addclose(&actions, to_us[0]);
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  check(posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0, "the program starts");
  posix_spawn_file_actions_destroy(&actions);
  close(to_us[1]);
  Answer a{-1, read_all(to_us[0]), 0};
  close(to_us[0]);
  int status = 0;
  rusage use{};
  wait4(child, &status, 0, &use);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, std::move(a.message), use.ru_maxrss};
}

inline Answer ask_tarry(std::vector<std::string> words, const char* output = "/dev/null") {
  words.insert(words.begin(), TARRY_PROGRAM);
  return ask(std::move(words), output);
}

}  // namespace tarry
