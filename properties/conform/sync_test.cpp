// Recorded runs of real TensorFlow 2.15.1 against ours: the same command as `tarry conform sync`.

#include "properties/conform/sync.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

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

// In this recording each local step took 2-4 ms more than its parts; after 33 of them worker 0 is 0.13 s late, and the
// latecomers' gradients (at 6.90 s) come before its eleventh aggregate (at 6.95 s). Without that noise they come after
// it (6.86 s and 6.80 s).
bool is_lost_race(const std::string& name, const SyncRow& row) {
  return name.starts_with("f5_late_session") && row.kind == SyncRow::Kind::exact;
}

// Workers 1 and 3 race for the far server in every aggregate, with times that differ by a few milliseconds. In the one
// repetition worker 3 lost 51 of its gradients; without the noise of real processes it loses 47, one less than the
// range allows. Whoever wins tends to win again, so noise does not average out: with the recorded excess of each read
// and compute (mean 11 ms, one in twenty above 40 ms) drawn anew, 24 runs of ours lose 32 to 70.
bool is_near_miss(const std::string& name, const SyncRow& row) {
  return name.starts_with("two_ps_crossed") && row.kind == SyncRow::Kind::totals;
}

TEST_P(Recorded, agrees_with_ours_simulated_and_replayed) {
  const auto rows = conform_sync(kHome + "/properties/conform/data/sync/" + GetParam(), kGraphs);
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const SyncRow& row : *rows)
    EXPECT_EQ(row.verdict == SyncRow::Verdict::differs, is_lost_race(GetParam(), row) || is_near_miss(GetParam(), row))
        << to_string(row);
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

}  // namespace
}  // namespace tarry
