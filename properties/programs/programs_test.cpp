#include <gtest/gtest.h>

#include "properties/programs/hunt.hpp"

namespace tarry {
namespace {

ProgramHunt hunt_of(const std::string& property, std::uint64_t cases, std::uint64_t seed = 1) {
  ProgramHunt h{.seed = seed, .cases = cases};
  for (const ProgramProperty& p : program_properties())
    if (property == "*" || p.name == property) h.properties.push_back(&p);
  return h;
}

std::string shown(const ProgramReport& r) {
  return r.counterexample ? r.counterexample->property->name + " of " + r.counterexample->found.id + "\n" +
                                to_text(r.counterexample->shrunk.smallest) + r.counterexample->wrong
                          : "";
}

bool ends_well(const Program& p) {
  const OracleAnswer answer = interpret(p, schedule_of(p));
  return answer.not_a_program.empty() && answer.steps.back().errors.empty();
}

TEST(Programs, the_executor_does_what_the_interpreter_does) {
  const ProgramReport r = hunt(hunt_of("*", 500));
  EXPECT_FALSE(r.counterexample) << shown(r);
  EXPECT_LT(r.discarded * 20, r.cases);
}

// Without the properties that cut and run a program again and again.
TEST(Programs, each_of_5000_cut_once_runs_as_the_interpreter_runs_it) {
  ProgramHunt h = hunt_of("*", 5'000);
  std::erase_if(h.properties, [](const ProgramProperty* p) { return p->name.starts_with("any_"); });
  const ProgramReport r = hunt(h);
  EXPECT_FALSE(r.counterexample) << shown(r);
}

TEST(Programs, every_bucket_is_reached) {
  const ProgramReport r = audit(hunt_of("*", 2'000));
  for (const auto& [bucket, held] : r.buckets) EXPECT_GE(held * 100, r.cases) << bucket;
}

// Else an invariant of nested loops may stay behind where its loop has no other part: the real cut waits for ever.
TEST(Programs, an_enter_asks_for_the_device_of_its_first_reader) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    const Program p = numbered_program(hunt_of("*", 1), number);
    for (const NodeSpec& enter : p.nodes) {
      if (enter.op != "Enter") continue;
      const auto reads = [&](const std::string& input) {
        return !input.starts_with('^') && parse_input(input).node == enter.name;
      };
      const auto reader =
          std::ranges::find_if(p.nodes, [&](const NodeSpec& n) { return std::ranges::any_of(n.inputs, reads); });
      if (reader != p.nodes.end()) EXPECT_EQ(enter.device, reader->device) << p.id << " " << enter.name;
    }
  }
}

// A program of that kind all the same: found by a hunt of a million.
TEST(Programs, an_invariant_alone_on_a_device_makes_the_step_wait_and_is_told) {
  const Program p = numbered_program({.properties = {}, .seed = 5007, .generate = {.max_statements = 6}}, 1079);
  const auto cut = run_cut(p, {.schedule = schedule_of(p)});
  ASSERT_TRUE(cut.ok());
  EXPECT_TRUE(cut->has_lone_invariant);
  EXPECT_EQ(cut->steps.back().status.code(), Code::kDeadlineExceeded);
  EXPECT_FALSE(violation_of(*find_program_property("cut_agrees"), p, schedule_of(p)));
}

// ---- bugs that are planted to be found ----

struct Planted {
  PlantedRuntimeBug bug;
  const char* property;
  std::uint64_t within;  // programs: more than any of twelve seeds needed
  std::uint64_t seed = 1;
};

class PlantedBugs : public ::testing::TestWithParam<Planted> {};

TEST_P(PlantedBugs, are_found_soon_and_shrunk) {
  ProgramHunt h = hunt_of(GetParam().property, GetParam().within, GetParam().seed);
  h.planted = GetParam().bug;
  std::map<std::uint64_t, std::uint64_t> tries;
  h.watch = [&](std::uint64_t number, std::uint64_t tried) { tries[number] = tried; };
  const ProgramReport r = hunt(h);
  ASSERT_TRUE(r.counterexample);
  EXPECT_GE(tries[r.counterexample->number], r.counterexample->shrunk.tried);
  EXPECT_LE(r.counterexample->shrunk.smallest.nodes.size(), 12u) << shown(r);
  EXPECT_FALSE(violation_of(*r.counterexample->property, r.counterexample->shrunk.smallest,
                            schedule_of(r.counterexample->found)));
  if (ends_well(r.counterexample->found)) EXPECT_TRUE(ends_well(r.counterexample->shrunk.smallest)) << shown(r);
}

// Of dead_send_skipped the first program shrinks to 15 nodes, one that follows to 4.
using enum PlantedRuntimeBug;
INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugs,
    ::testing::Values(Planted{control_loop_missing, "cut_agrees", 20}, Planted{control_edge_lost, "*", 20},
                      Planted{dedup_ignores_slot, "cut_agrees", 20}, Planted{incarnation_of_receiver, "cut_agrees", 20},
                      Planted{dead_dropped_at_merge, "cut_agrees", 20}, Planted{dead_exit_lost, "cut_agrees", 40, 7},
                      Planted{dead_send_skipped, "cut_agrees", 20, 4}, Planted{frame_never_freed, "frames_end", 20},
                      Planted{invariant_forgotten, "cut_agrees", 20}, Planted{parallel_one_more, "frames_end", 20, 2},
                      Planted{key_without_iteration, "transfers_pair_up", 20},
                      Planted{recv_started_twice, "cut_agrees", 20}, Planted{cancel_lost, "cut_agrees", 800},
                      Planted{switch_swapped, "cut_agrees", 20}, Planted{ref_edge_copied, "cut_agrees", 80}));

}  // namespace
}  // namespace tarry
