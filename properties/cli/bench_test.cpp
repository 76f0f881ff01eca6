// `tarry bench --save` and `--against`, from the built program, in a clone of its own whose launcher and bench are
// small scripts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kHeader = "commit,machine,figure,reference_loops\n";

Answer shell(const std::string& command, const char* output = "/dev/null") {
  return ask({"/bin/sh", "-c", command}, output);
}

// A launcher that builds a bench, whose only figure takes so many nanoseconds.
std::string launcher(const std::string& nanoseconds) {
  return "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nmkdir -p build/release/bin\n"
         "cat > build/release/bin/tarry_judge <<'END'\n#!/bin/sh\n"
         "while [ \"$1\" != --out ]; do shift; done\necho \"$TARRY_HOME\" >> \"$ROUNDS\"\n"
         "echo '{\"benchmarks\": [{\"name\": \"place\", \"real_time\": 1, \"cpu_time\": " +
         nanoseconds + ", \"time_unit\": \"ns\"}]}' > \"$2\"\nEND\nchmod +x build/release/bin/tarry_judge\n";
}

class Bench : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("git --version").exit_code != 0) GTEST_SKIP() << "git is not installed";
    fs::create_directories(home() + "/results");
    (void)folder_.put("home/.gitignore", "/build/\n");
    ASSERT_EQ(shell("git -C " + home() + " init -q").exit_code, 0);
    commit(launcher("200"));
  }

  [[nodiscard]] std::string home() const { return folder_.path() + "/home"; }
  [[nodiscard]] std::string speeds() const { return home() + "/results/speed.csv"; }
  [[nodiscard]] std::string printed() const { return *read_file(folder_.path() + "/out"); }

  [[nodiscard]] std::string against() const { return home() + "/build/against"; }
  [[nodiscard]] std::string rounds() const { return read_file(folder_.path() + "/rounds").value_or(""); }

  // The next commit, with another launcher.
  void commit(const std::string& script) const {
    fs::permissions(folder_.put("home/tarry", script), fs::perms::owner_all);
    ASSERT_EQ(shell("cd " + home() +
                    " && git add . && git -c user.name=n -c user.email=n@example.org commit -q --allow-empty -m c")
                  .exit_code,
              0);
  }
  [[nodiscard]] std::string hash(const std::string& rev) const {
    EXPECT_EQ(shell("git -C " + home() + " rev-parse --short=10 " + rev, (folder_.path() + "/out").c_str()).exit_code,
              0);
    const std::string line = printed();
    return line.substr(0, line.size() - 1);
  }
  [[nodiscard]] Answer bench(std::vector<std::string> options) const {
    std::vector<std::string> words{"/usr/bin/env", "TARRY_HOME=" + home(), "ROUNDS=" + folder_.path() + "/rounds",
                                   TARRY_JUDGE_PROGRAM, "bench"};
    words.insert(words.end(), options.begin(), options.end());
    return ask(std::move(words), (folder_.path() + "/out").c_str());
  }
  [[nodiscard]] Answer save() const { return bench({"executor", "--filter", "^event heap$", "--save"}); }
  [[nodiscard]] Answer compare(const std::string& rev) const { return bench({"--against", rev, "--rounds", "1"}); }

  Folder folder_;
};

// ---- --save ----

TEST_F(Bench, saves_a_row_for_each_figure_behind_those_that_are_there) {
  const std::string old = kHeader + "old,m,event heap,1.0000e-05\n", commit = hash("HEAD");
  (void)folder_.put("home/results/speed.csv", old);
  EXPECT_EQ(save().exit_code, 0);
  EXPECT_THAT(printed(), HasSubstr("1 figure written to " + speeds() + ", in reference loops\n"));
  const std::string text = *read_file(speeds());
  EXPECT_THAT(text, StartsWith(old));
  EXPECT_THAT(text.substr(old.size()), MatchesRegex(commit + ",.* x [0-9]+,event heap,[1-9]\\.[0-9]{4}e-0[456]\n"));
}

TEST_F(Bench, saves_the_name_of_the_processor) {
  const Answer model =
      shell("sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1", (folder_.path() + "/out").c_str());
  const std::string name = printed().substr(0, printed().find('\n'));
  EXPECT_EQ(model.exit_code, 0);
  EXPECT_EQ(save().exit_code, 0);
  EXPECT_THAT(*read_file(speeds()), HasSubstr(name + " x "));
}

