// Parts of what messages cost besides the wire: each is tried by itself, and all together where there are several.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/job/overheads.hpp"

namespace tarry {
namespace {

std::string parts_of(const TransportSpec& transport) {
  Job job;
  job.cluster.network.transport = transport;
  std::string all;
  for (const Overhead& o : overheads())
    if (o.cause == Proof::Cause::transport && o.is_there(job)) all += fmt::format(" {}", o.part);
  return all;
}

TEST(TransportParts, are_those_that_cost_something) {
  EXPECT_EQ(parts_of({}), "");
  EXPECT_EQ(parts_of({.window = 4}), " windows");
  EXPECT_EQ(parts_of({.receive = {.copy = 2}}), " copies");
  EXPECT_EQ(parts_of({.incast = {{5, 6}}}), " incast");
  EXPECT_EQ(parts_of({.receive = {.per_message = 1}}), " each") << "nothing is copied";
  EXPECT_EQ(parts_of({.threads = 2}), "") << "they have nothing to do";
}

TEST(TransportParts, are_all_together_as_well_where_there_are_several) {
  EXPECT_EQ(parts_of({.send = {.per_message = 1}, .threads = 2}), " all each threads");
  EXPECT_EQ(parts_of({.window = 4, .incast = {{5, 6}}}), " all windows incast");
  EXPECT_EQ(parts_of({.send = {.per_message = 1, .copy = 2}}), " all copies each");
}

TEST(TransportParts, leave_the_others_as_they_are) {
  const TransportSpec whole{
      .send = {.per_message = 1}, .receive = {.copy = 2}, .threads = 3, .window = 4, .incast = {{5, 6}}};
  std::vector<std::string> left;
  for (const Overhead& o : overheads()) {
    if (o.cause != Proof::Cause::transport) continue;
    Job job;
    job.cluster.network.transport = whole;
    o.take_away(job);
    left.push_back(fmt::format("{} leaves{}", o.part, parts_of(job.cluster.network.transport)));
  }
  EXPECT_THAT(left, testing::ElementsAre("all leaves", "copies leaves all each threads windows incast",
                                         "each leaves all copies threads windows incast",
                                         "threads leaves all copies each windows incast",
                                         "windows leaves all copies each threads incast",
                                         "incast leaves all copies each threads windows"));
}

}  // namespace
}  // namespace tarry
