// Parts of what_if.cpp, a file each: jobs without faults, with clients that begin in time, with data for all, with a
// stop for all together, without many initial tokens, without an imbalance of parameter servers, with cards as fast and
// hosts as near as the others', without what makes devices slow besides the kernels of a slow worker, and with examples
// at once or with more room for them; and the words they share.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scenarios/job/step_costs.hpp"
#include "scenarios/job/what_if.hpp"

namespace tarry {

// Below, `trained` is how long training took, without what closing sessions took (contributions.hpp).

// Adds to `out` the job without the faults of each whom they are about (what slows it and what stops it apart, where it
// has both); without all of them, where there are several whom they are about.
void add_fault_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with each client that begins later than others as early as the first; likely is, too, that
// clients looked for a model before there was one, and waited.
void add_start_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope);

// Adds to `out` the job with data that never ends for each worker whose data was at its end while others trained on
// (out_of_data.hpp), and for all of them.
void add_data_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with a count of epochs for each worker, where all count together (shared_epochs.hpp), and some
// client's data was at its end.
void add_epoch_what_if(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with a stop at a global step, as much work for all workers together, where each is to leave
// after as many steps of its own, some have, and the others stand still; with
// that, and without any fault, as well.
void add_stop_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job without initial tokens where they are more than the workers, of whom there are enough for an
// aggregate.
void add_token_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with each host as near as the others that is far: one of workers from the parameter servers, or
// one of parameter servers from all workers. Its paths to its own kind are as those of its kind, too. Likely is, too,
// that a host of parameter servers is far from the others of its kind alone, where these exchange messages for a tenth
// of `trained`.
void add_far_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, const StepCosts& costs,
                      Scope scope, Nanos trained);

// Adds to `out` the job with its variables spread by bytes, and with bytes split evenly, where the parameter servers
// send unequal amounts.
void add_imbalance_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Adds to `out` the job with a usual card in place of each that has much less; a card that a variation of its own
// narrows has what is left on average. Where none has less than most do: a card as some workers have, or some parameter
// servers, in place of each that others of them have, if these have much less.
void add_card_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// The hosts whose cards are used most, "host0 (worker 0 and worker 1)", where they are few, and others that send and
// receive more bytes have cards that are used less; "4 hosts, such as host0 (worker 0)," where they are not few, and
// all that send and receive most are others. "" where these are the same, or hosts have other limits than cards.
[[nodiscard]] std::string hosts_of_most_used_cards(const Job& job, const Outcome& outcome);

// Adds to `out` the job with the mean of each law of its costs (likely are those that have a heavy tail), without each
// variation of its kernels, where there are few, and without all of them.
void add_variation_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope);

// Adds to `out` the job without each interference, without the kernels of each parameter server (and of all, where
// there are several) that computes for a tenth of `trained` or longer, and with copy engines of unlimited bandwidth
// (beside PCIe roots: with both unlimited, too), where the copies of a GPU take a tenth of it or longer. In the scope
// of all a hundredth is enough.
void add_device_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope, Nanos trained);

// Adds to `out` the job with kernels that take no time where queue runners read and prepare examples, where these take
// a tenth of `trained` or longer on a task; likely is this where they did so for most of it, so that the queue was not
// full meanwhile.
void add_input_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome, Scope scope, Nanos trained);

// Adds to `out` the job with room for the examples of three steps in each queue of examples that has room for less than
// one step's, beside those that it keeps (min_after_dequeue).
void add_room_what_if(std::vector<WhatIf>& out, const Job& job);

// Adds to `out` the job with saves of a checkpoint as short on each parameter server as on the median one, where some
// take longer, and that for a hundredth of the run or longer.
void add_save_what_ifs(std::vector<WhatIf>& out, const Job& job, const Outcome& outcome);

// Of the others' median: a card, a path or a worker that is worse is looked at. What is less worse costs less than a
// verdict tells (kWorthTelling).
inline constexpr double kMuchWorse = 0.9;

inline constexpr std::size_t kMostNames = 6;
// "worker 2, worker 3 and worker 5"; of very many, how many there are. REQUIRES: more than one.
[[nodiscard]] std::string listed(std::vector<std::string> names);
// "server1 (ps 1)", "host1 (worker 0, worker 1)".
[[nodiscard]] std::string with_its_tasks(const Job& job, const TaskNames& names, HostId host);
[[nodiscard]] std::string with_its_tasks(const Job& job, const Outcome& outcome, HostId host);
// 0 = unlimited, which is more than anything.
[[nodiscard]] std::uint64_t as_limit(std::uint64_t bandwidth);
[[nodiscard]] std::uint64_t from_limit(std::uint64_t limit);
[[nodiscard]] std::string bandwidth_in_words(std::uint64_t bandwidth);  // "40 Gb/s", "100 Mb/s", "no limit"
[[nodiscard]] std::string time_in_words(Nanos time);                    // "10 us", "1.5 ms", "2 s"

// One of several alike things, and how much it has; 0 = no limit.
struct Amounted {
  std::string name;
  std::uint64_t amount = 0;
};
// "the trunk of rack1 has 10 Gb/s and those of the others 100 Gb/s": of the one that has least, where that is much less
// than the median; else "". `of` stands before its name; "" says "the others" in place of "those of the others".
[[nodiscard]] std::string odd_in_words(const std::string& of, const std::vector<Amounted>& all,
                                       const std::function<std::string(std::uint64_t)>& in_words);

}  // namespace tarry
