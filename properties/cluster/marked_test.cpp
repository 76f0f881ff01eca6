// Marks: every one is somewhere in the code, faults lead there and healthy runs do not, and campaigns count them.

#include "properties/cluster/marked.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "properties/cluster/hunt.hpp"
#include "scenarios/cases/shipped.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

// ---- the catalogue ----

// All code of the runtime but the catalogue.
std::string code_of_the_runtime() {
  std::string all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(TARRY_SOURCE_DIR "/workers")) {
    const std::string name = entry.path().filename();
    if (!entry.is_regular_file() || name.ends_with("_test.cpp") || name == "marks.hpp") continue;
    all += std::string(std::istreambuf_iterator<char>(std::ifstream(entry.path()).rdbuf()), {}) + "\n";
  }
  return all;
}

bool is_named_in(const std::string& code, std::string_view mark) {
  const std::string word = "Mark::" + std::string(mark);
  for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1))
    if (const char next = code[at + word.size()]; next != '_' && !std::isalnum(next)) return true;
  return false;
}

TEST(Marks, are_each_somewhere_in_the_runtime) {
  const std::string code = code_of_the_runtime();
  for (const MarkRow& row : kMarks) EXPECT_TRUE(is_named_in(code, row.name)) << row.name;
  EXPECT_FALSE(is_named_in(code, "call_"));
}

TEST(Marks, have_names_of_their_own_and_a_sentence) {
  std::set<std::string_view> names, meanings;
  for (const MarkRow& row : kMarks) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(meanings.insert(row.meaning).second) << row.meaning;
    EXPECT_TRUE(row.meaning.ends_with(".")) << row.name;
  }
}

// ---- what leads there ----

Job audited(const std::string& scenario, const std::string& faults) {
  const Scenario s = shipped(scenario);
  Job job = job_for(s).value();
  job.faults = faults.empty() ? std::vector<Fault>() : parse_faults(faults, s).value();
  job.audits = true;
  return job;
}

std::set<std::string_view> names_of(const Marks& marks) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i]) names.insert(kMarks[i].name);
  return names;
}

std::set<std::string_view> reached(const std::string& scenario, const std::string& faults) {
  return names_of(run_here(audited(scenario, faults)).audit.marks);
}

struct Way {
  std::string_view scenario, faults;
  std::vector<std::string_view> marks;
};
const Way kWays[] = {
    {"040_worker_dies", "kill worker/1 at 20s", {"caller_died", "run_cancelled", "dequeue_cancelled"}},
    {"040_worker_dies",
     "resend worker/1,ps/0 after pushed:worker/1",
     {"call_sent_again", "request_seen_twice", "session_made_anew", "gradient_stale", "session_closed_in_a_step"}},
    {"040_worker_dies",
     "disconnect worker/1,ps/0 at 20s",
     {"call_broken", "run_broken", "receive_failed", "second_cause", "abort_ends_wait_here", "abort_repeated"}},
    {"049_second_ps_dies", "disconnect worker/1,ps/0 at 20s", {"tensor_given_up", "step_cancelled_by_error"}},
    {"047_chief_dies_checkpoint",
     "restart ps/0 at 20s",
     {"graph_for_unknown_session", "registration_failed", "model_restored", "sync_thread_failed", "model_not_ready"}},
    {"047_chief_dies_checkpoint", "restart ps/0 after step_began:worker/1", {"call_to_dead_process"}},
    {"047_chief_dies_checkpoint", "fail_save ps/0 at 5s", {"save_failed", "client_failed"}},
    {"047_chief_dies_checkpoint",
     "tear_save ps/0 at 7s; restart worker/0 at 9s",
     {"older_sessions_dropped", "model_restored", "restore_of_torn_file"}},
};

TEST(Marks, are_reached_under_the_faults_that_lead_there_and_not_without_them) {
  for (const Way& way : kWays) {
    const auto with = reached(std::string(way.scenario), std::string(way.faults)),
               without = reached(std::string(way.scenario), "");
    for (const std::string_view mark : way.marks) {
      EXPECT_TRUE(with.contains(mark)) << way.scenario << ", " << way.faults << ": " << mark << " is not among "
                                       << testing::PrintToString(with);
      EXPECT_FALSE(without.contains(mark)) << way.scenario << ": " << mark;
    }
  }
}

