#include "properties/partition/same_cut.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "properties/placement/case.hpp"
#include "properties/programs/hunt.hpp"

namespace tarry {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const WholeRelease& release() {
  static const WholeRelease r = read_whole_release(TARRY_SOURCE_DIR "/properties/conform/data", "2.15").value();
  return r;
}

Json parts_json(const CutParts& parts) {
  Json out = Json::object();
  for (const auto& [location, nodes] : parts) {
    PlacementCase c;
    for (const NodeSpec& n : nodes) c.nodes.push_back({n, ""});
    out[location] = to_json(c)["nodes"];
  }
  return out;
}

// A partitioner of another process's kind that cuts as we do, everything on the first device of its task.
StatusOr<Json> ours(const Json& question) {
  Json out = {{"id", question["id"]}, {"place", Json::array()}};
  for (const Json& n : question["nodes"]) {
    const auto request = n.size() > 3 ? n[3].get<std::string>() : "";
    std::size_t d = 0;
    for (std::size_t i = 0; i < question["devices"].size(); ++i)
      if (question["devices"][i][0] == request && request.find("CPU") != std::string::npos) d = i;
    out["place"].push_back(d);
  }
  TARRY_ASSIGN(const CutByBoth cut, cut_case(question, out["place"], release().tables));
  out["parts"] = parts_json(cut.parts);
  for (const auto& [task, parts] : cut.device_parts) out["device_parts"][task] = parts_json(parts);
  return out;
}

struct Hunted {
  ProgramReport report;
  SameCutCounts counts;
};

Hunted hunted(const AskPartitioner& ask, const AskPartitioner& again, std::uint64_t cases,
              const WholeRelease& with = release()) {
  Hunted h;
  const ProgramProperty property = same_cut(ask, again, with, h.counts);
  h.report = hunt(ProgramHunt{.properties = {&property}, .cases = cases});
  return h;
}

TEST(SameCut, nothing_is_found_in_a_partitioner_that_cuts_as_ours_does) {
  const Hunted h = hunted(ours, ours, 60);
  EXPECT_FALSE(h.report.counterexample) << h.report.counterexample->wrong;
  EXPECT_GT(h.counts.compared, 50u);
  EXPECT_EQ(h.counts.refused + h.counts.unstable, 0u);
}

TEST(SameCut, a_kind_of_receive_that_another_takes_is_found_and_shrunk) {
  const auto renames = [](const Json& question) -> StatusOr<Json> {
    TARRY_ASSIGN(const Json cut, ours(question));
    std::string text = cut.dump();
    for (std::size_t at = 0; (at = text.find("\"_Recv\"", at)) != std::string::npos; ++at)
      text.replace(at, 7, "\"_HostRecv\"");
    return Json::parse(text);
  };
  const Hunted h = hunted(renames, renames, 60);
  ASSERT_TRUE(h.report.counterexample);
  EXPECT_LE(h.report.counterexample->shrunk.smallest.nodes.size(), 4u);
  EXPECT_THAT(h.report.counterexample->wrong, HasSubstr("_HostRecv"));
}

TEST(SameCut, who_answers_otherwise_when_asked_again_or_refuses_is_counted_apart) {
  const auto empty = [](const Json& question) -> StatusOr<Json> {
    TARRY_ASSIGN(Json cut, ours(question));
    cut["parts"].clear();
    return cut;
  };
  const auto refuses = [](const Json&) -> StatusOr<Json> { return Json{{"code", 5}, {"msg", "no such op"}}; };
  EXPECT_EQ(hunted(empty, ours, 20).counts.unstable, 20u);
  EXPECT_EQ(hunted(refuses, refuses, 20).counts.refused, 20u);
}

TEST(SameCut, programs_with_ops_whose_kernels_are_not_recorded_for_an_old_release_are_not_asked_about) {
  const WholeRelease old = read_whole_release(TARRY_SOURCE_DIR "/properties/conform/data", "0.12").value();
  const auto refuses = [](const Json& question) -> StatusOr<Json> {
    EXPECT_THAT(question.dump(), Not(HasSubstr("\"AddV2\"")));  // 0.12 has Add only
    return Json{{"code", 5}, {"msg", "no such op"}};
  };
  const SameCutCounts counts = hunted(refuses, refuses, 40, old).counts;
  EXPECT_GT(counts.unknown, 0u);
  EXPECT_GT(counts.refused, 0u);
  EXPECT_EQ(counts.unknown + counts.refused, 40u);
}

TEST(SameCut, every_program_has_the_recorded_kernels_of_the_releases_that_have_its_ops) {
  const auto refuses = [](const Json&) -> StatusOr<Json> { return Json{{"code", 5}, {"msg", "no such op"}}; };
  for (const char* rules : {"1.12", "1.15"})
    EXPECT_EQ(
        hunted(refuses, refuses, 40, read_whole_release(TARRY_SOURCE_DIR "/properties/conform/data", rules).value())
            .counts.unknown,
        0u)
        << rules;
}

}  // namespace
}  // namespace tarry