TEST_F(Bench, marks_a_commit_from_which_files_differ_but_not_for_what_it_saved) {
  EXPECT_EQ(save().exit_code, 0);
  EXPECT_THAT(*read_file(speeds()), Not(HasSubstr("-dirty")));
  EXPECT_EQ(save().exit_code, 0);
  EXPECT_THAT(*read_file(speeds()), Not(HasSubstr("-dirty")));
  (void)folder_.put("home/new.cpp", "");
  EXPECT_EQ(save().exit_code, 0);
  EXPECT_THAT(*read_file(speeds()), HasSubstr("\n" + hash("HEAD") + "-dirty,"));
}

TEST_F(Bench, measures_nothing_when_it_could_not_save_and_leaves_all_that_was_there) {
  (void)folder_.put("home/results/speed.csv", "commit,seconds\n");
  const Answer a = save();
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr(speeds() + ": line 1: expected 'commit,machine,figure,reference_loops', and it is "
                                              "'commit,seconds'"));
  EXPECT_EQ(printed(), "");
  EXPECT_EQ(*read_file(speeds()), "commit,seconds\n");
}

TEST_F(Bench, loses_nothing_when_the_disk_is_full) {
  const std::string old = kHeader + std::string(40000, 'x') + "\n";
  (void)folder_.put("home/results/speed.csv", old);
  const Answer a = shell("ulimit -f 40; trap '' XFSZ; TARRY_HOME=" + home() +
                         " exec " TARRY_JUDGE_PROGRAM " bench executor --filter '^event heap$' --save");
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("speed.csv: cannot be written"));
  EXPECT_EQ(*read_file(speeds()), old);
}

// ---- --against ----

TEST_F(Bench, compares_another_commit_with_this_checkout_in_turns) {
  const std::string other = hash("HEAD");
  commit(launcher("150"));
  const std::string own = hash("HEAD");
  const Answer a = bench({"placer", "--against", "HEAD~1", "--rounds", "3"});
  EXPECT_EQ(a.exit_code, 0) << a.message;
  EXPECT_EQ(a.message, "");
  EXPECT_EQ(printed(), "A: HEAD~1, commit " + other + "\nB: this checkout, commit " + own +
                           "\n3 rounds, A and B in turns. Times are medians, of an iteration. Below 1, B is quicker; "
                           "above 1, A is.\n\n"
                           "               A          B  B / A   in the rounds\n"
                           "place  200.00 ns  150.00 ns  0.750  0.750 to 0.750\n");
  EXPECT_EQ(rounds(),
            against() + "\n" + home() + "\n" + against() + "\n" + home() + "\n" + against() + "\n" + home() + "\n");
}

TEST_F(Bench, keeps_one_folder_for_all_other_commits_so_that_little_is_built) {
  commit(launcher("150"));
  EXPECT_EQ(compare("HEAD~1").exit_code, 0);
  (void)folder_.put("home/build/against/build/kept", "");
  EXPECT_EQ(compare("HEAD").exit_code, 0);
  EXPECT_THAT(printed(), HasSubstr("place  150.00 ns  150.00 ns"));
  EXPECT_TRUE(fs::exists(against() + "/build/kept"));
}

TEST_F(Bench, makes_the_folder_anew_when_it_was_removed_or_is_no_worktree) {
  EXPECT_EQ(compare("HEAD").exit_code, 0);
  fs::remove_all(against());
  EXPECT_EQ(compare("HEAD").exit_code, 0);
  fs::remove(against() + "/.git");
  EXPECT_EQ(compare("HEAD").exit_code, 0);
}

TEST_F(Bench, never_changes_a_file_of_this_checkout) {
  fs::create_directories(against());
  commit(launcher("150"));
  const std::string file = folder_.put("home/tarry", launcher("130"));
  EXPECT_EQ(compare("HEAD~1").exit_code, 0);
  EXPECT_THAT(printed(), HasSubstr("place  200.00 ns  130.00 ns"));
  EXPECT_THAT(printed(), HasSubstr("-dirty\n"));
  EXPECT_EQ(*read_file(file), launcher("130"));
}

TEST_F(Bench, says_with_gits_words_that_there_is_no_such_commit) {
  const Answer a = compare("nosuch");
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--against nosuch: fatal: bad revision 'nosuch'"));
  EXPECT_EQ(compare("").exit_code, 2);
  EXPECT_EQ(rounds(), "");
}

