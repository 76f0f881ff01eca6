// Every C++ file is as clang-format writes it. Other versions than the named one differ in small things, so only that
// one is asked.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "properties/house/source.hpp"

namespace tarry::house {
namespace {

constexpr const char* kVersion = "14";

// What a shell command prints, its error output included.
std::string printed_by(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  pclose(pipe);
  return text;
}

std::string formatter() {
  for (const std::string& name : {std::string("clang-format-") + kVersion, std::string("clang-format")})
    if (printed_by(name + " --version").find(std::string("version ") + kVersion + ".") != std::string::npos)
      return name;
  return "";
}

TEST(Format, every_file_is_as_clang_format_writes_it) {
  const std::string program = formatter();
  if (program.empty()) GTEST_SKIP() << "clang-format " << kVersion << " is not installed, so nothing was compared";
  std::string files;
  for (const Source& f : read_tree(TARRY_SOURCE_DIR))
    if (is_formatted(f.path)) files += " '" + f.path + "'";
  const std::string wrong = printed_by("cd '" TARRY_SOURCE_DIR "' && " + program + " --dry-run" + files);
  EXPECT_EQ(wrong, "") << "run: " << program << " -i FILE";
}

}  // namespace
}  // namespace tarry::house
