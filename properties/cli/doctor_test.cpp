// What a user is told of the machine, and how a real TensorFlow is removed from it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Said {
  int exit_code = 0;
  std::string output, message;
};

// With `home` as what the program calls its folder, and as the user's cache.
Said doctor_at(const std::string& home, const std::vector<std::string>& options = {}) {
  const Folder f;
  const std::string out = f.path() + "/out";
  std::vector<std::string> words{"/usr/bin/env"};
  if (!home.empty()) words.insert(words.end(), {"TARRY_HOME=" + home, "XDG_CACHE_HOME=" + home + "/cache"});
  words.insert(words.end(), {TARRY_JUDGE_PROGRAM, "doctor"});
  words.insert(words.end(), options.begin(), options.end());
  const Answer a = ask(words, out.c_str());
  return {a.exit_code, *read_file(out), a.message};
}

TEST(Doctor, says_what_there_is_and_that_nothing_is_missing) {
  const Said a = doctor_at("");
  EXPECT_EQ(a.exit_code, 0);
  EXPECT_THAT(a.output, HasSubstr(" registered by TensorFlow 2.15.1; "));
  EXPECT_THAT(a.output, testing::EndsWith("nothing is missing\n"));
}

TEST(Doctor, asks_for_a_whole_clone_where_no_graphs_are) {
  const Folder empty;
  const Said a = doctor_at(empty.path());
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("no recorded graphs there; run ./tarry from a whole clone, or set TARRY_HOME"));
  EXPECT_THAT(a.output, Not(HasSubstr("nothing is missing")));
}

TEST(Doctor, removes_one_release_of_TensorFlow_and_no_other) {
  const Folder home;
  const fs::path work = home.path() + "/cache/tarry/tensorflow";
  for (const char* file : {"bin/oracle_place_1.15.0", "bin/oracle_place_2.15.1", "x/1.15.0/lib.so"}) {
    fs::create_directories((work / file).parent_path());
    std::ofstream(work / file) << "x";
  }
  const std::vector<std::string> remove{"--with-tensorflow", "1.15.0", "--remove"};
  EXPECT_EQ(doctor_at(home.path(), remove).output,
            "TensorFlow 1.15.0: 3 files and folders removed from " + work.string() + "\n");
  EXPECT_FALSE(fs::exists(work / "bin/oracle_place_1.15.0"));
  EXPECT_FALSE(fs::exists(work / "x/1.15.0"));
  EXPECT_TRUE(fs::exists(work / "bin/oracle_place_2.15.1"));
  EXPECT_EQ(doctor_at(home.path(), remove).output, "TensorFlow 1.15.0: nothing to remove from " + work.string() + "\n");
}

}  // namespace
}  // namespace tarry
