// What the commands answer, to the last letter, and the files that they write: whoever changes a word or a figure sees
// here which answers it changes.
//
// A line of `answers.txt` is a digest of the answer, its exit code and the command, which a shell runs in an empty
// folder.

#include <gtest/gtest.h>

#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <fstream>
#include <map>

#include "placer/core/hash.hpp"
#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"
#include "sim/flow_engine.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

const std::string kAnswers = TARRY_SOURCE_DIR "/properties/cli/answers.txt";

// What the folder holds, file by file.
std::string files_in(const std::string& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files[entry.path().lexically_relative(folder)] = read_file(entry.path()).value_or("");
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + text + "\n";
  return all;
}

// "0123456789abcdef 0 tarry run 000_hello". Neither the checkout's folder nor SimGrid's release makes a difference.
std::string answer_to(const std::string& command) {
  const Folder out, screen;
  const std::string printed = screen.path() + "/printed",
                    line = boost::replace_all_copy(command, "tarry ", TARRY_PROGRAM " ");
  const Answer a = ask({"/bin/sh", "-c", "cd " + out.path() + " && " + line}, printed.c_str());
  const std::string all = read_file(printed).value_or("") + a.message + files_in(out.path());
  const std::string anywhere =
      boost::replace_all_copy(boost::replace_all_copy(all, TARRY_SOURCE_DIR, ""), flow_engine_name(), "");
  return fmt::format("{} {} {}", to_string(hash_of(anywhere)).substr(0, 16), a.exit_code, command);
}

std::vector<std::string> recorded() {
  std::vector<std::string> lines;
  const std::string all = read_file(kAnswers).value();
  for (const std::string_view line : split(all, '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

std::string command_in(const std::string& line) { return line.substr(line.find(' ', line.find(' ') + 1) + 1); }

TEST(Answers, are_those_that_were_recorded) {
  for (const std::string& line : recorded()) EXPECT_EQ(answer_to(command_in(line)), line);
}

// tarry_cli_test --gtest_also_run_disabled_tests --gtest_filter='Answers.*written_anew'
TEST(Answers, DISABLED_are_written_anew) {
  const std::vector<std::string> lines = recorded();
  std::ofstream out(kAnswers);
  for (const std::string& line : lines) out << answer_to(command_in(line)) << "\n" << std::flush;
}

}  // namespace
}  // namespace tarry
