// Runs code in a child process, so that the parent survives whatever happens in it.
//
// SimGrid allows one engine per process, and a crash in a run must become a report rather than end the program. The
// child passes nothing to the parent except the bytes that it returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "placer/core/status.hpp"

namespace tarry {

// The error for a request that needs more memory than this machine has.
// It says what the limit of this process is, and what sets it.
[[nodiscard]] Status out_of_memory();

// Thrown by what runs in a child: the run cannot go on, and that is the fault of what was asked for.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The bytes that `body` returned in a child process. The child ends without destructors or exit handlers.
// The child ends with its parent, whatever ends that.
// Fails: INVALID_ARGUMENT with the text of a Refused; INTERNAL with that of another exception (a Bug's names file and
// line), or with the signal that ended the child; RESOURCE_EXHAUSTED where the machine has no process, no pipe or no
// processor time for it, or killed it; out_of_memory().
[[nodiscard]] StatusOr<std::string> run_in_child(const std::function<std::string()>& body);

// The same while `goes_on` says so, which is asked several times a second. Fails: as run_in_child; CANCELLED when the
// child was ended since it said no.
[[nodiscard]] StatusOr<std::string> run_in_child_while(const std::function<bool()>& goes_on,
                                                       const std::function<std::string()>& body);

// As run_in_child, of `count` children at once: what body(0), body(1), ... returned, in that order. Fails as
// run_in_child, with the first child's error, when all have ended.
[[nodiscard]] StatusOr<std::vector<std::string>> run_in_children(int count,
                                                                 const std::function<std::string(int)>& body);

// Bodies 0 to count - 1, each in a child, at most `at_once` children at a time. `ended` gets what each returned, or how
// it failed (as run_in_child), as soon as it ends. REQUIRES: at_once >= 1.
void run_in_pool(int count, int at_once, const std::function<std::string(int)>& body,
                 const std::function<void(int, StatusOr<std::string>)>& ended);

// As run_in_pool, but `ended` gets what each returned in the order of their numbers; it says whether the next one is
// wanted. Those that run when it says no are ended. No more than 2 x at_once of them are ahead of it. REQUIRES:
// at_once >= 1.
void run_in_order(int count, int at_once, const std::function<std::string(int)>& body,
                  const std::function<bool(int, StatusOr<std::string>)>& ended);

// How many children it is good to have at once: one for each processor that this process may use, but not more of them
// than its limit of memory (RLIMIT_AS) holds if each takes as much as the largest child that has ended so far.
[[nodiscard]] int good_at_once();

// A count that this process shares with the children that it starts: each call of take(), wherever it is made, gives
// the next number, from 0 on. So children divide work of which nobody knows how long each piece takes.
class SharedCounter {
 public:
  SharedCounter();  // throws std::bad_alloc
  ~SharedCounter();
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  [[nodiscard]] std::uint64_t take();

 private:
  std::atomic<std::uint64_t>* next_;  // in memory of all
};

}  // namespace tarry
