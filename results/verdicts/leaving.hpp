// What to do about workers that left while others trained on.
#pragma once

#include <span>
#include <string>

#include "results/evidence.hpp"
#include "results/waits.hpp"

namespace tarry {

// ", or aggregate fewer gradients than there are workers"; "" where that is so already.
[[nodiscard]] const char* fewer_gradients(const Evidence& e);

inline constexpr char kMoreData[] = "files with more records, or more epochs (num_epochs)";
inline constexpr char kEpochsForEach[] =
    "make the queue of file names under tf.device of each worker, which then counts its own epochs";
// "let worker 1 and worker 2 train as long as the others, or ...": of those among `troubles` that left as `left` did;
// "give the readers of worker 1 and worker 2 files with more records, ..." where their data was at its end. REQUIRES:
// `left` is one of them, and tells of a worker that left.
[[nodiscard]] std::string cure_of_leaving(const Evidence& e, const Trouble& left, std::span<const Trouble> troubles);

// A client left since its data was at its end, and has no part in a standstill with these `troubles`: without the
// faults of one of them the job goes on, and with data for the client that never ends it does not.
[[nodiscard]] bool has_no_part(const Evidence& e, const Trouble& left, std::span<const Trouble> troubles);

// Whom a fault told to leave, and who is in a step to the end: as if they had left then.
[[nodiscard]] std::vector<Trouble> yet_to_leave(const Evidence& e);

// What made workers slow or late, so that they were behind when others left as they were told to: without it the job
// goes on, and it is about those with the fewest steps, or about the steps of all, which vary. Null: nothing is known
// of that.
[[nodiscard]] const Proof* what_held_back(const Evidence& e);

inline constexpr char kStopAtGlobalStep[] =
    "let training stop at a global step: a new process counts its own steps from 0";
// What to do about a worker that began late, by the proof of that.
[[nodiscard]] const char* cure_of_lateness(const Proof& late);
inline constexpr char kAllInStep[] =
    "aggregate a gradient of each worker, so that none is behind when the others leave";
inline constexpr char kStopForAll[] = "let training stop at a global step, which all workers share";
// "; or start without initial tokens (num_tokens=0), so that ...", where `left` tells of a worker that left with more
// steps than others have, which these allow, and an aggregate needs a gradient of each; else "".
[[nodiscard]] const char* no_initial_tokens(const Evidence& e, const Trouble& left);
// That, where a new process waits for the others, which have left after as many steps of their own as it was told to
// make; "" otherwise.
[[nodiscard]] std::string cure_of_counting_anew(const Evidence& e, std::span<const Trouble> troubles);

}  // namespace tarry
