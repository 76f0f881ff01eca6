// A random program: a graph with loops, branches and state as a TensorFlow client builds it, the devices that it runs
// on, and the fetches.
//
// Plain values, which can be compared, printed and shrunk. A node's `device` is where it runs ("" = on the first
// device). Every program that the generator makes ends: its loops count, its integers stay below a modulus. All
// accesses to one object are ordered by values that are threaded through loops and branches (the flow of a TensorArray,
// an order token of a variable or queue), so the program's answers do not depend on the schedule.
#pragma once

#include <string>
#include <vector>

#include "placer/graph/spec.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {

struct Program {
  std::string id;
  std::vector<std::string> devices;  // full names; the first is the client's
  std::vector<NodeSpec> nodes;       // in an order in which only Merge reads later nodes
  std::vector<std::string> fetches;  // "x:0"
  int steps = 1;                     // how often it is run; variables and queues are kept
};

[[nodiscard]] GraphSpec spec_of(const Program& p);
// The same without device requests, for a session of one device.
[[nodiscard]] GraphSpec spec_on_one_device(const Program& p);
// The program with this many parallel iterations for every loop.
[[nodiscard]] Program with_parallel_iterations(Program p, std::int64_t parallel);
// One node per line, for people.
[[nodiscard]] std::string to_text(const Program& p);

}  // namespace tarry
