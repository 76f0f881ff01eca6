// Runs beside one that has run, several at once.

#include "scenarios/job/prove.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "scenarios/job/small_why.hpp"
#include "sim/runner.hpp"

namespace tarry {
namespace {

// As where the machine has too little memory for all of them: the first run is killed in its middle.
TEST(RunsAtOnce, that_are_killed_are_run_once_more) {
  const Job job = healthy();
  const Outcome outcome = run_apart(job).value();
  const ProofWatch nobody;
  Beside beside(job, outcome, nobody);
  const Proof again{.instead = "once more"};
  const Hash128 expected = beside.run_and_keep(again, job).value().outcome.value().log.hash();
  SharedCounter asked;
  Job killed_once = job;
  killed_once.interrupted = [&] { return asked.take() == 0 && raise(SIGKILL) == 0; };
  std::size_t seen = 0;
  const Status ran =
      beside.run_each({{again, killed_once}, {again, job}}, [&](std::size_t, const Beside::Ran& r) -> Status {
        EXPECT_EQ(r.outcome.value().log.hash(), expected);
        ++seen;
        return {};
      });
  EXPECT_EQ(ran.ok(), good_at_once() > 1) << "one alone would end again";
  EXPECT_EQ(seen, ran.ok() ? 2u : 0u);
}

}  // namespace
}  // namespace tarry
