// The answers of a program, computed without the executor: an interpreter of whole graphs that shares only the kernels
// with the product.
//
// No partition, no frame table, no counts of pending inputs. A place is an explicit environment: the frames around it,
// each with its iteration. A node fires at a place when its inputs have arrived there, until nothing can fire any more.
// Only then the interpreter decides which loops have ended, and their Exits that were never alive send dead values
// outside. Which of the nodes that can fire goes first is drawn from a seed.
//
// An error does not end the step: all errors that could come first in some order are collected.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "placer/core/status.hpp"
#include "properties/programs/program.hpp"
#include "workers/tensor/tensor.hpp"

namespace tarry {

// A kernel that ran: a node (by position in the program) in an iteration of a loop frame (id as in rendezvous keys; 0
// and 0 outside loops).
struct Execution {
  std::uint32_t node = 0;
  std::uint64_t frame = 0;
  std::int64_t iteration = 0;
  friend auto operator<=>(const Execution&, const Execution&) = default;
};
using Executions = std::map<Execution, int>;

struct OracleStep {
  std::set<Code> errors;          // empty = the step succeeds
  std::vector<TensorRef> values;  // by fetch; null = dead; valid without errors only
  Executions executions;          // of live nodes
  std::uint64_t fired = 0;        // nodes that fired, dead ones included
};

struct OracleAnswer {
  std::vector<OracleStep> steps;  // up to the first step that fails
  std::string not_a_program;      // why it can't be judged; "" = it can
};

// Gives up (`not_a_program`) after `most` nodes have fired in a step, and when two live values meet in a Merge.
[[nodiscard]] OracleAnswer interpret(const Program& p, std::uint64_t seed, std::uint64_t most = 20'000);

}  // namespace tarry
