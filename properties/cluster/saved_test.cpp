// Findings on disk: what is written, and where it is known again.

#include "properties/cluster/saved.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

#include "placer/core/folder_test.hpp"
#include "placer/graph/read.hpp"
#include "properties/cluster/hunted.hpp"
#include "scenarios/file/faults.hpp"
#include "scenarios/file/load.hpp"

namespace tarry {
namespace {

const Shipped kShippedHere{kGraphs, kHome + "/scenarios/cases"};

// Some findings of a job that is stuck, saved in a folder of their own.
struct SavedFindings : testing::Test {
  const Hunted h{"040_worker_dies", kNeverStuck};
  const Folder own;
  const std::string& folder = own.path();
  std::vector<ClusterFinding> findings;
  std::vector<std::string> folders;

  void SetUp() override {
    ClusterHunt what = h.with(StrategyKind::portfolio, 60);
    what.keep_going = true;
    findings = hunt(what).value().findings;
    ASSERT_GT(findings.size(), 2u);
    for (const ClusterFinding& f : findings)
      folders.push_back(
          save_finding(f, h.scenario, {"040_worker_dies", text(), h.must, "tarry hunt"}, kShippedHere, folder).value());
  }
  [[nodiscard]] std::string text() const { return read_file(h.scenario.file).value(); }
  [[nodiscard]] std::set<Now> now(const Must& must) const {
    Trials trials(h.job, must);
    EXPECT_TRUE(trials.look_without_faults().ok());
    std::set<Now> all;
    const auto replayed = replay(trials, known_findings(folder, h.scenario, kShippedHere.cases).value()).value();
    for (const Replayed& r : replayed) all.insert(r.now);
    return all;
  }
};

TEST_F(SavedFindings, are_scenarios_with_their_story) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const ClusterFinding& f = findings[i];
    const auto scenario = load_scenario(folders[i]);
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    EXPECT_EQ(scenario->faults, f.shrunk.smallest.faults);
    EXPECT_EQ(scenario->must, h.must);
    const std::string document = read_file(folders[i] + "/README.md").value();
    EXPECT_THAT(document, testing::HasSubstr(faults_line(f.shrunk.smallest.faults, h.job.cluster)));
    EXPECT_THAT(document, testing::HasSubstr(f.broken.text.substr(0, f.broken.text.find(". "))));
    EXPECT_THAT(document, testing::HasSubstr("(same seed), the job goes on."));  // as `tarry run` tells it
  }
}

