// Whether two further runs are about the same.

#include "results/proof.hpp"

#include <gtest/gtest.h>

#include "results/told_story.hpp"

namespace tarry {
namespace {

Proof about(Proof::Cause cause, TaskId task, const std::string& a, const std::string& b) {
  Proof p;
  p.cause = cause, p.task = task, p.a = a, p.b = b;
  return p;
}

TEST(Proofs, are_of_one_cause_where_all_agrees_and_neither_is_of_several) {
  const auto of = [] { return about(Proof::Cause::copies, kPs, "a", "b"); };
  EXPECT_TRUE(is_same_cause(of(), of()));
  EXPECT_FALSE(is_same_cause(of(), about(Proof::Cause::checkpoints, kPs, "a", "b")));
  EXPECT_FALSE(is_same_cause(of(), about(Proof::Cause::copies, kChief, "a", "b")));
  EXPECT_FALSE(is_same_cause(of(), about(Proof::Cause::copies, kPs, "c", "b")));
  EXPECT_FALSE(is_same_cause(of(), about(Proof::Cause::copies, kPs, "a", "c")));
  Proof harm = of(), several = of();
  harm.harm = static_cast<decltype(harm.harm)>(1);
  several.together = true;
  EXPECT_FALSE(is_same_cause(of(), harm));
  EXPECT_FALSE(is_same_cause(of(), several));
  EXPECT_FALSE(is_same_cause(several, of()));
  EXPECT_FALSE(is_same_cause(several, several));
}

}  // namespace
}  // namespace tarry
