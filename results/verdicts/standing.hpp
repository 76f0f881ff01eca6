// What all verdicts on a standstill say of it.
#pragma once

#include <limits>
#include <span>
#include <string>

#include "results/standstill.hpp"

namespace tarry {

// "No aggregate was complete", "No step ended".
[[nodiscard]] std::string no_progress(const Evidence& e);
// "nothing passed between host1 and server from 5.000 s to 30.000 s; ...": the first cause, then the others; of more
// than five the first four, and how many there are.
[[nodiscard]] std::string causes_in_words(const Evidence& e, const WaitsFor& waits);
// Its client looked for a model, found none that was ready, and waited; at `since` or later.
inline constexpr Nanos kEver = std::numeric_limits<Nanos>::min();
[[nodiscard]] bool waited_for_a_model(const Evidence& e, TaskId task, Nanos since = kEver);
// "worker 0, worker 1 and worker 2"; of more than six how many they are.
[[nodiscard]] std::string names_of(const Evidence& e, const std::vector<TaskId>& tasks);
// " The accumulator of v holds 2 gradients; an aggregate needs 3; worker 0 and worker 1 wait for tokens.", where there
// are accumulators, and " worker 0 waits for worker 1 in CreateSession: ..." of tasks that the troubles are about.
[[nodiscard]] std::string who_waits(const Evidence& e, const WaitsFor& waits);
// " worker 1 waits for worker 2 in CreateSession: ... To do: set device_filters, ...": of those clients whose sessions
// wait to the end for a task that they do not need; "" where none does.
[[nodiscard]] std::string waits_to_the_end(const Evidence& e, const std::vector<TaskId>& clients);
// What to do about a trouble: "restart worker 1, or ...".
[[nodiscard]] std::string cure_of(const Evidence& e, const Trouble& trouble);
// The cures of each of them, without repetition: pauses have one, and so have paths in the same trouble, and lost
// workers that were away alike (for good, or back early or late).
[[nodiscard]] std::vector<std::string> cures_of_each(const Evidence& e, std::span<const Trouble> troubles);
// About the one of several of which the proof tells (best_proof), or else the first, with those that ended together
// with it; about each of them where the proof is of all faults; about all lost workers where the proof is of their one
// fault, or where runs beside this one were made and none helps; about each that is wrong to the end where the job goes
// on only without all faults.
// REQUIRES: there is one.
[[nodiscard]] std::string cure_of(const Evidence& e, std::span<const Trouble> troubles);
// The same, where the proof is that of gain_of if there is one.
[[nodiscard]] std::string cure_of_gain(const Evidence& e, std::span<const Trouble> troubles);

}  // namespace tarry
