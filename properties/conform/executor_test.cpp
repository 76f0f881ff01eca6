// Sessions that real TensorFlow ran, run by ours.

#include "properties/conform/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>

#include "placer/core/folder_test.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/altered.hpp"
#include "properties/conform/graph_match.hpp"
#include "properties/conform/shipped.hpp"
#include "properties/conform/values.hpp"

namespace tarry {
namespace {

namespace fs = std::filesystem;

class Recorded : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Sessions, Recorded, ::testing::ValuesIn(shipped("values")), name_of);

TEST_P(Recorded, give_the_recorded_values_and_errors_on_one_device_on_two_and_on_random_ones) {
  const auto rows = conform_executor(GetParam(), 3);
  ASSERT_TRUE(rows.ok()) << rows.status();
  for (const ConformRow& row : *rows) EXPECT_THAT(row.differences, ::testing::IsEmpty()) << row.variant;
}

// A sidecar that somebody changed, beside the graphs that it names.
class AlteredSidecar {
 public:
  AlteredSidecar(const std::string& file, std::uint64_t seed) {
    const std::string name = fs::path(file).filename();
    for (const auto& entry : fs::directory_iterator(fs::path(file).parent_path()))
      if (const std::string beside = entry.path().filename(); beside.starts_with(name.substr(0, name.find('.')) + "."))
        fs::copy(entry.path(), folder_.path() + "/" + beside);
    folder_.put("altered.json", Alteration(seed).of(nlohmann::json::parse(*read_file(file))));
  }
  [[nodiscard]] std::string path() const { return folder_.path() + "/altered.json"; }

 private:
  Folder folder_;
};

RC_GTEST_PROP(Altered, recordings_are_judged_or_refused, (std::uint64_t seed)) {
  static const std::vector<std::string> files = shipped("values");
  const std::string file = *rc::gen::elementOf(files);
  const AlteredSidecar altered(file, seed);
  const Status s = conform_executor(altered.path(), 1).status();
  RC_LOG() << file << "\n" << s << "\n" << *read_file(altered.path()) << "\n";
  RC_ASSERT(s.code() != Code::kInternal);
}

NodeSpec node(std::string name, std::string op, std::vector<std::string> inputs) {
  return {std::move(name), std::move(op), "", std::move(inputs), {}};
}

TEST(GraphMatch, numbers_that_counters_make_do_not_tell_graphs_apart) {
  const GraphSpec a{{node("a/_1", "A", {}), node("b", "B", {"a/_1"})}},
      b{{node("b", "B", {"a/_7"}), node("a/_7", "A", {})}};
  EXPECT_EQ(difference(a, b), "");
}

TEST(GraphMatch, swapped_inputs_do) {
  const GraphSpec a{{node("x", "A", {}), node("y", "A", {}), node("b", "B", {"x", "y"})}},
      b{{node("x", "A", {}), node("y", "A", {}), node("b", "B", {"y", "x"})}};
  EXPECT_THAT(difference(a, b), ::testing::HasSubstr("edges differ"));
}

// A ring of six and two rings of three: refinement sees no difference, VF2 does.
GraphSpec rings(int n, int size) {
  GraphSpec g;
  for (int i = 0; i < n; ++i)
    g.nodes.push_back(node(fmt::format("a/_{}", i), "A", {fmt::format("a/_{}", i / size * size + (i + 1) % size)}));
  return g;
}
TEST(GraphMatch, what_looks_alike_from_every_node_is_told_apart_by_search) {
  EXPECT_EQ(difference(rings(6, 6), rings(6, 6)), "");
  EXPECT_NE(difference(rings(6, 6), rings(6, 3)), "");
}

TEST(RecordedValues, that_are_doubles_by_way_of_floats_agree_as_floats_do) {
  const auto json = [](const char* type, double value) {
    return Json{{"dtype", type}, {"shape", Json::array({1})}, {"value", Json::array({value})}};
  };
  const auto told = [&](const char* type, double ours, double theirs, bool by_way_of_floats) {
    return difference(**tensor_from(json(type, ours)), json(type, theirs), by_way_of_floats);
  };
  EXPECT_EQ(told("float64", 0.5440795258, 0.5440795854, true), "");
  EXPECT_NE(told("float64", 0.5440795258, 0.5440795854, false), "");
  EXPECT_NE(told("float64", 0.544079, 0.544089, true), "");
  EXPECT_NE(told("float32", 1, 1.0001, true), "");
}

}  // namespace
}  // namespace tarry
