// What is said to be done about paths between hosts.

#include "results/verdicts/path_cures.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tarry {
namespace {

using Kind = Trouble::Kind;

Trouble path(Kind kind, const std::string& a, const std::string& b = "") {
  return {.kind = kind, .task = TaskId(), .a = a, .b = b, .text = ""};
}
std::string cure(Kind kind) { return cure_of_paths(std::vector{path(kind, "a", "s")}); }
std::string cure_of_three(Kind kind) {
  return cure_of_paths(
      std::vector{path(kind, "a", "s"), path(kind, "b", "s"), path(kind, "a", "s"), path(kind, "c", "s")});
}
const std::string kTells = "; a time limit on each step (RunOptions.timeout_in_ms) would tell";

TEST(PathCures, name_the_ends) {
  EXPECT_EQ(cure(Kind::parted), "join a and s again" + kTells);
  EXPECT_EQ(cure(Kind::breaking), "join a and s again");
  EXPECT_EQ(cure(Kind::parted_one_way), "let messages pass from a to s again" + kTells);
  EXPECT_EQ(cure(Kind::held), "look at the network of a" + kTells);
  for (const Kind kind : {Kind::delayed, Kind::jammed, Kind::narrowed})
    EXPECT_EQ(cure(kind), "look at the path between a and s");
}

TEST(PathCures, of_several_name_each_once) {
  EXPECT_EQ(cure_of_three(Kind::parted), "join a and s, b and s, and c and s again" + kTells);
  EXPECT_EQ(cure_of_three(Kind::parted_one_way),
            "let messages pass from a to s, from b to s, and from c to s again" + kTells);
  EXPECT_EQ(cure_of_three(Kind::held), "look at the network of a, b, and c" + kTells);
  EXPECT_EQ(cure_of_three(Kind::delayed), "look at the path between a and s, between b and s, and between c and s");
}

TEST(PathCures, are_not_of_tasks_and_of_what_a_host_computes) {
  EXPECT_TRUE(is_of_a_path(path(Kind::held, "a")));
  EXPECT_FALSE(is_of_a_path(path(Kind::slowed_host, "a")));
  Trouble gone = path(Kind::gone, "");
  gone.task = TaskId{1u};
  EXPECT_FALSE(is_of_a_path(gone));
}

}  // namespace
}  // namespace tarry
