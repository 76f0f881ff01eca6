// What is said to be done about paths between hosts.

#include "results/verdicts/path_cures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "results/told_facts.hpp"

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

TEST(PathCures, lack_the_time_limit_where_it_tells_nothing) {
  EXPECT_EQ(without_time_limit(cure(Kind::parted)), "join a and s again");
  EXPECT_EQ(without_time_limit(cure(Kind::breaking)), cure(Kind::breaking));
}

TEST(PathCures, of_what_passed_again_ask_for_it_sooner) {
  const auto ended = [](Kind kind) {
    Trouble t = path(kind, "a", "s");
    (kind == Kind::breaking ? t.back : t.to) = kSecond;
    return t;
  };
  EXPECT_EQ(cure_of_paths(std::vector{ended(Kind::parted)}), "join a and s sooner" + kTells);
  EXPECT_EQ(cure_of_paths(std::vector{ended(Kind::breaking)}), "join a and s sooner") << "no session was ready later";
  EXPECT_EQ(cure_of_paths(std::vector{ended(Kind::parted_one_way)}), "let messages pass from a to s sooner" + kTells);
  EXPECT_EQ(cure_of_paths(std::vector{ended(Kind::parted), path(Kind::parted, "b", "s")}),
            "join a and s, and b and s again" + kTells)
      << "one of them is parted to the end";
}

TEST(PathCures, of_several_name_each_once) {
  EXPECT_EQ(cure_of_three(Kind::parted), "join a and s, b and s, and c and s again" + kTells);
  EXPECT_EQ(cure_of_three(Kind::parted_one_way),
            "let messages pass from a to s, from b to s, and from c to s again" + kTells);
  EXPECT_EQ(cure_of_three(Kind::held), "look at the network of a, b, and c" + kTells);
  EXPECT_EQ(cure_of_three(Kind::delayed), "look at the path between a and s, between b and s, and between c and s");
}

TEST(PathCures, name_a_path_once_in_whatever_direction_it_is_said_unless_that_matters) {
  const auto of_two = [](Kind kind) { return cure_of_paths(std::vector{path(kind, "a", "s"), path(kind, "s", "a")}); };
  EXPECT_EQ(of_two(Kind::parted), "join a and s again" + kTells);
  EXPECT_EQ(of_two(Kind::breaking), "join a and s again");
  EXPECT_EQ(of_two(Kind::parted_one_way), "let messages pass from a to s, and from s to a again" + kTells);
}

TEST(PathCures, of_two_hosts_that_hold_messages_are_read_as_two) {
  EXPECT_EQ(cure_of_paths(std::vector{path(Kind::held, "a"), path(Kind::held, "b")}),
            "look at the network of a and b" + kTells);
}

// Faults in paths, after which the job stands still without one of them alone, or which slow it together.
std::string told_of_two_paths(std::string_view kind) {
  Facts f(Training::synchronous);
  f.e.troubles = {path(Kind::parted, "host0", "server"), path(Kind::parted, "host1", "server")};
  for (Trouble& t : f.e.troubles) t.fault = "part x";
  f.e.standstills = {{.from = kSecond, .waits = {.troubles = f.e.troubles}}};
  Proof all = of_all(proof(Proof::Cause::faults, .5));
  all.goes_on = kind == "stuck";
  if (!all.goes_on) f.e.standstills.clear();
  return f.with(kind, {all});
}

TEST(PathCures, of_paths_in_the_same_trouble_are_one_cure) {
  for (const char* kind : {"stuck", "slowed"})
    EXPECT_THAT(told_of_two_paths(kind),
                testing::EndsWith("To do: join host0 and server, and host1 and server again" + kTells + "."))
        << kind;
}

TEST(Slowed, by_faults_together_is_told_only_where_they_gain_more_than_each_apart) {
  const auto slowed = [](double together) {
    Facts f(Training::synchronous);
    f.with("slowed", {proof(Proof::Cause::faults, .2, kChief), proof(Proof::Cause::faults, .1, kOther),
                      of_all(proof(Proof::Cause::faults, together))});
    return f.says("slowed");
  };
  EXPECT_THAT(slowed(.39), testing::Not(testing::HasSubstr("WHAT OF ALL")));
  EXPECT_THAT(slowed(.41), testing::HasSubstr("WHAT OF ALL"));
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