TEST(Marks, are_the_same_of_a_run_in_a_process_of_its_own_and_change_no_hash) {
  Job job = audited("040_worker_dies", "disconnect worker/1,ps/0 at 20s");
  const Outcome here = run_here(job), apart = run_apart(job).value();
  EXPECT_TRUE(here.audit.marks.any());
  EXPECT_EQ(here.audit.marks, apart.audit.marks);
  job.audits = false;
  const Outcome plain = run_here(job);
  EXPECT_TRUE(plain.audit.marks.none());
  EXPECT_EQ(plain.log.hash(), here.log.hash());
}

// Of a worker that runs a request although it has seen its id.
TEST(Marks, that_are_never_reached_are_a_broken_law_when_a_bug_reaches_them) {
  Job job = audited("040_worker_dies", "resend worker/1,ps/0 after pushed:worker/1");
  EXPECT_TRUE(run_here(job).breaches.empty());
  job.planted = PlantedClusterBug::request_id_forgotten;
  const Outcome o = run_here(job);
  EXPECT_TRUE(names_of(o.audit.marks).contains("step_begun_twice"));
  EXPECT_THAT(o.breaches, testing::Contains(testing::Field(&BrokenLaw::law, "never_reached")));
}

// ---- campaigns ----

TEST(MarkCounts, are_the_same_however_many_processes_look) {
  const Job job = audited("047_chief_dies_checkpoint", "");
  const Must must;
  ClusterHunt what{.job = job, .must = must, .runs = 70};
  const ClusterReport one = hunt(what).value();
  what.processes = 3;
  EXPECT_EQ(one.marks, hunt(what)->marks);
  EXPECT_EQ(one.marks.runs[static_cast<std::size_t>(Mark::tensor_asked_before_made)], 70u);
  what.heals = true;
  what.runs = 5;
  what.keep_going = true;  // after a chief that closed its own token queue
  EXPECT_EQ(hunt(what)->marks.runs[static_cast<std::size_t>(Mark::tensor_asked_before_made)], 5u);
}

constexpr MarkRow kRows[] = {
    {"often", "It rains.", false}, {"planted", "Nobody comes here.", false}, {"bad", "No.", true}};

TEST(MarkCounts, tell_a_place_that_no_run_reached) {
  const std::uint64_t runs[] = {9, 0, 0};
  const std::vector<MarkRow> none = unreached(kRows, runs);
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].name, "planted");
  EXPECT_TRUE(overdue(kRows, runs, 9'999).empty());
  EXPECT_EQ(overdue(kRows, runs, 10'000).size(), 1u);
  EXPECT_EQ(marks_in_words(kRows, runs), "1 of 2 rare situations came up; not: planted");
  const std::uint64_t all[] = {9, 1, 0};
  EXPECT_EQ(marks_in_words(kRows, all), "2 of 2 rare situations came up");
  EXPECT_EQ(marks_to_json(kRows, runs).dump(),
            R"({"often":{"runs":9,"meaning":"It rains."},"planted":{"runs":0,"meaning":"Nobody comes here."},)"
            R"("bad":{"runs":0,"meaning":"No.","never":true}})");
}

TEST(MarkCounts, name_some_of_many_places_that_no_run_reached) {
  const std::vector<MarkRow> rows(9, {"so_far", "Nobody comes here.", false});
  const std::vector<std::uint64_t> runs(9);
  EXPECT_EQ(marks_in_words(rows, runs),
            "0 of 9 rare situations came up; not: so far, so far, so far, so far, so far, so far and 3 more");
}

TEST(MarkCounts, add_up) {
  MarkCounts a, b;
  a.note(Marks().set(0).set(3));
  b.note(Marks().set(3));
  b.add(a);
  EXPECT_EQ(b.runs[0], 1u);
  EXPECT_EQ(b.runs[3], 2u);
  EXPECT_EQ(b.runs[1], 0u);
}

}  // namespace
}  // namespace tarry