TEST_F(Bench, makes_one_comparison_at_a_time) {
  fs::create_directories(home() + "/build");
  const std::string lock = home() + "/build/against.lock";
  const Answer a = shell("TARRY_HOME=" + home() + " flock " + lock + " " TARRY_JUDGE_PROGRAM " bench --against HEAD");
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr(lock + ": another comparison is under way"));
}

TEST_F(Bench, of_a_commit_that_cannot_be_built_ends_with_6_and_names_the_log) {
  commit("#!/bin/sh\nexit 6\n");
  commit(launcher("150"));
  const Answer a = compare("HEAD~1");
  EXPECT_EQ(a.exit_code, 6);
  EXPECT_THAT(a.message, HasSubstr("could not be built; the log is " + against() + "/build/release/build.log"));
}

TEST_F(Bench, of_a_commit_that_lacks_what_is_asked_for_names_what_it_said) {
  commit(
      "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nmkdir -p build/release/bin\n"
      "printf '#!/bin/sh\\necho no such part; exit 2\\n' > build/release/bin/tarry_judge\n"
      "chmod +x build/release/bin/tarry_judge\n");
  commit(launcher("150"));
  const Answer a = compare("HEAD~1");
  EXPECT_EQ(a.exit_code, 2);
  const std::string log = against() + "/build/release/bench.log";
  EXPECT_THAT(a.message, HasSubstr("its bench ended with exit code 2; what it said is in " + log));
  EXPECT_EQ(*read_file(log), "no such part\n");
}

TEST_F(Bench, either_saves_or_compares) {
  EXPECT_EQ(bench({"--against", "HEAD", "--save"}).exit_code, 2);
  EXPECT_EQ(bench({"--against", "HEAD", "--out", "f"}).exit_code, 2);
  EXPECT_EQ(bench({"--filter", "^event heap$", "--rounds", "2"}).exit_code, 2);
  EXPECT_EQ(bench({"--against", "HEAD", "--rounds", "0"}).exit_code, 2);
}

TEST_F(Bench, needs_a_checkout_to_save_and_to_compare) {
  fs::remove_all(home() + "/.git");
  for (const std::string& option : {std::string("--save"), std::string("--against=HEAD")}) {
    const Answer a = bench({"executor", "--filter", "^event heap$", option});
    EXPECT_EQ(a.exit_code, 2);
    EXPECT_THAT(a.message, HasSubstr(" needs a git checkout of tarry, and " + home() + " is none")) << option;
  }
}

// ---- calibration ----

// The line of results/calibration.csv that begins so.
std::string committed(const std::string& row) {
  const std::string all = *read_file(std::string(TARRY_SOURCE_DIR) + "/results/calibration.csv");
  const std::size_t at = all.find("\n" + row) + 1;
  return all.substr(at, all.find('\n', at) - at);
}

TEST(Calibration, predicts_what_the_committed_table_says) {
  const Folder folder;
  const std::string file = folder.path() + "/out";
  const std::string words = " bench calibration --filter '^300_dgx1_p100 resnet50_b64 8$'";
  ASSERT_EQ(shell(TARRY_JUDGE_PROGRAM + words, file.c_str()).exit_code, 0);
  const std::string printed = *read_file(file), row = committed("300_dgx1_p100,resnet50_b64,64,1,1,8,");
  const auto fields = split(row, ',');
  ASSERT_EQ(fields.size(), 10u) << row;
  EXPECT_THAT(printed, HasSubstr(std::string(fields[6]) + "     " + std::string(fields[7])));
  EXPECT_THAT(printed, HasSubstr("all: 1 points: "));
}

TEST(Calibration, has_no_use_for_options_of_speed_and_knows_its_rows) {
  EXPECT_THAT(shell(TARRY_JUDGE_PROGRAM " bench calibration --out x.json").message,
              HasSubstr("calibration has neither --against nor --out"));
  EXPECT_THAT(shell(TARRY_JUDGE_PROGRAM " bench calibration --filter 300 --save").message,
              HasSubstr("--save keeps the whole table"));
  const Answer none = shell(TARRY_JUDGE_PROGRAM " bench calibration --filter '^nothing$'");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.message, HasSubstr("--filter: no published figure has such a name"));
}

}  // namespace
}  // namespace tarry
