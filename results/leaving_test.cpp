// What is to be done about workers that left while others trained on.

#include "results/verdicts/leaving.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/told_facts.hpp"

namespace tarry {
namespace {

using Kind = Trouble::Kind;
using testing::StartsWith;

constexpr char kEndOfData[] = "RandomShuffleQueue '_1_x' is closed and has insufficient elements";

Trouble left(TaskId task, const char* text = "") { return {.kind = Kind::left, .task = task, .text = text}; }

TEST(Leaving, is_to_be_cured_of_all_that_left_alike) {
  Facts f(Training::synchronous, 3, 3);
  const auto cure = [&](const char* of_third) {
    return cure_of(f.e, std::vector{left(kOther, kEndOfData), left(kThird, of_third)});
  };
  EXPECT_THAT(cure(kEndOfData), StartsWith("give the readers of worker 1 and worker 2 files with more records, or more "
                                           "epochs (num_epochs), or aggregate fewer"));
  EXPECT_THAT(cure(""), StartsWith("give the readers of worker 1 files")) << "the other was told to";
  EXPECT_THAT(cure_of(f.e, std::vector{left(kOther), left(kThird)}),
              StartsWith("let worker 1 and worker 2 train as long as the others, or aggregate fewer"));
}

TEST(Leaving, is_to_be_cured_of_the_one_that_makes_the_difference) {
  Facts f(Training::synchronous, 3, 3);
  f.e.proofs = f.proofs = {proof(Proof::Cause::faults, .3, kThird)};
  EXPECT_THAT(cure_of(f.e, std::vector{left(kOther), left(kThird)}), StartsWith("let worker 2 train as long"));
}

// Worker 1's process ended and began anew; worker 0 and worker 2 have left after so many steps.
std::string counting_anew(std::int64_t of_chief, std::int64_t of_third, Trouble lost, Trouble third = left(kThird)) {
  Facts f(Training::replicated, 3, 3);
  f.c.workers[0].steps = of_chief, f.c.workers[2].steps = of_third;
  f.e.troubles = {lost, left(kChief), third};
  return cure_of_counting_anew(f.e, {&lost, 1});
}

TEST(Leaving, after_equal_steps_leaves_a_new_process_behind_that_counts_its_own_from_0) {
  const Trouble anew{.kind = Kind::gone, .task = kOther, .from = kSecond, .to = 3 * kSecond, .back = 2 * kSecond};
  Trouble for_good = anew, faulty = left(kThird), back_in = left(kThird);
  for_good.back = -1, faulty.fault = "leave x", back_in.to = kSecond;
  EXPECT_EQ(counting_anew(80, 80, anew), kStopAtGlobalStep);
  EXPECT_EQ(counting_anew(80, 79, anew), "") << "they do not stop after so many steps of their own";
  EXPECT_EQ(counting_anew(80, 80, for_good), "");
  EXPECT_EQ(counting_anew(80, 80, anew, left(kThird, kEndOfData)), "");
  EXPECT_EQ(counting_anew(80, 80, anew, faulty), "");
  EXPECT_EQ(counting_anew(80, 80, anew, back_in), "") << "it trains in another session";
  EXPECT_EQ(counting_anew(80, 80, anew, {.kind = Kind::paused, .task = kThird}), "") << "it has not left";
}

TEST(Leaving, of_all_others_is_what_a_job_with_a_new_process_stands_still_for) {
  Facts f(Training::replicated, 3, 3);
  const Trouble anew{.kind = Kind::gone, .task = kOther, .from = kSecond, .to = 3 * kSecond, .back = 2 * kSecond};
  f.e.troubles = {anew, left(kChief), left(kThird)};
  f.e.standstills = {{.from = 9 * kSecond, .waits = {.troubles = f.e.troubles}}};
  EXPECT_THAT(f.says("stuck"), testing::EndsWith(std::string(" To do: ") + kStopAtGlobalStep + "."));
}

}  // namespace
}  // namespace tarry
