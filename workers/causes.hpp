// What each event of a run waited for last: what critical paths are made of (results/critical_path.hpp).
//
// The events of the simulated world are numbered from 1, in the order in which they happen; 0 is the beginning of the
// run. The cause of an event is the event that asked for it. Work goes on when the last thing that it needs is there,
// so the cause is what an event waited for last, and the time between the two is one wait. It has up to three parts.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "placer/core/ids.hpp"
#include "workers/nanos.hpp"

namespace tarry {

enum class WaitKind : std::uint8_t {
  timer,      // of a process, which looks or tries again later, or gives up then
  world,      // of no process: a fault comes or ends, or the time of a call is up
  storage,    // of a task, which writes a checkpoint
  kernel,     // for a free lane of its device; then it computes; then what other copies took of its PCIe root
  message,    // the latency; then its bytes
  flow,       // for its turn between two tasks; then its bytes, as if it were alone; then what others took of its way
  transport,  // of a message, for a thread of a task that sends or receives it; then that thread works
};

struct Wait {
  static constexpr std::uint32_t kPresent = std::numeric_limits<std::uint32_t>::max();

  WaitKind kind = WaitKind::world;
  std::uint32_t cause = kPresent;  // kPresent = the event that happens now; no event of Causes has it
  std::uint32_t holder = 0;        // the event that made room; 0 = nothing was in the way
  // When its first and second part end; may lie before or after the wait. Of a kernel, second_until = 0: it has no
  // third part.
  Nanos first_until = 0, second_until = 0;
  TaskId task;  // whose timer, storage or thread it is
};

struct Causes {
  struct Happened {
    Nanos at = 0;
    Wait wait;
  };
  std::vector<Happened> events = {{}};  // by number
  std::vector<std::uint32_t> noted_in;  // by entry of the run's log: the event that noted it
};

}  // namespace tarry
