// Recorded runs of real TensorFlow 2.15.1 against ours: the same command as `tarry conform sync`.

#include "properties/conform/sync.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <filesystem>

#include "placer/core/folder_test.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/altered.hpp"
#include "properties/conform/apart.hpp"
#include "scenarios/job/shipped_graphs.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> recorded(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kHome + "/properties/conform/data/" + folder))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

std::string bare_name(const ::testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find('.'));
}

class Recorded : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Sync, Recorded, ::testing::ValuesIn(recorded("sync")), bare_name);

TEST_P(Recorded, agrees_with_ours_simulated_and_replayed) {
  const auto rows = conform_sync(kHome + "/properties/conform/data/sync/" + GetParam(), kGraphs);
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const SyncRow& row : *rows) EXPECT_EQ(row.verdict, SyncRow::Verdict::agrees) << to_string(row);
}

TEST(RecordedWithoutJudgement, is_refused) {
  const Folder folder;
  const std::string file =
      folder.put("run.json", R"({"config": {"W": 1, "R": 1, "P": 1, "num_tokens": -1, "variables": "ref",
                             "compute": [[1]], "vars": [{"name": "v0", "ps": 0}]}, "reps": []})");
  const auto rows = conform_sync(file, kGraphs);
  EXPECT_EQ(rows.status().code(), Code::kInvalidArgument);
  EXPECT_EQ(text_of(rows.status()), fmt::format("{}: no 'judged'; a recorded run says how it is compared, such as "
                                                "\"judged\": {{\"class\": \"exact\"}}",
                                                file));
}

// ---- kills, restarts, early ends ----

class Failures : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Sync, Failures, ::testing::ValuesIn(recorded("failures")), bare_name);

// In this recording one of the two workers needed half a second more than the other to close its session, and looked
// when the chief was done: it did not wait 30 s. Ours are equally fast, and both look too early (as both did in
// ps1_dies and ps_dies).
bool is_lucky_worker(const std::string& name) { return name.starts_with("ps1_dies_old"); }

TEST_P(Failures, happen_to_ours_in_the_same_order_and_words) {
  const auto rows = conform_sync(kHome + "/properties/conform/data/failures/" + GetParam(), kGraphs);
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const SyncRow& row : *rows)
    EXPECT_EQ(row.verdict == SyncRow::Verdict::differs, is_lucky_worker(GetParam())) << to_string(row);
}

// ---- recordings that somebody changed ----

// What becomes of the text of a recording: a child process that is ended by a signal or by an exception is INTERNAL.
Status judged(const std::string& text) {
  return judge_apart([&]() -> StatusOr<nlohmann::json> {
           TARRY_RETURN_IF_ERROR(conform_sync_text(text, "altered.json", kGraphs).status());
           return nlohmann::json();
         })
      .status();
}

// Those that take little time.
std::vector<std::string> small_recordings() {
  std::vector<std::string> files;
  constexpr std::uintmax_t kSmall = 2500;
  for (const char* folder : {"sync", "failures"})
    for (const std::string& name : recorded(folder))
      if (const fs::path file = kHome + "/properties/conform/data/" + folder + "/" + name; fs::file_size(file) < kSmall)
        files.push_back(file);
  return files;
}

RC_GTEST_PROP(AlteredRecording, is_judged_or_refused, (std::uint64_t seed)) {
  static const std::vector<std::string> files = small_recordings();
  const std::string file = *rc::gen::elementOf(files);
  const std::string text = Alteration(seed).of(nlohmann::json::parse(*read_file(file)));
  const Status s = judged(text);
  RC_LOG() << file << "\n" << s << "\n" << text << "\n";
  RC_ASSERT(s.code() != Code::kInternal);
}

}  // namespace
}  // namespace tarry
