// `tarry run --report`: the page of a run, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

struct Asked {
  Json printed, page;
  std::size_t size = 0;
};

Asked ask_for_page(const std::string& scenario, std::vector<std::string> more = {}) {
  const Folder f;
  const std::string out = f.path() + "/out.json", file = f.path() + "/page.html";
  std::vector<std::string> words{"run", scenario, "--json", "--report", file};
  words.insert(words.end(), more.begin(), more.end());
  (void)ask_tarry(words, out.c_str());
  const std::string html = *read_file(file), begin = "id=\"data\">";
  const std::size_t from = html.find(begin) + begin.size();
  return {Json::parse(*read_file(out)), Json::parse(html.substr(from, html.find("</script>", from) - from)),
          html.size()};
}

TEST(RunReport, has_the_figures_that_json_has) {
  for (const char* scenario : {"010_uneven_ps", "020_resnet50_gpu", "047_chief_dies_checkpoint", "030_local"}) {
    const Asked a = ask_for_page(scenario);
    for (const char* key : {"title", "hash", "verdicts", "what_if", "devices", "links", "notes", "events"})
      EXPECT_EQ(a.page["report"][key], a.printed[key]) << scenario << " " << key;
  }
}

TEST(RunReport, has_a_critical_path_whose_pieces_add_up_to_all_of_it) {
  for (const char* scenario : {"010_uneven_ps", "020_resnet50_gpu", "047_chief_dies_checkpoint"}) {
    const Json path = ask_for_page(scenario).page["path"];
    std::int64_t sums = 0, pieces = 0;
    for (const Json& s : path["sums"]) sums += s["ns"].get<std::int64_t>();
    for (const Json& p : path["pieces"])
      for (const Json& ns : p["ns"]) pieces += ns.get<std::int64_t>();
    EXPECT_EQ(sums, path["to_ns"].get<std::int64_t>() - path["from_ns"].get<std::int64_t>()) << scenario;
    EXPECT_EQ(pieces, sums) << scenario;
  }
}

// 64 workers, 100 aggregates, and messages that take time.
TEST(RunReport, of_many_workers_and_steps_is_under_two_megabytes) {
  std::string text = *read_file(TARRY_SOURCE_DIR "/scenarios/cases/015_workers64_backup4/scenario.yaml");
  const std::size_t at = text.find("stop:");
  text.replace(at, text.find('\n', at) - at, "stop: {aggregates: 100}");
  text.erase(text.find("expect:"), text.find('\n', text.find("expect:")) - text.find("expect:"));
  text.replace(text.find("latency: 0s"), 11, "latency: 1ms");
  const Folder f;
  const Asked a = ask_for_page(f.put("scenario.yaml", text));
  EXPECT_EQ(a.printed["aggregates"].size(), 100u);
  EXPECT_LT(a.size, 2'000'000u);
  EXPECT_GT(a.page["line"]["resolution_ns"], 0);
}

TEST(RunReport, says_the_command_that_makes_it_again) {
  const Asked a = ask_for_page("040_worker_dies", {"--seed", "7", "--faults", "kill worker/1 after token_taken#3"});
  EXPECT_THAT(a.page["command"].get<std::string>(),
              HasSubstr("tarry run 040_worker_dies --seed 7 --faults 'kill worker/1 after token_taken#3' --report /"));
}

TEST(RunReport, quotes_what_a_shell_would_change) {
  const Folder f;
  const std::string text = *read_file(TARRY_SOURCE_DIR "/scenarios/cases/030_local/scenario.yaml");
  const Asked a = ask_for_page(f.put("it's.yaml", text));
  EXPECT_THAT(a.page["command"].get<std::string>(), HasSubstr("/it'\\''s.yaml' --report /"));
}

TEST(RunReport, never_overwrites_the_scenario) {
  const Folder f;
  const std::string file =
      f.put("scenario.yaml", *read_file(TARRY_SOURCE_DIR "/scenarios/cases/030_local/scenario.yaml"));
  const Answer a = ask_tarry({"run", f.path(), "--report", file});
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("--report would overwrite the scenario"));
}

}  // namespace
}  // namespace tarry