TEST_F(SavedFindings, are_replayed_until_they_are_gone) {
  EXPECT_EQ(known_findings(folder, h.scenario, kShippedHere.cases)->size(), findings.size());
  EXPECT_THAT(now(h.must), testing::ElementsAre(Now::still_fails));
  EXPECT_THAT(now({.dropped = Share{10'000}}), testing::ElementsAre(Now::gone));
  EXPECT_THAT(now({.progress = 5 * kSecond}), testing::Contains(Now::changed));
  EXPECT_THAT(now({.progress = 5 * kSecond}), testing::Not(testing::Contains(Now::still_fails)));
  EXPECT_TRUE(
      known_findings(folder, shipped("041_worker_dies_backup"), kShippedHere.cases)->empty());  // another scenario's
  EXPECT_TRUE(known_findings(folder + "/none", h.scenario, kShippedHere.cases)->empty());
}

TEST_F(SavedFindings, take_the_place_of_their_own_scenario_s_and_of_no_other_s) {
  const auto again = [&] {
    return save_finding(findings[0], h.scenario, {"040_worker_dies", text(), h.must, "tarry hunt"}, kShippedHere,
                        folder)
        .value();
  };
  EXPECT_EQ(again(), folders[0]);
  const std::string others = R"({"scenario": "/another/scenario.yaml"})";
  std::ofstream(folders[0] + "/finding.json") << others;
  EXPECT_EQ(again(), folders[0] + "_2");
  EXPECT_EQ(again(), folders[0] + "_2");
  EXPECT_EQ(read_file(folders[0] + "/finding.json").value(), others);
}

TEST_F(SavedFindings, whose_hazards_differ_only_in_what_a_name_leaves_out_have_folders_of_their_own) {
  ClusterFinding other = findings[0];
  other.hazard += "?";
  EXPECT_EQ(
      save_finding(other, h.scenario, {"040_worker_dies", text(), h.must, "tarry hunt"}, kShippedHere, folder).value(),
      folders[0] + "_2");
}

// Findings of a scenario that does not ship, beside it.
struct MovedFindings : testing::Test {
  const Folder own;
  const std::string& folder = own.path();
  const std::string here = folder + "/here", there = folder + "/there";

  static Hunted in(const std::string& place) {
    Hunted h("040_worker_dies", kNeverStuck);
    h.scenario.file = place + "/job/scenario.yaml";
    return h;
  }
  void SetUp() override {
    std::filesystem::create_directories(here + "/job");
    const std::string text = read_file(shipped("040_worker_dies").file).value();
    std::ofstream(here + "/job/scenario.yaml") << text;
    const Hunted h = in(here);
    const ClusterFinding f = hunt(h.with(StrategyKind::portfolio, 60)).value().findings.at(0);
    ASSERT_TRUE(save_finding(f, h.scenario, {"job", text, h.must, "tarry hunt"}, kShippedHere, here + "/found").ok());
  }
  [[nodiscard]] std::size_t known(const std::string& findings, const std::string& job) const {
    return known_findings(findings + "/found", in(job).scenario, kShippedHere.cases).value().size();
  }
};

TEST_F(MovedFindings, are_known_where_their_scenario_was_copied_with_them) {
  EXPECT_EQ(known(here, here), 1u);
  std::filesystem::copy(here, there, std::filesystem::copy_options::recursive);
  EXPECT_EQ(known(there, there), 1u);
  EXPECT_EQ(known(there, here), 0u);  // another file, as far as anybody can tell
}

TEST_F(MovedFindings, of_a_scenario_that_ships_are_known_to_every_checkout) {
  const std::string checkout = folder + "/checkout/040_worker_dies/scenario.yaml";
  std::filesystem::create_directories(folder + "/checkout/040_worker_dies");
  std::filesystem::copy_file(shipped("040_worker_dies").file, checkout);
  const Hunted h("040_worker_dies", kNeverStuck);
  const ClusterFinding f = hunt(h.with(StrategyKind::portfolio, 60)).value().findings.at(0);
  const FoundBy by{"040_worker_dies", read_file(checkout).value(), h.must, "tarry hunt"};
  const std::string saved = save_finding(f, h.scenario, by, kShippedHere, folder + "/all").value();
  EXPECT_THAT(read_file(saved + "/finding.json").value(), testing::HasSubstr(R"("scenario": "040_worker_dies")"));
  Scenario other = h.scenario;
  other.file = checkout;
  EXPECT_EQ(known_findings(folder + "/all", other, folder + "/checkout")->size(), 1u);
}

TEST(FindingsOfTwoRuns, are_saved_without_an_outcome_and_replayed_twice) {
  const Folder own;
  const std::string& folder = own.path();
  Hunted h("040_worker_dies", {});
  h.job.planted = PlantedClusterBug::unsteady;
  const ClusterFinding f = hunt(h.with(StrategyKind::random, 60)).value().findings.at(0);
  ASSERT_EQ(f.broken.property, "determinism");
  const FoundBy by{"040_worker_dies", read_file(h.scenario.file).value(), {}, "tarry hunt"};
  const auto saved = save_finding(f, h.scenario, by, kShippedHere, folder);
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_FALSE(std::filesystem::exists(*saved + "/expected.json"));
  EXPECT_THAT(read_file(*saved + "/README.md").value(), testing::HasSubstr(f.broken.text));
  const auto now = [&] {
    Trials trials(h.job, {});
    EXPECT_TRUE(trials.look_without_faults().ok());
    EXPECT_TRUE(trials.run({{{kSecond, Kill{TaskId{2u}}}}}).ok());  // leaves the next run what the one after lacks
    return replay(trials, known_findings(folder, h.scenario, kShippedHere.cases).value()).value().at(0).now;
  };
  EXPECT_EQ(now(), Now::still_fails);
  h.job.planted = PlantedClusterBug::none;
  EXPECT_EQ(now(), Now::gone);
}

TEST(BrokenFindings, that_cannot_be_read_are_refused_with_their_file) {
  const Folder folder;
  const Hunted h("040_worker_dies", kNeverStuck);
  for (const char* text : {"", "[", "[]", "{}", R"({"scenario": 1})"}) {
    folder.put("one/finding.json", text);
    const auto known = known_findings(folder.path(), h.scenario, kShippedHere.cases);
    EXPECT_THAT(std::string(text_of(known.status())), testing::HasSubstr("/one/finding.json: expected an object"))
        << text;
  }
}

TEST(FindingsOfOtherFolders, find_the_files_that_their_scenario_names) {
  const Folder folder, found;
  (void)folder.put("f.csv", "worker,step,factor\n0,0,2\n");
  (void)folder.put("stats.pbtxt",
                   R"(dev_stats { device: "/job:ps/replica:0/task:0/device:CPU:0" node_stats { node_name: "x" } })");
  (void)folder.put("site.xml", read_file(kCases + "/112_shared_backbone/site.xml").value());
  const std::string text =
      read_file(kCases + "/112_shared_backbone/scenario.yaml").value() + "variations: [{trace: f.csv}]\n";
  const Scenario scenario = load_scenario(folder.put("scenario.yaml", text)).value();
  const Job job = make_job(scenario, {.graphs_folder = kGraphs, .keep_kernels = false}).value();
  const ClusterHunt what{.job = job, .must = kNeverStuck, .strategy = {.kind = StrategyKind::portfolio}, .runs = 60};
  const std::vector<ClusterFinding> findings = hunt(what).value().findings;
  ASSERT_FALSE(findings.empty());
  const auto saved =
      save_finding(findings[0], scenario, {"s", text, kNeverStuck, "tarry hunt"}, kShippedHere, found.path());
  ASSERT_TRUE(saved.ok()) << saved.status();
  EXPECT_TRUE(make_job(load_scenario(*saved).value(), {.graphs_folder = kGraphs, .keep_kernels = false}).ok());
  const auto with_stats =
      save_finding(findings[0], scenario, {"s", text + "measured: [stats.pbtxt]\n", kNeverStuck, "tarry hunt"},
                   kShippedHere, found.path() + "/stats");
  const YAML::Node moved = YAML::LoadFile(*with_stats + "/scenario.yaml")["measured"][0];
  EXPECT_TRUE(std::filesystem::exists(*with_stats + "/" + moved.Scalar())) << moved;
}

}  // namespace
}  // namespace tarry
