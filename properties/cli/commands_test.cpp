// The table of commands, as the built programs show it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"
#include "scenarios/cli/command_table.hpp"

namespace tarry {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string printed(std::vector<std::string> words, const char* program = TARRY_PROGRAM) {
  const Folder f;
  const std::string file = f.path() + "/out";
  words.insert(words.begin(), program);
  EXPECT_EQ(ask(words, file.c_str()).exit_code, 0);
  return read_file(file).value();
}

std::vector<std::string> completed(std::vector<std::string> words) {
  words.insert(words.begin(), "--complete");
  std::vector<std::string> out;
  std::istringstream in(printed(words));
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

TEST(Commands, both_programs_help_show_every_command_under_its_heading) {
  for (const char* program : {TARRY_PROGRAM, TARRY_JUDGE_PROGRAM}) {
    const std::string help = printed({"--help"}, program);
    for (const Command& c : command_table()) {
      EXPECT_THAT(help, HasSubstr("\n  " + std::string(c.name) + " ")) << program;
      EXPECT_THAT(help, HasSubstr(std::string(heading(c.group)) + ":")) << program;
    }
  }
}

TEST(Commands, each_has_a_sentence_and_an_example_in_its_help) {
  for (const Command& c : command_table()) {
    EXPECT_TRUE(c.what.ends_with('.')) << c.name;
    EXPECT_THAT(printed({std::string(c.name), "--help"}), HasSubstr(std::string(c.example))) << c.name;
  }
}

TEST(Commands, the_launcher_is_told_which_program_has_one) {
  EXPECT_EQ(printed({"--program-of", "run"}), "tarry\n");
  EXPECT_EQ(printed({"--program-of", "hunt"}), "tarry_judge\n");
  EXPECT_EQ(printed({"--program-of", "nonsense"}), "tarry\n");
  EXPECT_EQ(printed({"--program-of", ""}), "tarry\n");
}

TEST(Place, puts_what_is_free_on_the_task_whose_client_asks) {
  const Folder f;
  const std::string graph = f.put("g.pbtxt", "node { name: \"a\" op: \"NoOp\" }");
  const auto placed = [&](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"place", graph, "--nodes", "--devices", "/job:ps/task:0/cpu:0,/job:worker/task:1/cpu:0"});
    return printed(more, TARRY_JUDGE_PROGRAM);
  };
  EXPECT_THAT(placed({}), HasSubstr("/job:ps/replica:0/task:0/device:CPU:0"));
  EXPECT_THAT(placed({"--client", "worker/1"}), HasSubstr("/job:worker/replica:0/task:1/device:CPU:0"));
  EXPECT_THAT(placed({"--client", "worker/1", "--rules", "1.15"}), HasSubstr("/job:ps/replica:0/task:0/device:CPU:0"));
}

TEST(Commands, a_shell_completes_commands_options_scenarios_and_graphs) {
  EXPECT_THAT(completed({"ju"}), testing::ElementsAre("judge"));
  EXPECT_THAT(completed({"run", "010"}), testing::ElementsAre("010_uneven_ps"));
  EXPECT_THAT(completed({"run", "--lo"}), testing::ElementsAre("--log"));
  EXPECT_THAT(completed({"place", "resnet50_ps8"}), Contains("resnet50_ps8_task0"));
  EXPECT_THAT(completed({"hunt", "pl"}), testing::ElementsAre("placement", "planted"));
  EXPECT_THAT(completed({"hunt", "programs", "--see"}), testing::ElementsAre("--seed"));
  EXPECT_THAT(completed({"judge", "dead"}), IsEmpty());  // a file
}

TEST(Commands, the_manual_page_tells_every_command_and_its_options) {
  const std::string page = printed({"--man"});
  for (const Command& c : command_table()) EXPECT_THAT(page, HasSubstr(".SS " + std::string(c.name) + "\n"));
  EXPECT_THAT(page, HasSubstr(".SS hunt placement\n"));
  EXPECT_THAT(page, HasSubstr("\\-\\-trace"));
  EXPECT_THAT(page, HasSubstr(".SH EXIT STATUS"));
}

TEST(Commands, the_version_names_the_commit_the_compiler_and_simgrid) {
  const std::string text = printed({"--version"});
  for (const char* part : {"tarry 0.", "commit ", "compiled by ", "flows by simgrid "})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Commands, an_unknown_one_is_refused_with_the_nearest_name) {
  const Answer a = ask_tarry({"rnu"});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("unknown command 'rnu'; did you mean 'run'?"));
}

TEST(Commands, verdicts_are_listed_with_their_exit_codes) {
  EXPECT_THAT(printed({"verdicts"}), HasSubstr("stuck              4  "));
  EXPECT_THAT(printed({"verdicts", "--json"}), HasSubstr("\"kind\": \"uneven\""));
}

TEST(Commands, a_property_may_be_called_by_its_full_name) {
  EXPECT_THAT(printed({"hunt", "placement.groups_together", "--cases", "3"}), HasSubstr("3 cases"));
}

}  // namespace
}  // namespace tarry
