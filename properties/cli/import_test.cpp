// `tarry import straggler`, from the built program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "placer/graph/read.hpp"
#include "scenarios/cli/ask.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;

const std::string kTraces = TARRY_SOURCE_DIR "/properties/conform/data/pipeline",
                  kTrace = kTraces + "/timeline-ST.json.gz";

std::string imported(const Folder& f, std::vector<std::string> words) {
  const std::string out = f.path() + "/out";
  words.insert(words.begin(), {"import", "straggler"});
  EXPECT_EQ(ask_tarry(words, out.c_str()).exit_code, 0);
  return *read_file(out);
}

TEST(ImportStraggler, says_what_stragglers_cost_and_who_they_are) {
  const Folder f;
  const std::string text = imported(f, {kTrace});
  EXPECT_THAT(text, HasSubstr("timeline-ST.json.gz: 4 stages, 2 replicas, 32 steps\n"));
  EXPECT_THAT(text, HasSubstr("A step takes 2.1727 s, and 1.8433 s when every op takes its usual time: a slowdown of "
                              "1.1787.\n"));
  EXPECT_THAT(text, HasSubstr("    replicas   replica 1 1.178, replica 0 1.173\n"));
  EXPECT_THAT(text, HasSubstr("    stages     stage 3 1.232, stage 0 0.998, stage 1 0.983, and 1 more\n"));
  EXPECT_THAT(text, HasSubstr("Of the 0.3294 s that a step loses"));
  EXPECT_THAT(text, HasSubstr("    slowest workers  add  129.8 %  rem    3.1 %  stage 3 of replica 1\n"));
  EXPECT_THAT(text, HasSubstr("    last stage       add  130.0 %  rem  121.9 %  stage 3\n"));
}

// The published figures of trace ST: result-ST.json, ms-ST.json and mw-ST.json.
constexpr std::pair<const char*, double> kPublished[] = {
    {"/step_s", 2.172696813310722},
    {"/ideal_step_s", 1.843295824372035},
    {"/slowdown", 1.1787021836556841},
    {"/slowdown_by_op/forward-compute", 1.0874989663025318},
    {"/slowdown_by_op/backward-compute", 1.074156472437866},
    {"/slowdown_by_op/embedding-grads-all-reduce", 1.0095504024370303},
    {"/slowdown_by_op/grads-reduce-scatter", 1.00266695254219},
    {"/slowdown_by_op/optimizer-clip-main-grad", 1.0023506224771044},
    {"/slowdown_by_op/optimizer", 1.0014767395023902},
    {"/slowdown_by_op/params-all-gather", 1.0011307740825817},
    {"/slowdown_by_op/layernorm-grads-all-reduce", 1.0000026919173086},
    {"/slowdown_by_op/gc", 1.0},
    {"/slowdown_by_op/backward-send and -recv", 0.999992994223364},
    {"/slowdown_by_op/forward-send and -recv", 0.9998586213458615},
    {"/slowdown_by_replica/replica 0", 1.1730828198099532},
    {"/slowdown_by_stage/stage 3", 1.2322559543157936},
    {"/slowdown_by_stage/stage 2", 0.9824931309511952},
    {"/last_stage/add", 1.2996816802378568},
    {"/last_stage/rem", 1.2193563788811714},
    {"/slowest_workers/add", 1.297930900837732},
    {"/slowest_workers/rem", 0.031404269124045224},
};

TEST(ImportStraggler, finds_what_the_authors_of_a_published_trace_found) {
  const Folder f;
  const auto all = nlohmann::json::parse(imported(f, {kTraces, "--json"}));
  ASSERT_EQ(all.size(), 1u);
  const auto& t = all[0];
  EXPECT_EQ(t["file"], kTrace);
  EXPECT_EQ(t["slowdown_by_op"].size(), 11u);
  for (const auto& [path, published] : kPublished)
    EXPECT_NEAR(t.at(nlohmann::json::json_pointer(path)).get<double>(), published, 2e-6) << path;
}

TEST(ImportStraggler, reads_a_folder_in_the_order_of_its_names) {
  const Folder f;
  const std::vector<std::string> names{"timeline-d.json", "timeline-b.json", "timeline-a.json", "timeline-c.json"};
  for (const std::string& name : names) (void)f.put(name, *read_file(kTrace));
  (void)f.put("ideal-timeline-a.json", "");
  std::vector<std::string> files;
  for (const auto& t : nlohmann::json::parse(imported(f, {f.path(), "--json"})))
    files.push_back(t["file"].get<std::string>().substr(f.path().size() + 1));
  EXPECT_THAT(files,
              ::testing::ElementsAre("timeline-a.json", "timeline-b.json", "timeline-c.json", "timeline-d.json"));
}

TEST(ImportStraggler, tells_of_the_others_where_one_cannot_be_read) {
  const Folder f;
  (void)f.put("timeline-a.json", "[1, 2");
  (void)f.put("timeline-b.json", *read_file(kTrace));
  const std::string out = f.path() + "/out";
  const Answer a = ask_tarry({"import", "straggler", f.path()}, out.c_str());
  EXPECT_EQ(a.exit_code, 2);
  EXPECT_THAT(a.message, HasSubstr("timeline-a.json: expected a time line"));
  EXPECT_THAT(*read_file(out), HasSubstr("timeline-b.json: 4 stages"));
}

TEST(ImportStraggler, refuses_what_is_no_trace_with_its_name) {
  const Folder f;
  const std::string bad = f.put("timeline-bad.json", "[1, 2");
  for (const auto& [words, text] :
       {std::pair(std::vector<std::string>{"import", "straggler", bad}, "timeline-bad.json: expected a time line"),
        {{"import", "straggler", f.path() + "/none"}, "none: no such file"},
        {{"import", "straggler", TARRY_SOURCE_DIR "/docs"}, "docs: expected files named timeline-NAME.json"}}) {
    const Answer a = ask_tarry(words);
    EXPECT_EQ(a.exit_code, 2);
    EXPECT_THAT(a.message, HasSubstr(text));
  }
}

}  // namespace
}  // namespace tarry
