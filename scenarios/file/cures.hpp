// What a verdict says is to be done, as changes of the scenario: so that another run can tell what each of them gains.
//
// Every piece of advice is a row of one table, found by its words in the verdict's text.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/verdict.hpp"
#include "scenarios/file/make_job.hpp"

namespace tarry {

// The job with a cure.
struct CuredJob {
  std::string advice;  // "restart worker 2 within 1 s"
  std::string keys;    // of the scenario, that it changes: "training.num_tokens: 0"
  Job job;
  bool to_its_end = false;              // it has to run for longer than the one that it cures
  std::vector<std::string> about = {};  // whom: "worker 2", "host1 and server"; none where it is of the whole job
  std::string unlike = {};  // what counts as the same work though it is not: " for as many aggregates of 2 gradients"
};

struct Cure {
  std::string verdict;  // the kind of the one that asks for it
  std::string advice;
  std::optional<CuredJob> cured;  // nullopt: it cannot be tried
  std::string why_not;            // then
  // What the verdict says its cause gains leaves out waits of clients for a model (settled.hpp): so does what this
  // gains. The cause.
  std::optional<Proof::Cause> waits_left_out = {};
  std::optional<Proof::Cause> saves_time = {};  // the cause of which the verdict says how much less time it takes
};

// What ran, and how it was made.
struct Patient {
  const Scenario& scenario;
  const RunOptions& options;
  const Job& job;
  const Outcome& outcome;
  std::span<const Proof> proofs = {};  // what the verdicts were told with
};

// In the order of the verdicts and of their texts; those of several verdicts of one kind once. Where several of the
// same words are about different ones, the advice says about whom: "join the two again (host1 and server)". Where a
// verdict's cause hides behind others, its last cure takes away all of them. Fails: as make_job.
[[nodiscard]] StatusOr<std::vector<Cure>> cures_of(const Patient& patient, std::span<const Verdict> verdicts);

// The words by which advice is known, for tests.
[[nodiscard]] std::vector<std::string_view> known_advice();

}  // namespace tarry
