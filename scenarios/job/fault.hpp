// What goes wrong in a run, as values: when, and what. There is no other place where faults are told.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "workers/events.hpp"

namespace tarry {

// The processes of a task end with all their state, and begin anew: server and, where the task has a program, client.
struct Kill {
  TaskId task;
  friend bool operator==(const Kill&, const Kill&) = default;
};
struct Restart {
  TaskId task;
  friend bool operator==(const Restart&, const Restart&) = default;
};
// The connections between two tasks break once; both live on.
struct Disconnect {
  TaskId a, b;
  friend bool operator==(const Disconnect&, const Disconnect&) = default;
};
// The connection of a caller to a server breaks once, and its channel sends the calls that are open again without
// telling the caller.
struct Resend {
  TaskId caller, server;
  friend bool operator==(const Resend&, const Resend&) = default;
};
// Kernels of a task take `percent` of their time.
struct Slow {
  TaskId task;
  std::int64_t percent = 100;
  std::optional<Nanos> lasts;  // nullopt = for good; also below
  friend bool operator==(const Slow&, const Slow&) = default;
};
// Messages between two hosts, in both directions, take another latency.
struct Delay {
  HostId a, b;
  Nanos latency = 0;
  std::optional<Nanos> lasts;
  friend bool operator==(const Delay&, const Delay&) = default;
};
// Nothing passes between two hosts. Nobody is told: what waits goes on when they are joined again.
struct Part {
  HostId a, b;
  std::optional<Nanos> lasts;
  friend bool operator==(const Part&, const Part&) = default;
};

// The count-th time that something happened to a worker's client since the start, and a while after.
enum class Moment : std::uint8_t { pushed, token_taken, session_ready };
struct Trigger {
  Moment moment = Moment::pushed;
  TaskId task;
  std::int64_t count = 1;
  Nanos delay = 0;
  friend bool operator==(const Trigger&, const Trigger&) = default;
};

struct Fault {
  std::variant<Nanos, Trigger> when;  // a time counts from the start of training (from 0 with `start: natural`)
  std::variant<Kill, Restart, Disconnect, Resend, Slow, Delay, Part> what;
  friend bool operator==(const Fault&, const Fault&) = default;
};

}  // namespace tarry
