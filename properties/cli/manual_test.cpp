// The commands of docs/manual.md, on what ships and on the files that it has its readers save: each prints what is
// shown.

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

struct Example {
  std::vector<std::string> words;  // of the command, without ./tarry
  std::vector<std::string> shown;  // lines that it prints, without those that stand for others
};

// These answer in seconds, from what ships or what the reader has saved.
bool is_tried(const Example& e) {
  static const std::set<std::string> kCommands = {"run", "why", "path", "place", "partition", "compare", "kernels"};
  const bool is_of_readers_files = e.words.size() > 1 && e.words[1] == "own";
  return !e.words.empty() && kCommands.contains(e.words[0]) && !e.shown.empty() && !is_of_readers_files;
}

class ManualReader {
 public:
  std::map<std::string, std::string> files;  // by the names under which the reader saves them
  std::vector<Example> examples;

  explicit ManualReader(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) take(line);
  }

 private:
  void take(const std::string& line) {
    constexpr std::string_view kSave = "Save this as `", kCommand = "    $ ./tarry ";
    if (const std::size_t at = line.find(kSave);
        at != line.npos && (line.find(".yaml`") != line.npos || line.find(".xml`") != line.npos))
      saved_ = line.substr(at + kSave.size(), line.find('`', at + kSave.size()) - at - kSave.size());
    if ((line == "```yaml" || line == "```xml") && !saved_.empty() && !files.contains(saved_))
      in_file_ = true;
    else if (line == "```")
      in_file_ = false;
    else if (in_file_)
      files[saved_] += line + "\n";
    if (line.starts_with("    $ "))
      examples.push_back({line.starts_with(kCommand) ? words_of(line.substr(kCommand.size())) : Words(), {}});
    else if (!line.starts_with("    ") && !line.empty())
      examples.emplace_back();
    else if (!line.empty() && !line.ends_with(" ...") && !examples.empty())
      examples.back().shown.push_back(line.substr(4));
  }

  using Words = std::vector<std::string>;
  static Words words_of(const std::string& command) {
    Words words;
    for (const std::string_view word : split(command, ' ')) words.emplace_back(word);
    return words;
  }

  std::string saved_;
  bool in_file_ = false;
};

// The first line that is not there, after those before it; "" = all are.
std::string first_missing(const Example& e, const std::string& printed) {
  const auto lines = split(printed, '\n');
  auto at = lines.begin();
  for (const std::string& shown : e.shown) {
    at = std::find(at, lines.end(), shown);
    if (at == lines.end()) return shown;
    ++at;
  }
  return "";
}

TEST(Manual, shows_what_its_commands_print) {
  const ManualReader manual(*read_file(TARRY_SOURCE_DIR "/docs/manual.md"));
  ASSERT_GE(manual.files.size(), 6u);
  const Folder f;
  std::map<std::string, std::string> saved;
  for (const auto& [name, text] : manual.files) saved[name] = f.put(name, text);
  std::size_t tried = 0;
  for (Example e : manual.examples) {
    if (!is_tried(e)) continue;
    const std::string command = fmt::format("{}", fmt::join(e.words, " ")), out = f.path() + "/out";
    for (std::string& word : e.words)
      if (const auto it = saved.find(word); it != saved.end()) word = it->second;
    ++tried;
    EXPECT_NE(ask_tarry(e.words, out.c_str()).exit_code, 2) << "tarry " << command;
    const std::string printed = *read_file(out);
    EXPECT_EQ(first_missing(e, printed), "") << "tarry " << command << " prints\n" << printed;
  }
  EXPECT_GE(tried, 15u);
}

}  // namespace
}  // namespace tarry
