// The files that docs/manual.md has its readers save: each scenario runs as it stands there, and prints what is shown.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

struct SavedExample {
  std::string text;
  std::vector<std::string> shown;  // lines of `./tarry run FILE`, without those that stand for others
};

class ManualReader {
 public:
  std::map<std::string, SavedExample> read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) take(line);
    return std::move(all_);
  }

 private:
  void take(const std::string& line) {
    constexpr std::string_view kSave = "Save this as `", kRun = "    $ ./tarry run ";
    if (const std::size_t at = line.find(kSave);
        at != line.npos && (line.find(".yaml`") != line.npos || line.find(".xml`") != line.npos))
      saved_ = line.substr(at + kSave.size(), line.find('`', at + kSave.size()) - at - kSave.size());
    if ((line == "```yaml" || line == "```xml") && !saved_.empty() && !all_.contains(saved_))
      in_file_ = true;
    else if (line == "```")
      in_file_ = false;
    else if (in_file_)
      all_[saved_].text += line + "\n";
    if (line.starts_with(kRun))
      running_ = all_.contains(line.substr(kRun.size())) ? line.substr(kRun.size()) : "";
    else if (!line.starts_with("    ") && !line.empty())
      running_ = "";
    else if (!running_.empty() && !line.empty() && line != "    ...")
      all_[running_].shown.push_back(line.substr(4));
  }

  std::map<std::string, SavedExample> all_;
  std::string saved_, running_;
  bool in_file_ = false;
};

// The first line that is not there, after those before it; "" = all are.
std::string first_missing(const SavedExample& e, const std::string& printed) {
  const auto lines = split(printed, '\n');
  auto at = lines.begin();
  for (const std::string& shown : e.shown) {
    at = std::find(at, lines.end(), shown);
    if (at == lines.end()) return shown;
  }
  return "";
}

TEST(Manual, shows_what_its_scenarios_print) {
  const auto all = ManualReader().read(*read_file(TARRY_SOURCE_DIR "/docs/manual.md"));
  ASSERT_GE(all.size(), 6u);
  const Folder f;
  for (const auto& [name, example] : all) f.put(name, example.text);
  for (const auto& [name, example] : all) {
    if (!name.ends_with(".yaml")) continue;
    const std::string file = f.path() + "/" + name, out = f.path() + "/out";
    EXPECT_FALSE(example.shown.empty()) << name;
    EXPECT_EQ(ask_tarry({"run", file}, out.c_str()).exit_code, 0) << name;
    const std::string printed = *read_file(out);
    EXPECT_EQ(first_missing(example, printed), "") << name << " prints\n" << printed;
  }
}

}  // namespace
}  // namespace tarry
