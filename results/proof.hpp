// What a run would have gained without one of its causes: found by running it again, with the same seed, with that one
// thing taken away.
#pragma once

#include <string>
#include <vector>

#include "placer/core/ids.hpp"

namespace tarry {

struct Proof {
  // Kept logs have their numbers (stored_run.cpp): a new one comes last.
  enum class Cause : std::uint8_t {
    faults,           // all faults of `task`, or between `a` and `b`
    late_start,       // the client of `task` began later than the others
    slow_worker,      // the kernels of `task` take longer than those of the median worker
    slow_card,        // the network card of host `a` has less bandwidth than the others'; `b`: which of several
    far_host,         // the path from host `a` is longer or narrower than the others'; of one of parameter servers
                      // `b` is "servers" where that is the path to others of them, "all" where this one is, too
    network,          // bandwidth; `b` is "host" where it is that between tasks of one host
    imbalance,        // the parameter servers send different amounts
    latency,          // of all paths
    messages,         // sending and receiving take the tasks' CPUs time
    threads,          // kernels wait for a thread of their task's CPU
    checkpoints,      // are saved
    polls,            // clients wait before they look again for a model; `b` is kAfterFaults where all did so later
    workers,          // the kernels of several workers take longer than those of the median worker
    kernels,          // all kernels
    op,               // the kernels of the op `a`
    servers,          // there could be one more
    replicas,         // the gradients that an aggregate needs
    tokens,           // the initial ones
    trunks,           // the bandwidth of racks' trunks; `b` is "one" where one of them has much less than the others
    variations,       // kernels (of `task` alone) vary from step to step; `b` is "apart": each task by itself
    pcie,             // the bandwidth of PCIe roots; `b` as of trunks
    transport,        // what messages cost besides the wire: `b` is "copies", "threads", "windows", "incast" or "all"
    interference,     // what takes a part of `task`, or of host `a`, again and again
    server_kernels,   // the kernels of the parameter server `task`, or of all of them, take time
    copies,           // between GPUs and their hosts take their copy engines time; together: and PCIe roots
    card_variations,  // the bandwidth of network cards varies
    chiefs,           // several workers take themselves for the chief
    data,             // that of `task` was at its end while others trained on
    input,            // reading and preparing examples: the op `a` limits it; `b` is "reads" where one reader does
    epochs,           // all workers together count them, by one variable
    planned,          // the graph is built for more workers than the cluster has
    absent,           // workers never come
    stops,            // each worker leaves after so many steps of its own
    room,             // the queue of examples `a` has too little of it
  } cause = Cause::faults;
  TaskId task;
  std::string a, b;
  enum class Harm : std::uint8_t { any, slows, stops } harm = Harm::any;  // which of the faults; any: all of them
  std::string what;       // "the card of server (ps 0) has 12.5 MB/s, the others 1250 MB/s"
  std::string instead;    // what the other run had: "with 1250 MB/s"
  double gain = 0;        // the share of time that the same work takes less, 0 to 1
  bool together = false;  // all of their kind at once, named in `what`: several workers, cards, paths or late ones
  bool goes_on = false;   // this run stands still at its end or fails, the other one does not
  // What hides a part of the gain, "with host1 as near as the others", and the gain where that is taken away as well,
  // which is more than both gain alone; "" = nothing.
  std::string beside = {};
  double beside_gain = 0;
  // Both stand still at their ends or fail, and the other one does more before: the gain is the share of that which
  // this one does not do.
  bool does_more = false;
};

inline constexpr char kAfterFaults[] = "after faults";
// `b` of a design that is tried only where workers left as they were told to and others stand still since.
inline constexpr char kForStandstills[] = "for standstills";

// A load is told from here on.
inline constexpr double kWorthTelling = 0.10;
// A smaller gain is rounding.
inline constexpr double kNoticed = 0.01;
[[nodiscard]] inline bool is_noticed(const Proof& proof) { return proof.goes_on || proof.gain >= kNoticed; }

// It may hold particular causes, of which it says less: the network that of a card, kernels those of an op.
[[nodiscard]] bool is_general(Proof::Cause cause);
// Whether `a` is told before `b`: what lets a job go on, then what gains more. A general cause comes before a
// particular one where it gains more than twice as much, and checkpoints, which a slow disk makes costly, where they
// gain more than a quarter more.
[[nodiscard]] bool comes_first(const Proof& a, const Proof& b);

// Whether both are about one cause alone, whatever it gains.
[[nodiscard]] bool is_same_cause(const Proof& a, const Proof& b);

// " Run again with 1250 MB/s (same seed), the same work takes 42.0 % less time."; with what hides a part of that: "...
// less time; with host1 as near as the others as well, 60.0 % less."; and of one that does more before it stands still
// as well: " Run again ... (same seed), 1.7 times as much is done before it stands still or fails as well."
[[nodiscard]] std::string in_words(const Proof& proof);
// "1.7 times as much". REQUIRES: it does more, and 1 > gain.
[[nodiscard]] std::string times_as_much(const Proof& proof);

}  // namespace tarry
